"""`cutweb compact`: few large files in place of a session's many small ones, without bodies if that is wanted.

Reads the clock: a date until which is compacted lies in the past.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse, refuse_if_any
from crawler.process.printing import counted, size
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from sessions.compacting.compact import Compacted


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option("--drop-bodies", is_flag=True, help="Take the bodies out of the session, for good; its tables stay.")
@click.option(
    "--before",
    metavar="DATE",
    help="Only what is older: merge the files of epochs committed before DATE, and drop bodies of pages fetched before "
    "it. As in 2026-11-25 or 2026-11-25T06:00+01:00; UTC unless it says otherwise.",
)
@click.pass_context
def compact(context: click.Context, session: Path, drop_bodies: bool, before: str | None) -> None:
    """Merge a session's small files: a few of about 256 MiB for each rank and table, and for each rank's bodies, of all
    its runs together; and one commit record.

    What the session says stays as it is, and a crawl can go on with it. Not while a crawl runs on it; between the jobs
    of a chain is a good time. It may be broken off at any time, and begun again.

    With --drop-bodies pages, links and URLs stay, and with them all that works on tables: crawl --resume and --from,
    partition, quality, worklist, replay, diff, export, info. What reads bodies does not work any more: replay --bodies
    is refused, and another program finds no WARC files.

    \b
    Examples:
      cutweb compact crawl-1
      cutweb compact crawl-1 --before 2026-11-01
      cutweb compact crawl-1 --drop-bodies --before 2026-11-01
    """
    from crawler.launch.earlier_ranks import refuse_if_crawled
    from sessions.compacting.compact import compact_session
    from sessions.session import SessionError, damage_told

    date = _date_of(context, before)

    def compacted() -> "Compacted":
        refuse_if_crawled(session, "compact the session")
        with ProgressLine() as line, damage_told(session, writes=True):
            return compact_session(session, line, drop_bodies=drop_bodies, before=date)

    done = or_refuse(context, session, (SessionError,), compacted)
    was, now = done.before, done.after
    tell(
        f"{session}: {was.tables:,} table files are {now.tables:,} now, {was.warcs:,} WARC files {now.warcs:,}, "
        f"{was.records:,} commit records {now.records:,}"
    )
    if drop_bodies:
        tell(f"{session}: {_dropped(done, before)}")


def _dropped(done: "Compacted", before: str | None) -> str:
    older = f" fetched before {before}" if before is not None else ""
    if not done.pages:
        return f"no page{older} has a body to be dropped"
    return f"the bodies of {counted(done.pages, 'page')}{older} were dropped: {size(done.bytes)} less"


def _date_of(context: click.Context, before: str | None) -> datetime | None:
    """The time that --before names."""
    if before is None:
        return None
    try:
        date = datetime.fromisoformat(before)
    except ValueError:
        refuse_if_any(context, [f"--before {before}: is no date; write it as in 2026-11-25 or 2026-11-25T06:00"])
        raise
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    if date > datetime.now(UTC):
        refuse_if_any(context, [f"--before {before}: lies in the future; leave it out to compact all there is"])
    return date

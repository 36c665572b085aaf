"""`cutweb compact`: few large files in place of a session's many small ones."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from sessions.writing.compact import Compacted


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.pass_context
def compact(context: click.Context, session: Path) -> None:
    """Merge a session's small files: a few of about 256 MiB for each rank and table, and one commit record.

    What the session says stays as it is, and a crawl can go on with it.  Not while a crawl runs on it; between the jobs
    of a chain is a good time.

    \b
    Example:
      cutweb compact crawl-1
    """
    from sessions.session import SessionError
    from sessions.writing.compact import compact_session

    def compacted() -> "Compacted":
        _refuse_if_crawled(session)
        with ProgressLine() as line:
            return compact_session(session, line)

    done = or_refuse(context, session, (SessionError,), compacted)
    tell(
        f"{session}: {done.files_before:,} table files are {done.files:,} now, "
        f"{done.records_before:,} commit records {done.records:,}"
    )


def _refuse_if_crawled(path: Path) -> None:
    """Raise SessionError if a crawl has not ended and some rank of it lives."""
    from crawler.launch.earlier_ranks import host_of_living
    from sessions.session import Session, SessionError

    session = Session.open(path)
    host = host_of_living(path) if session.ended is None else None
    if host is not None:
        raise SessionError(
            f"{path}: run {session.header['run']} is crawling it, on {host}; compact the session when no crawl runs on "
            f"it (cutweb stop {path})"
        )

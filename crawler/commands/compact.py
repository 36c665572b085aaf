"""`cutweb compact`: few large files in place of a session's many small ones.

Reads the clock: whether a crawl has written to the session just now.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from sessions.writing.compact import Compacted

_LONG_SECONDS, _LONG_SUPERSTEPS = 60.0, 3.0
"""A crawl that lives writes more often than that."""


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
    """Raise SessionError if a crawl has not ended and has written to the session not long ago."""
    from crawler.monitoring.live_file import NAME
    from sessions.session import Session, SessionError

    session = Session.open(path)
    try:
        silence = time.time() - (path / NAME).stat().st_mtime
    except FileNotFoundError:
        return
    superstep = float(session.header["configuration"].get("superstep", 0.0))
    if session.ended is None and silence < max(_LONG_SECONDS, _LONG_SUPERSTEPS * superstep):
        raise SessionError(
            f"{path}: run {session.header['run']} wrote there {max(0.0, silence):.0f} s ago; compact the session when "
            "no crawl runs on it"
        )

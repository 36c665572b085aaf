"""Are the tables of a session that goes on those that were committed?  Each rank reads a share of them and says so."""

from typing import TYPE_CHECKING

from crawler.config.crawl_options import CrawlOptions
from crawler.launch.told_session import told_session
from sessions.session import SessionError

if TYPE_CHECKING:
    from mpi4py import MPI


def damage_found(options: CrawlOptions, comm: "MPI.Intracomm") -> str | None:
    """What is wrong with one of this rank's share of the committed tables; None if nothing is, or nothing goes on.

    All ranks call it together.

    Files that are not there or too short are rank 0's to tell of (`sessions.writing.truncate.check_committed`).
    """
    if not options.is_resumed or options.out is None:
        return None
    from sessions.checking.table_files import table_file  # only what goes on needs it

    try:
        session = told_session(comm, options.out)
    except SessionError:
        return None
    for file in session.table_files():
        if file.rank % comm.size != comm.rank:
            continue
        is_whole = file.path.exists() and file.path.stat().st_size >= file.bytes
        for problem in table_file(session, file) if is_whole else ():
            return (
                f"{file.path}: {problem.text}, so the session is damaged and cannot go on; see it with: cutweb check "
                f"{session.path}"
            )
    return None

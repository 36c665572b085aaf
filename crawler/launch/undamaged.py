"""Are the tables of a session that goes on those that were committed?  Each rank reads a share of them and says so."""

from crawler.config.crawl_options import CrawlOptions
from sessions.checking.table_files import table_file
from sessions.session import Session, SessionError


def damage_found(options: CrawlOptions, rank: int, ranks: int) -> str | None:
    """What is wrong with one of this rank's share of the committed tables; None if nothing is, or nothing goes on.

    Files that are not there or too short are rank 0's to tell of (`sessions.writing.truncate.check_committed`).
    """
    if not options.is_resumed or options.out is None:
        return None
    try:
        session = Session.open(options.out)
    except SessionError:
        return None
    for file in session.table_files()[rank::ranks]:
        is_whole = file.path.exists() and file.path.stat().st_size >= file.bytes
        for problem in table_file(session, file) if is_whole else ():
            return (
                f"{file.path}: {problem.text}, so the session is damaged and cannot go on; see it with: cutweb check "
                f"{session.path}"
            )
    return None

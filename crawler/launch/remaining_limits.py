"""What is left of a session's limits: they hold for all of its runs together."""

from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.verdict import EndConditions
from sessions.session import Session


def used_up(session: Session) -> tuple[int, float]:
    """How many pages a session has, and how many seconds it was crawled for."""
    reports = session.rank_reports()
    return sum(report["fetched"] for report in reports), max((report["seconds"] for report in reports), default=0.0)


def conditions_left(options: CrawlOptions, session: Session | None) -> EndConditions:
    """When a run ends that begins with what an earlier run has left of ``session``, or begins a new one."""
    pages, seconds = used_up(session) if session is not None else (0, 0.0)
    return EndConditions(
        None if options.max_pages is None else max(0, options.max_pages - pages),
        None if options.max_seconds is None else max(0.0, options.max_seconds - seconds),
        options.max_wait,
        keeps_to_list=options.worklist is not None and not options.beyond,
    )

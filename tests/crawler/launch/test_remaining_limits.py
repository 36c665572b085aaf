"""What a session's runs have used up of its limits."""

from pathlib import Path

from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.verdict import EndConditions
from crawler.launch.remaining_limits import conditions_left, used_up
from sessions.session import Session
from tests.sessions.support.builder import small_session


def test_a_run_has_what_the_runs_before_have_left(tmp_path: Path) -> None:
    small_session(tmp_path / "session")
    session = Session.open(tmp_path / "session")
    pages, seconds = used_up(session)
    assert pages == session.read("pages").num_rows
    assert seconds == max(report["seconds"] for report in session.rank_reports())
    options = CrawlOptions(max_pages=pages + 5, max_seconds=seconds + 2.5, max_wait=7.0)
    assert conditions_left(options, session) == EndConditions(5, 2.5, 7.0)
    assert conditions_left(options, None) == EndConditions(pages + 5, seconds + 2.5, 7.0)
    assert conditions_left(CrawlOptions(max_pages=1, max_seconds=1e-9), session).max_pages == 0
    assert conditions_left(CrawlOptions(), session) == EndConditions()

"""Whether a session is a whole crawl, and what it left queued if it is not."""

from pathlib import Path

import pytest

from sessions.analysis.completeness import incomplete
from sessions.session import Session
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl


def crawled(path: Path, ending: str | None) -> Session:
    """A session of two ranks that fetched two of six URLs and ended so; None: it was killed after an epoch."""
    crawl = Crawl(path, ranks=2)
    first, second = crawl.ranks
    first.discover([HOME, *PAGES[:3]])
    second.discover(OTHERS[:2])
    first.fetch(HOME)
    second.fetch(OTHERS[0])
    crawl.commit(ending)
    crawl.close()
    return Session.open(path)


@pytest.mark.parametrize(
    ("ending", "how"),
    [
        (None, "it was killed, or is still running"),
        ("signal", "it was stopped by a signal"),
        ("max-pages", "it ended at its limit max-pages"),
        ("max-seconds", "it ended at its limit max-seconds"),
        ("max-wait", "it ended at its limit max-wait"),
    ],
)
def test_a_crawl_that_ended_early_is_named_with_what_it_left_queued(
    tmp_path: Path, ending: str | None, how: str
) -> None:
    session = crawled(tmp_path / "crawl-1", ending)
    found = incomplete(session)
    queued = sum(report["queued"] for report in session.rank_reports())
    assert queued > 1
    assert str(found) == f"session crawl-1 is not complete: {how} and left {queued:,} URLs queued"


@pytest.mark.parametrize("ending", ["complete", "imported"])
def test_a_whole_session_is_not(tmp_path: Path, ending: str) -> None:
    assert incomplete(crawled(tmp_path / "crawl-1", ending)) is None

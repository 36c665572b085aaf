"""Whole crawls under mpiexec in next to no memory: the same pages and links, exact limits, balanced books."""

from collections import Counter
from pathlib import Path

import pytest

from sessions.check import check_session
from sessions.session import Session
from tests.mpi.conftest import Run

ORDERS = ("bfs", "budget")
MEMORIES = ("seen", "sent", "content", "duplicate", "frontier", "budget")
TINY = [argument for name in MEMORIES for argument in (f"--{name}-memory", "0.001")]


def crawled(run_ranks: Run, ranks: int, arguments: list[str], out: Path) -> Session:
    """The session of a crawl by page hash, whose books balance."""
    done = run_ranks(ranks, *arguments, "--assign", "page-hash", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert check_session(out).is_good
    session = Session.open(out)
    parts = [
        row for table in ("pages", "outcomes", "frontier") for row in session.read(table, ["hash"])["hash"].to_pylist()
    ]
    assert Counter(parts) == dict.fromkeys(session.read("urls", ["hash"])["hash"].to_pylist(), 1)
    return session


def found(session: Session) -> tuple[Counter[str], Counter[tuple[int, int, int]]]:
    """The pages and the links."""
    links = session.read("links", ["source", "target", "flags"]).to_pylist()
    return Counter(session.read("pages", ["url"])["url"].to_pylist()), Counter(tuple(link.values()) for link in links)


@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_find_the_same_as_in_memory_and_send_each_url_once(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path, ranks: int
) -> None:
    usual = crawled(run_ranks, ranks, crawl_arguments, tmp_path / "usual")
    for order in ORDERS:
        session = crawled(run_ranks, ranks, [*crawl_arguments, *TINY, "--order", order], tmp_path / order)
        assert session.ended is not None
        assert session.ended["reason"] == "complete"
        assert found(session) == found(usual)
        sent = [report["sent_urls"] for report in session.rank_reports()]
        assert sent == [report["sent_urls"] for report in usual.rank_reports()]
        assert all(report["resent"] == 0 for report in session.rank_reports())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [1, 37, 200])
def test_limits_hold_and_the_books_balance(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path, limit: int, order: str
) -> None:
    limits = ["--max-pages", str(limit), "--max-depth", "3", "--exclude", "[37]"]
    session = crawled(run_ranks, 3, [*crawl_arguments, *TINY, *limits, "--order", order], tmp_path / "session")
    assert session.ended is not None
    pages = session.read("pages", ["depth"])["depth"].to_pylist()
    assert len(pages) == limit or session.ended["reason"] == "complete"
    assert len(pages) <= limit
    assert max(pages) <= 3

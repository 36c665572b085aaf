"""Whole crawls under mpiexec in next to no memory: the same pages and links, exact limits, balanced books."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from tests.mpi.conftest import Run, crawl_words

ORDERS = ("bfs", "budget", "backlink", "backlink-page", "random")
LIMITS = (1, 37, 100)
MEMORIES = ("seen", "sent", "content", "duplicate", "frontier", "budget")
TINY = [argument for name in MEMORIES for argument in (f"--{name}-memory", "0.0005")]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The words of a crawl of a web of which no rank can keep its share in memory, but for --out."""
    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    made = make_web(path, sites=8, pages=120, seed=7, links=12.0, robots=0.3)
    with LocalWeb([path]) as web:
        yield crawl_words(made, web)


def crawled(run_in_turn: Run, ranks: int, crawls: dict[Path, list[str]]) -> list[Session]:
    """The sessions of crawls by page hash with these arguments, whose books balance."""
    by_hash = ["--assign", "page-hash"]
    done = run_in_turn(ranks, *([*arguments, *by_hash, "--out", str(out)] for out, arguments in crawls.items()))
    assert done.returncode == 0, done.stderr
    return [balanced(out) for out in crawls]


def balanced(out: Path) -> Session:
    """A session that is good, and in which each URL is accounted for once."""
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


def test_ranks_find_the_same_as_in_memory_and_send_each_url_once(
    run_in_turn: Run, crawl: list[str], tmp_path: Path
) -> None:
    on_disk = {tmp_path / order: [*crawl, *TINY, "--order", order] for order in ORDERS}
    usual, *others = crawled(run_in_turn, 3, {tmp_path / "usual": crawl, **on_disk})
    for session in others:
        assert session.ended is not None
        assert session.ended["reason"] == "complete"
        assert found(session) == found(usual)
        sent = [report["sent_urls"] for report in session.rank_reports()]
        assert sent == [report["sent_urls"] for report in usual.rank_reports()]
        assert all(report["resent"] == 0 for report in session.rank_reports())


@pytest.fixture(scope="module")
def limited(
    run_in_turn: Run, crawl: list[str], tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, int], Session]:
    """Sessions by order and limit."""
    how = [*crawl, *TINY, "--max-depth", "3", "--exclude", "[37]"]
    folder, kinds = tmp_path_factory.mktemp("limited"), list(product(ORDERS, LIMITS))
    crawls = {
        folder / f"{order}-{limit}": [*how, "--order", order, "--max-pages", str(limit)] for order, limit in kinds
    }
    return dict(zip(kinds, crawled(run_in_turn, 3, crawls), strict=True))


@pytest.mark.parametrize("order", ORDERS)
def test_limits_hold_and_the_books_balance(limited: dict[tuple[str, int], Session], order: str) -> None:
    for limit in LIMITS:
        session = limited[order, limit]
        assert session.ended is not None
        pages = session.read("pages", ["depth"])["depth"].to_pylist()
        assert len(pages) == limit or session.ended["reason"] == "complete"
        assert len(pages) <= limit
        assert max(pages) <= 3

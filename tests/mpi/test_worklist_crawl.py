"""Crawls that keep to a worklist: what they fetch, in what order, and that they lose nothing when they go on."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from crawler.worklist.manifest import RankedSession
from crawler.worklist.rows import KINDS, NEW, OLD
from crawler.worklist.worklist import open_worklist
from sessions.checking.check import check_session
from sessions.session import Session
from tests.crawler.support.worklists import in_order, new_row, old_row, write_worklist
from tests.mpi.conftest import Run

HOSTS, PAGES = 12, 40
"""Of each host the first half of the pages is old."""


class Pages(SimpleHTTPRequestHandler):
    """The same files for every host."""

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[int]:
    """The port of a server of pages, each of which links to one that no list has."""
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(PAGES):
        (folder / f"{number}.html").write_text(f"<p>page {number}<a href=/new{number % 3}.html>")
    for number in range(3):
        (folder / f"new{number}.html").write_text("<p>found")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def url(host: int, page: int) -> str:
    return f"http://h{host}.example/{page}.html"


def crawl(port: int) -> list[str]:
    options = ["-m", "crawler", "crawl", "--connect-to", f"::127.0.0.1:{port}", "--superstep", "0.05"]
    return [*options, "--delay", "0", "--server-delay", "0"]


@pytest.fixture
def listed(run_ranks: Run, tmp_path: Path, origin: int) -> Path:
    """A worklist of the pages of all hosts; the old ones were fetched by a session."""
    seeds = [url(host, page) for host in range(HOSTS) for page in range(PAGES // 2)]
    (tmp_path / "seeds.txt").write_text("\n".join(seeds))
    arguments = ["--seeds", str(tmp_path / "seeds.txt"), "--max-depth", "0", "--out", str(tmp_path / "first")]
    done = run_ranks(1, *crawl(origin), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    first = Session.open(tmp_path / "first")
    # Priorities that no order of hosts or pages has.
    draws = iter(np.random.default_rng(1).permutation(HOSTS * PAGES).tolist())
    rows = [
        (old_row if page < PAGES // 2 else new_row)(url(host, page), next(draws))
        for host in range(HOSTS)
        for page in range(PAGES)
    ]
    ranked = RankedSession(str(first.path), first.header["run"], first.header["started"])
    write_worklist(tmp_path / "list", in_order(rows), seeds=[url(0, 0)], sessions=(ranked,))
    return tmp_path / "list"


def assert_kept_to_list(session: Session) -> None:
    """Every listed page was fetched once, nothing else was, and the counters say so."""
    assert check_session(session.path).is_good
    pages = session.read("pages", ["url", "depth"])
    assert Counter(pages["url"].to_pylist()) == Counter(url(h, p) for h in range(HOSTS) for p in range(PAGES))
    reports = session.rank_reports()
    half = HOSTS * PAGES // 2
    for name in ("listed", "listed_fetched"):
        assert sum((Counter(report[name]) for report in reports), Counter()) == {NEW: half, OLD: half}
    frontier = session.read("frontier", ["reason"])["reason"].to_pylist()
    assert frontier == ["not-listed"] * 3 * HOSTS
    assert session.ended is not None
    assert session.ended["reason"] == "worklist"


def assert_first_things_first(session: Session, worklist: Path) -> None:
    """Of each rank and kind, what was fetched first stands in the first fifth of that rank's list."""
    pages = session.read("pages", ["hash", "rank", "fetched"])
    hashes, ranks = pages["hash"].to_numpy(), pages["rank"].to_numpy()
    in_time = np.lexsort((pages["fetched"].to_numpy(),))
    for kind in KINDS:
        rows = np.concatenate([placed.batch["hash"].to_numpy() for placed in open_worklist(worklist).rows(kind)])
        for rank in np.unique(ranks):
            mine = rows[np.isin(rows, hashes[ranks == rank])]
            fetched = hashes[in_time][np.isin(hashes[in_time], mine)]
            places = [int(np.flatnonzero(mine == one)[0]) for one in fetched[: len(mine) // 10]]
            assert np.mean(np.array(places) < len(mine) / 5) >= 0.95, (kind, rank, places)


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 4])
def test_a_worklist_is_worked_off_in_its_order(
    run_ranks: Run, tmp_path: Path, origin: int, listed: Path, ranks: int
) -> None:
    out = tmp_path / "second"
    # Pages without a validator are asked for as they are.
    arguments = ["--worklist", str(listed), "--assign", "page-hash", "--new-share", "0.5"]
    done = run_ranks(ranks, *crawl(origin), *arguments, "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    session = Session.open(out)
    assert_kept_to_list(session)
    assert_first_things_first(session, listed)


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.long), 3])
def test_a_crawl_by_a_worklist_goes_on(run_ranks: Run, tmp_path: Path, origin: int, listed: Path, ranks: int) -> None:
    out = tmp_path / "second"
    done = run_ranks(2, *crawl(origin), "--worklist", str(listed), "--max-pages", "100", "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    taken = [Counter(report["handed_out"]) for report in Session.open(out).rank_reports()]
    assert all(abs(one[OLD] - one.total() / 10) < 1 for one in taken)
    done = run_ranks(ranks, *crawl(origin), "--resume", str(out), "--max-pages", "100000")
    assert done.returncode == 0, done.stdout + done.stderr
    assert_kept_to_list(Session.open(out))


def test_beyond_the_list_links_are_followed(run_ranks: Run, tmp_path: Path, origin: int, listed: Path) -> None:
    out = tmp_path / "second"
    done = run_ranks(2, *crawl(origin), "--worklist", str(listed), "--beyond", "--scope", "all", "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    session = Session.open(out)
    assert check_session(out).is_good
    assert session.ended is not None
    assert session.ended["reason"] == "complete"
    assert len(session.read("pages", ["hash"])) == HOSTS * (PAGES + 3)

"""Replays and crawls in every order: as a plain list of what waits says, as estimated, and after a resume."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.random_order import random_keys
from crawler.replay.course import course_of
from crawler.replay.estimation.estimate import estimate
from crawler.replay.ownership import ownership_by_hash
from crawler.replay.recording import Recording, recording_of
from crawler.replay.settings import ReplaySettings
from sessions.checking.check import check_session
from sessions.importing.edges import import_edges
from sessions.session import Session
from tests.crawler.replay.support.sequential_orders import in_sequence
from tests.crawler.support.worklists import in_order, new_row, write_worklist
from tests.mpi.conftest import Run
from tests.mpi.test_crawl_on_disk import balanced, found

PAGES, LINKS, SITES, GRAIN, SEED, RANKED = 300, 1200, 9, 7, 5, 3
ORDERS = ("bfs", "backlink", "backlink-page", "priority", "random")
TINY = ["--frontier-memory", "0.001"]

Runs = Callable[[int], Path]


def settings_of(order: str, folder: Path) -> ReplaySettings:
    return ReplaySettings(
        GRAIN,
        order=order,
        order_settings=OrderSettings(1, RANKED, SEED, folder / "list" if order == "priority" else None),
    )


def priorities(recording: Recording) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of every third URL none, of the others one of few."""
    numbers = recording.hashes % np.uint64(5)
    return np.where(recording.hashes % np.uint64(3) == 0, -np.inf, numbers.astype(np.float64))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session, and a worklist for it."""
    folder = tmp_path_factory.mktemp("recorded")
    random = np.random.default_rng(8)
    sources, targets = random.integers(0, PAGES, LINKS), (random.zipf(1.4, LINKS) - 1) % PAGES
    (folder / "edges.txt").write_text("".join(f"{a} {b}\n" for a, b in zip(sources, targets, strict=True)))
    sites = random.integers(0, SITES, PAGES)
    (folder / "urls.txt").write_text("".join(f"http://s{site}.example/{page}\n" for page, site in enumerate(sites)))
    import_edges(folder / "edges.txt", folder / "session", urls=folder / "urls.txt")
    recording = recording_of(folder / "session")
    listed = zip(recording.urls.to_pylist(), priorities(recording).tolist(), strict=True)
    write_worklist(folder / "list", in_order([new_row(url, first) for url, first in listed if np.isfinite(first)]))
    return folder


@pytest.fixture(scope="module")
def runs(run_in_turn: Run, recorded: Path) -> Runs:
    """The folder of the replays at a K, in memory and on disk, made when it is first asked for."""

    @cache
    def run(ranks: int) -> Path:
        folder = recorded / str(ranks)
        folder.mkdir()
        usual = [str(recorded / "session"), "--assign", "page-hash"]
        usual += ["--pages-per-superstep", str(GRAIN), "--rerank", "1", "--ranked-sites", str(RANKED)]
        replays = [
            [_command(order, name), *usual, "--order", order, *asked, *memory, "--out", str(folder / f"{order}-{name}")]
            for order in ORDERS
            for asked in [
                {"priority": ["--priorities", str(recorded / "list")]}.get(order, ["--order-seed", str(SEED)])
            ]
            for name, memory in (("usual", []), ("tiny", TINY))
        ]
        done = run_in_turn(ranks, *replays)
        assert done.returncode == 0, done.stderr[-3000:]
        return folder

    return run


def _command(order: str, name: str) -> str:
    """One replay has a report, too."""
    return "replay" if (order, name) == ("priority", "usual") else "replay without report"


def fetched(path: Path, recording: Recording) -> list[int]:
    pages: list[int] = course_of(Session.open(path), recording).fetches.page.tolist()
    return pages


@pytest.mark.parametrize("order", ORDERS)
def test_one_rank_fetches_as_a_plain_list_says(runs: Runs, recorded: Path, order: str) -> None:
    recording = recording_of(recorded / "session")
    keys = {"random": random_keys(recording.hashes, SEED), "priority": -priorities(recording)}.get(order, np.empty(0))
    expected = in_sequence(recording, order, GRAIN, keys.tolist(), RANKED)
    assert sorted(expected) == list(range(recording.page_count))
    assert fetched(runs(1) / f"{order}-usual", recording) == expected


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "backlink-page"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_in_next_to_no_memory_the_order_is_the_same(runs: Runs, recorded: Path, ranks: int, order: str) -> None:
    recording = recording_of(recorded / "session")
    usual, tiny = (fetched(runs(ranks) / f"{order}-{name}", recording) for name in ("usual", "tiny"))
    assert usual == tiny


@pytest.mark.parametrize("ranks", [1, 3])
def test_nothing_is_lost_on_disk_by_back_links_of_pages(runs: Runs, recorded: Path, ranks: int) -> None:
    recording = recording_of(recorded / "session")
    assert sorted(fetched(runs(ranks) / "backlink-page-tiny", recording)) == list(range(recording.page_count))


@pytest.mark.parametrize("order", ["bfs", "priority", "random"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_the_estimate_takes_the_same_course(runs: Runs, recorded: Path, ranks: int, order: str) -> None:
    recording = recording_of(recorded / "session")
    told = course_of(Session.open(runs(ranks) / f"{order}-usual"), recording)
    estimated = estimate(recording, ownership_by_hash(recording, "page-hash", ranks), settings_of(order, recorded))
    assert estimated.supersteps == told.supersteps
    for part in ("fetches", "messages"):
        for name in vars(getattr(told, part)):
            assert getattr(getattr(estimated, part), name).tolist() == getattr(getattr(told, part), name).tolist()


def test_ranks_are_told_what_links_lead_to_their_urls(runs: Runs, recorded: Path) -> None:
    """Of what is known at a superstep's beginning each rank takes by back-links, those of all ranks."""
    recording = recording_of(recorded / "session")
    session = Session.open(runs(3) / "backlink-page-usual")
    fetches = course_of(session, recording).fetches
    links = [recording.targets[recording.starts[page] : recording.starts[page + 1]] for page in range(PAGES)]
    counts = np.zeros(len(recording), np.int64)
    for superstep in range(int(fetches.superstep.max()) + 1):
        here = fetches.superstep == superstep
        for rank in range(3):
            mine = fetches.page[here & (fetches.rank == rank)]
            taken_first = counts[mine][: GRAIN if superstep > 3 else 0]
            is_full = len(mine) == GRAIN and superstep > 3
            assert not is_full or (np.diff(taken_first) <= 0).all()
        for page in fetches.page[here].tolist():
            counts[links[page]] += 1
    reports = session.rank_reports()
    assert all(report["order_bytes"] % 12 == 0 and report["order_bytes"] > 0 for report in reports)
    alone = Session.open(runs(1) / "backlink-page-usual").rank_reports()
    assert [report["order_bytes"] for report in alone] == [0]


@pytest.mark.parametrize(
    "order", ["backlink", *(pytest.param(order, marks=pytest.mark.long) for order in ("backlink-page", "random"))]
)
def test_a_crawl_goes_on_in_its_order_with_another_k(
    run_in_turn: Run, crawl_arguments: list[str], tmp_path: Path, order: str
) -> None:
    _, _, *crawl = crawl_arguments
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    usual = [*crawl, "--order", order, "--assign", "page-hash"]
    done = run_in_turn(2, [*usual, "--max-pages", "60", "--out", str(begun)], [*usual, "--out", str(whole)])
    assert done.returncode == 0, done.stderr
    done = run_in_turn(3, ["crawl", "--resume", str(begun), "--max-pages", "100000"])
    assert done.returncode == 0, done.stderr
    assert check_session(begun).is_good
    assert found(balanced(begun)) == found(balanced(whole))

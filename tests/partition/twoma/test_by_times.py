"""Cuts by what pages take: expected seconds as a cost and as a weight, and what goes on from map to map."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from crawler.main import cutweb
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.map.partition_map import PartitionMap
from partition.twoma.learner import LearnerSettings
from partition.twoma.rank_seconds import rank_seconds, states_of_map
from partition.twoma.site_states import STATES, SiteStates
from partition.twoma.site_times import site_times
from sessions.session import Session
from tests.partition.twoma.support.crawled import Fetch, crawled
from tests.sessions.support.breaking import edit_header

SITES, PAGES = 8, 4
QUICK = ("--effort", "low", "--tolerance", 0.1)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["partition", *map(str, arguments)], catch_exceptions=False)


def pages_at(site: int, rank: int, count: int) -> list[Fetch]:
    """Pages of a site that is near to the rank of its number's parity; each has a block of addresses of its own."""
    return [Fetch(f"s{site}.example", rank, 10.0 if site % 2 == rank else 100.0, f"192.0.{site}.1")] * count


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Eight sites of four pages, three quarters of each at rank 0: every site was measured at both ranks."""
    fetches = [fetch for site in range(SITES) for fetch in [*pages_at(site, 0, 3), *pages_at(site, 1, 1)]]
    return crawled(tmp_path / "crawl", fetches)


def seen(
    session: Path, learning: LearnerSettings | None = None, k: int = 2
) -> tuple[LinkGraph, np.ndarray, np.ndarray]:
    """The graph of a first session, and expected and wanted seconds of its sites."""
    opened = Session.open(session)
    graph = link_graph(opened)
    found = rank_seconds(graph, site_times(opened, k), SiteStates.none(k), learning, 1)
    return graph, found.expected, found.wanted


def test_what_pages_are_expected_to_take_and_weigh(session: Path) -> None:
    opened = Session.open(session)
    graph = link_graph(opened)
    found = rank_seconds(graph, site_times(opened, 2), SiteStates.none(2), None, 1)
    numbers = [int(name[1]) for name in graph.site_names]
    near = [[0.01, 0.1] if number % 2 == 0 else [0.1, 0.01] for number in numbers]
    assert np.allclose(found.expected, near)
    assert (found.wanted == found.expected).all()
    assert (found.site_microseconds == np.round(np.array(near) * 1e6)).all()
    assert found.weighed(graph).microseconds.tolist() == [55_000] * (SITES * PAGES)
    parts = np.array([numbers[site] % 2 for site in graph.sites], np.int32)
    assert np.allclose(found.at_ranks(graph, parts), [0.01 * SITES * PAGES / 2] * 2)
    assert np.allclose(found.at_ranks(graph, 1 - parts), [0.1 * SITES * PAGES / 2] * 2)


def test_a_learner_is_heard_where_nobody_was(tmp_path: Path) -> None:
    far = [fetch for site in range(SITES) for fetch in pages_at(site, (site + 1) % 2, PAGES)]
    _graph, expected, wanted = seen(crawled(tmp_path / "far", far), LearnerSettings("try-all"))
    is_elsewhere = np.isclose(wanted, 0)
    assert is_elsewhere.sum(axis=1).tolist() == [1] * SITES
    assert (wanted[~is_elsewhere] == expected[~is_elsewhere]).all()
    assert (expected > 0).all()


def test_a_learner_is_not_heard_where_a_neighbour_was(tmp_path: Path) -> None:
    beside = [Fetch(f"s{site}.example", site % 2, 100.0, "192.0.2.1") for site in range(SITES)]
    _graph, expected, wanted = seen(crawled(tmp_path / "beside", beside), LearnerSettings("try-all"))
    assert (wanted == expected).all()


def test_time_brings_pages_to_where_they_take_least(session: Path, tmp_path: Path) -> None:
    told = {}
    for model in ("page", "site", "prefix"):
        words = (session, "--parts", 2, "--model", model, *QUICK)
        done = run(*words, "--time-cost", 1e6, "--out", tmp_path / model)
        assert (done.exit_code, done.stderr) == (0, "")
        told[model] = PartitionMap.open(tmp_path / model).manifest.origin.settings
        assert told[model]["rank_seconds"] == [0.16, 0.16]
        assert "expected seconds of requests, each page at its rank: 0.32; most at rank 0, 0.16 (imbalance 0.0%)" in (
            done.stdout
        )
        standing = states_of_map(tmp_path / model, 2)
        assert {site: int(site[1]) % 2 for site in standing.sites} == dict(
            zip(standing.sites, standing.standing.parts.tolist(), strict=True)
        )
    assert (told["page"]["time_cost"], told["page"]["runs"], "learn" in told["page"]) == (1e6, 1, False)


def test_seconds_are_a_third_weight(session: Path, tmp_path: Path) -> None:
    words = ("--balance", "bytes,requests,seconds=0.2", "--out", tmp_path / "map", "--html", tmp_path / "page.html")
    done = run(session, "--parts", 2, "--model", "prefix", *QUICK, *words)
    assert (done.exit_code, done.stderr) == (0, "")
    origin = PartitionMap.open(tmp_path / "map").manifest.origin
    assert origin.settings["balance"] == {"storage": 0.1, "requests": 0.1, "seconds": 0.2}
    assert origin.imbalances["seconds"] <= 0.2
    assert (tmp_path / "map" / STATES).exists()
    assert "Expected seconds" in (tmp_path / "page.html").read_text()


def test_bytes_and_requests_alone_are_cut_as_ever(session: Path, tmp_path: Path) -> None:
    words = (session, "--parts", 2, "--model", "page", *QUICK)
    assert run(*words, "--out", tmp_path / "one").exit_code == 0
    assert run(*words, "--balance", "bytes,requests", "--out", tmp_path / "other").exit_code == 0
    assert not (tmp_path / "one" / STATES).exists()
    one, other = (PartitionMap.open(tmp_path / name) for name in ("one", "other"))
    graph = link_graph(Session.open(session))
    urls = graph.urls.to_pylist()
    assert (one.parts_of(graph.hashes, urls) == other.parts_of(graph.hashes, urls)).all()


def test_it_goes_on_from_any_map_of_as_many_ranks(session: Path, tmp_path: Path) -> None:
    words = ("--parts", 2, "--model", "prefix", *QUICK)
    assert run(session, *words, "--out", tmp_path / "without").exit_code == 0
    timed = (*words, "--learn", "settling", "--time-cost", 10)
    for number, before in enumerate(["without", "map-0", "map-1"]):
        out = tmp_path / f"map-{number}"
        done = run(session, *timed, "--previous-map", tmp_path / before, "--out", out)
        assert (done.exit_code, done.stderr) == (0, "")
        settings = PartitionMap.open(out).manifest.origin.settings
        assert (settings["runs"], settings["learn"]) == (number + 1, "settling")
        assert (states_of_map(out, 2).experience.visits == number + 1).all()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--learn", "twoma"],
            "--learn is for a model that is learnt (twoma), or for one that is cut with --time-cost",
        ),
        (["--learn", "twoma", "--balance", "bytes,seconds"], "--learn is for a model that is learnt (twoma), or for"),
        (["--time-cost", 1, "--states", 3], "--states says how --learn twoma learns, which is missing"),
        (
            ["--time-cost", 1, "--learn", "settling", "--states", 3],
            "--states is for --learn twoma, and --learn settling",
        ),
        (["--time-cost", 1, "--model", "twoma"], "--time-cost is for models that are cut, and --model twoma is learnt"),
        (["--time-cost", 1, "--model", "page", "--ranks", 2], "--ranks: a cut with --time-cost is made by one process"),
        (
            ["--time-cost", 1, "--model", "page", "--streaming"],
            "--streaming: a cut with --time-cost is made as a whole",
        ),
    ],
)
def test_words_that_do_not_go_together(session: Path, tmp_path: Path, words: list[object], told: str) -> None:
    done = run(session, "--parts", 2, "--model", "prefix", "--out", tmp_path / "map", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"cutweb partition: {told}")
    assert not (tmp_path / "map").exists()


def _imported(folder: Path) -> list[object]:
    edit_header(folder / "crawl", lambda header: header["configuration"].update({"import": "edges"}))
    return ["--time-cost", 1]


def _weighed_imported(folder: Path) -> list[object]:
    _imported(folder)
    return ["--balance", "seconds"]


def _replayed(folder: Path) -> list[object]:
    edit_header(folder / "crawl", lambda header: header["configuration"].update(replay={"latency": None}))
    return ["--time-cost", 1]


def _of_a_list(_folder: Path) -> list[object]:
    return ["--time-cost", 1, "--model", "url-range"]


def _of_other_ranks(folder: Path) -> list[object]:
    run(folder / "crawl", "--parts", 3, "--out", folder / "other", *QUICK)
    return ["--time-cost", 1, "--previous-map", folder / "other"]


def _damaged(folder: Path) -> list[object]:
    run(folder / "crawl", "--parts", 2, "--time-cost", 1, "--out", folder / "other", *QUICK)
    path = folder / "other" / STATES
    path.write_bytes(path.read_bytes()[:-20])
    return ["--time-cost", 1, "--previous-map", folder / "other"]


def _of_other_parts(_folder: Path) -> list[object]:
    return ["--time-cost", 1, "--parts", 3]


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        (_imported, "crawl: was imported and not crawled, so no rank's times were measured"),
        (_weighed_imported, "crawl: was imported and not crawled, so no rank's times were measured"),
        (_replayed, "crawl: was replayed without --latency, so its times are not those of its ranks"),
        (_of_other_parts, "crawl: was crawled by K = 2, which says nothing of 3 ranks; give --parts 2"),
        (_of_a_list, "crawl: the url-range model follows from the balance alone, so there is nothing to weigh a time"),
        (_of_other_ranks, "other: has 3 parts, which says nothing of 2 ranks; name a map of 2"),
        (_damaged, "other/states.parquet: is "),
    ],
)
def test_what_has_no_times(session: Path, tmp_path: Path, prepare: Callable[[Path], list[object]], told: str) -> None:
    words = prepare(tmp_path)
    done = run(session, "--parts", 2, "--model", "prefix", "--out", tmp_path / "map", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"cutweb partition: {tmp_path}/{told}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "map").exists()

"""Crawl points at different places, by replay at four ranks: near pages take a fraction, and links have their price."""

from collections import Counter
from pathlib import Path

import pytest

from partition.map.manifest import read_manifest
from scripts.twoma.session_chain import Crawled, ReplayedPoints, chain, partition
from scripts.twoma.unequal_web import RANKS, latencies, make_unequal_web
from sessions.session import Session

SITES = 40
COST, LOWER_COST = "2000", "20"


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> ReplayedPoints:
    folder = tmp_path_factory.mktemp("points")
    web = make_unequal_web(folder, sites=SITES)
    (folder / "latencies").write_text(latencies(web))
    return ReplayedPoints(web.session, folder / "latencies")


@pytest.fixture(scope="module")
def first(points: ReplayedPoints, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return points.crawl(tmp_path_factory.mktemp("first") / "session")


@pytest.mark.long
def test_a_cut_that_knows_times_is_done_sooner(points: ReplayedPoints, first: Crawled, tmp_path: Path) -> None:
    timed = ("--model", "prefix", "--effort", "low", "--learn", "settling", "--time-cost")
    *_, second = chain(points, first, tmp_path / "chain", 2, (*timed, COST))
    assert second.makespan <= 0.6 * first.makespan
    assert max(second.imbalances["bytes"], second.imbalances["requests"]) <= 0.1
    assert second.imbalances["seconds"] <= 0.5
    cheaper = partition(first, tmp_path / "map", *timed, LOWER_COST)
    dearer = tmp_path / "chain" / "map-2"
    assert read_manifest(cheaper).origin.volumes["sent_bytes"] < read_manifest(dearer).origin.volumes["sent_bytes"]
    seconds = [read_manifest(made).origin.settings["rank_seconds"] for made in (cheaper, dearer)]
    assert sum(seconds[0]) > 2 * sum(seconds[1])


def test_the_web_is_what_it_says(points: ReplayedPoints) -> None:
    pages = Session.open(points.recorded).read("pages", ["site", "ip"])
    assert set(Counter(pages["site"].to_pylist()).values()) == {25}
    blocks = Counter(ip.rsplit(".", 1)[0] for ip in pages["ip"].to_pylist())
    assert list(blocks.values()) == [SITES * 25 // RANKS] * RANKS

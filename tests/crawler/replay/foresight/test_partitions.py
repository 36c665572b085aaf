"""Partitions of one session that others are replayed by."""

from pathlib import Path

import numpy as np
import pytest

from crawler.replay.foresight import partitions as module
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.foresight.request import Candidate
from crawler.replay.recording import recording_of
from partition.cut.metis import MetisError
from partition.graphs.link_graph import GraphError
from partition.map.manifest import SHARDS
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from tests.partition.quality.support.webs import SmallWeb, ring

QUICK = Settings(effort="low", threads=1, tolerance=0.3)
NUMBERED = SmallWeb(dict.fromkeys([f"http://pages.invalid/{number}" for number in range(4)], 1), (), ())


def test_each_partition_is_made_once(tmp_path: Path) -> None:
    told: list[str] = []
    cuts = Cuts(ring().graph(), QUICK, tmp_path, told.append)
    for rule in ("prefix", "site", "discoverer"):
        assert cuts.problem(Candidate("page", rule, 4)) is None
        assert cuts.problem(Candidate("page", rule, 2)) is None
    assert told == ["cutting by page for 4 ranks", "cutting by page for 2 ranks"]
    assert {path.name for path in tmp_path.iterdir()} == {"page-4", "page-2"}


def test_ownership_is_that_of_the_partition_and_of_the_rule(tmp_path: Path) -> None:
    recording = recording_of(ring().session(tmp_path / "ring"))
    graph = ring().graph()
    cuts = Cuts(graph, QUICK, tmp_path, lambda _: None)
    found = cuts.ownership(recording, Candidate("prefix", "discoverer", 4))
    expected = dict(zip(graph.urls.to_pylist(), partition_pages(graph, "prefix", 4, QUICK).parts, strict=True))
    assert found.owners[:40].tolist() == [expected[url] for url in recording.urls[:40].to_pylist()]
    assert found.owners[40:].tolist() == [-1] * 5
    hashed = cuts.ownership(recording, Candidate("page-hash", None, 4))
    assert hashed.owners.tolist() == (recording.hashes % np.uint64(4)).tolist()


def test_a_map_takes_what_its_files_take_and_a_hash_nothing(tmp_path: Path) -> None:
    cuts = Cuts(ring().graph(), QUICK, tmp_path, lambda _: None)
    size = cuts.map_bytes(Candidate("page", "site", 2))
    assert size == (tmp_path / "page-2" / SHARDS).stat().st_size > 0
    assert cuts.map_bytes(Candidate("page-hash", None, 2)) == 0


def test_models_that_are_left_out_are_told_once_for_each_k(tmp_path: Path) -> None:
    cuts = Cuts(ring().graph(), QUICK, tmp_path, lambda _: None)
    hashed, *cut = candidates = [
        Candidate("page-hash", None, 8),
        *(Candidate("site", rule, k) for k in (4, 8, 9) for rule in ("prefix", "site")),
    ]
    allowed, left_out = cuts.allowed(candidates)
    assert allowed == [hashed, *cut[:2]]
    assert [(left.model, left.k) for left in left_out] == [("site", 8), ("site", 9)]
    assert all("4 sites" in left.reason for left in left_out)


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (Candidate("page", "prefix", 41), "41 parts of 40 pages"),
        (Candidate("site", "prefix", 5), "5 parts of 4 sites"),
    ],
)
def test_what_the_session_does_not_allow_is_a_problem(tmp_path: Path, candidate: Candidate, told: str) -> None:
    cuts = Cuts(ring().graph(), QUICK, tmp_path, lambda _: None)
    for _ in range(2):
        problem = cuts.problem(candidate)
        assert problem is not None
        assert told in problem
    with pytest.raises(GraphError, match=told):
        cuts.map_bytes(candidate)
    assert list(tmp_path.iterdir()) == []


def test_without_urls_there_are_only_pages(tmp_path: Path) -> None:
    cuts = Cuts(NUMBERED.graph(), QUICK, tmp_path, lambda _: None)
    assert cuts.problem(Candidate("prefix", "prefix", 2)) == "the pages have no URLs"
    assert cuts.problem(Candidate("site-hash", None, 2)) == "the pages have no URLs"
    assert cuts.problem(Candidate("page-hash", None, 2)) is None
    assert cuts.problem(Candidate("page", "prefix", 2)) is None


def test_a_cut_that_fails_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MetisError("it broke")

    monkeypatch.setattr(module, "partition_pages", fail)
    assert Cuts(ring().graph(), QUICK, tmp_path, lambda _: None).problem(Candidate("page", "hash", 2)) == "it broke"


def test_an_empty_part_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "empty_parts", lambda parts, k: 2)
    problem = Cuts(ring().graph(), QUICK, tmp_path, lambda _: None).problem(Candidate("page", "hash", 4))
    assert problem == "2 of its parts would be empty"


def test_unbalanced_partitions_are_named(tmp_path: Path) -> None:
    pages = {"http://a.example/": 1000} | {f"http://b.example/{number}": 1 for number in range(10)}
    cuts = Cuts(SmallWeb(pages, (), ()).graph(), Settings(effort="low", threads=1), tmp_path, lambda _: None)
    assert cuts.unbalanced == []
    cuts.problem(Candidate("page", "prefix", 2))
    assert cuts.unbalanced == [("page", 2)]

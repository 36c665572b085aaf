"""Owners of all URLs of a recording, against the assignments that a crawl asks."""

from pathlib import Path

import numpy as np
import pytest

from crawler.replay import ownership as ownership_module
from crawler.replay.ownership import FINDER, ownership_by_hash, ownership_by_map
from partition.assignment.assignment import assignment_named
from partition.choices import ASSIGNMENTS, UNKNOWN_RULES
from partition.map.manifest import MapError
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.session import DISCOVERER
from tests.crawler.replay.support.courses import recording_with
from tests.partition.map.support.maps import URLS, make_map

NAMES = [*URLS[50:120], "http://s1.example/d1/new", "http://nowhere.example/", "https://s2.example/d0/0?new"]
RECORDING = recording_with([1] * 60, [], seeds=[0], others=len(NAMES) - 60, names=NAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("maps") / "map"
    make_map(path, k=4, shard_urls=60)
    return path


@pytest.mark.parametrize("name", sorted(ASSIGNMENTS))
def test_hash_assignments_own_as_in_a_crawl(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership_module, "_AT_ONCE", 16)
    found = ownership_by_hash(RECORDING, name, 5)
    assert (found.ranks, found.name, found.numbers) == (5, name, None)
    assert found.owners.tolist() == assignment_named(name, 5).owners(RECORDING.hashes, NAMES).tolist()
    assert found.owners.dtype == np.int32
    assert found.seed_owners.tolist() == found.owners.tolist()
    assert not found.unknown.any()


def test_an_unknown_assignment_is_refused() -> None:
    with pytest.raises(ValueError, match="by-colour"):
        ownership_by_hash(RECORDING, "by-colour", 5)


@pytest.mark.parametrize("rule", [None, *UNKNOWN_RULES])
def test_maps_own_as_in_a_crawl(folder: Path, rule: str | None) -> None:
    table = PartitionMap.open(folder)
    found = ownership_by_map(RECORDING, folder, rule)
    is_unknown = [url not in URLS for url in NAMES]
    assert found.unknown.tolist() == is_unknown
    assert found.numbers is not None
    assert found.numbers.tolist() == table.numbers(RECORDING.hashes, RECORDING.urls.to_pylist()).tolist()
    for rank in range(4):
        crawl = PartitionAssignment(table, rank, rule)
        assert (found.ranks, found.name) == (crawl.ranks, crawl.name)
        owners = np.where(found.owners == FINDER, rank, found.owners)
        assert owners.tolist() == crawl.owners(RECORDING.hashes, NAMES).tolist()
        assert found.seed_owners.tolist() == crawl.for_seeds().owners(RECORDING.hashes, NAMES).tolist()
    assert (found.owners == FINDER).tolist() == [unknown and rule == DISCOVERER for unknown in is_unknown]


def test_an_open_map_will_do(folder: Path) -> None:
    by_folder, by_table = (ownership_by_map(RECORDING, its) for its in (str(folder), PartitionMap.open(folder)))
    assert by_folder.owners.tolist() == by_table.owners.tolist()


def test_what_is_no_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=r"partition\.json: no such file"):
        ownership_by_map(RECORDING, tmp_path)

"""Ranks write a map together: the same one, whoever has the rows, and none if one rank cannot go on."""

from pathlib import Path

import pytest

from partition.map.manifest import PARTS_TABLE, SHARDS, Origin, read_manifest
from partition.map.write_map import build_map
from tests.mpi.conftest import Run
from tests.partition.map.support.maps import URLS, batches_of, parts_for

SCRIPT = str(Path(__file__).with_name("map_ranks.py"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("ranks", "shards"), [(1, 7), (4, 3), *(pytest.param(*each, marks=pytest.mark.long) for each in ((2, 2), (3, 7)))]
)
def test_the_map_is_the_same_for_any_ranks(run_ranks: Run, tmp_path: Path, ranks: int, shards: int) -> None:
    part_of, shard_urls = dict(zip(URLS, parts_for(URLS, 4).tolist(), strict=True)), -(-len(URLS) // shards)
    rows = batches_of(part_of, 50)
    build_map(tmp_path / "alone", Origin("page"), k=4, rows=rows, prefixes=None, shard_urls=shard_urls)
    done = run_ranks(ranks, SCRIPT, str(tmp_path / "map"), str(shard_urls))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("is done") == ranks
    alone, together = contents(tmp_path / "alone"), contents(tmp_path / "map")
    tables = [PARTS_TABLE] if shards == 1 else [f"{PARTS_TABLE}/{shard:05}.parquet" for shard in range(shards)]
    assert sorted(together) == sorted(["partition.json", SHARDS, *tables])
    assert {name: alone[name] for name in (SHARDS, *tables)} == {name: together[name] for name in (SHARDS, *tables)}
    assert read_manifest(tmp_path / "map").shards == read_manifest(tmp_path / "alone").shards
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "map", "refused"]
    assert [path.name for path in (tmp_path / "refused").iterdir()] == ["mine"]


@pytest.mark.parametrize("step", ["KeySample", "_sort_out", "write_shard", "_described"])
def test_no_map_is_left_where_a_rank_dies(run_ranks: Run, tmp_path: Path, step: str) -> None:
    done = run_ranks(2, SCRIPT, str(tmp_path / "map"), "30", step)
    assert done.returncode != 0
    assert "is done" not in done.stdout
    assert not (tmp_path / "map").exists()
    assert all(path.name.endswith(".partial") for path in tmp_path.iterdir())

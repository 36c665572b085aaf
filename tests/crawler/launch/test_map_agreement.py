"""All ranks hold one map, or the crawl does not begin."""

import shutil
from pathlib import Path

import pytest
from xxhash import xxh3_64_hexdigest

from crawler.config.command_line import UsageError
from crawler.launch.map_agreement import HeldMap, agreed_map, look_at
from partition.map.manifest import SHARDS, read_manifest
from tests.partition.map.support.maps import make_map


@pytest.fixture(params=[1000, 70])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    make_map(tmp_path / "map", shard_urls=request.param)
    return tmp_path / "map"


def refusal(folder: Path, held: list[HeldMap]) -> str:
    with pytest.raises(UsageError) as caught:
        agreed_map(folder, held)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_a_map_there_is_nothing_to_hold() -> None:
    assert look_at(None) == HeldMap(None, None)


def test_copies_are_the_same_map(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert agreed_map(folder, [look_at(folder), look_at(copy)]) == read_manifest(folder)


def test_another_map_is_refused_and_its_rank_named(folder: Path, tmp_path: Path) -> None:
    make_map(tmp_path / "other", k=3)
    held = [look_at(folder), look_at(tmp_path / "other"), look_at(folder)]
    words = (
        f"--partition {folder}: rank 1 of 3 has a different partition map than the other ranks; "
        "copy one folder to all machines"
    )
    assert refusal(folder, held) == words


def test_a_damaged_map_is_refused_and_its_rank_named(folder: Path, tmp_path: Path) -> None:
    good = look_at(folder)
    path, (*_, last) = folder / SHARDS, read_manifest(folder).shards
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    found = xxh3_64_hexdigest(path.read_bytes()[-last.bytes :])
    stated = f"{last.xxh3} for shard {len(read_manifest(folder).shards) - 1}"
    problem = f"{path}: checksum mismatch: partition.json has {stated}, the file has {found}"
    assert look_at(folder) == HeldMap(None, problem)
    assert refusal(folder, [look_at(folder)] * 2) == f"--partition: {problem}"
    assert refusal(folder, [good, look_at(folder)]) == f"--partition: {problem} (found by rank 1 of 2)"


def test_a_missing_map_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "partition.json"
    words = f"--partition: {missing}: no such file; is {tmp_path / 'no'} a partition map?"
    assert refusal(tmp_path / "no", [look_at(tmp_path / "no")]) == words

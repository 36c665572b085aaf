"""A map that is damaged, or none, is refused with one line that names the file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xxhash import xxh3_64_hexdigest

from partition.map.manifest import (
    FORMAT_1_FILES,
    KEYS,
    MANIFEST,
    PARTS_TABLE,
    SHARD_KEYS,
    SHARDS,
    MapError,
    read_manifest,
)
from partition.map.partition_map import PartitionMap
from tests.partition.map.support.format_1 import write_format_1
from tests.partition.map.support.maps import URLS, make_map, parts_for


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_map(tmp_path / "map")
    return tmp_path / "map"


def refusal(folder: Path) -> str:
    with pytest.raises(MapError) as caught:
        PartitionMap.open(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("shard", range(4))
def test_every_shard_is_verified(tmp_path: Path, shard: int) -> None:
    make_map(tmp_path / "map", shard_urls=50)
    path = tmp_path / "map" / SHARDS
    whole, entries = path.read_bytes(), read_manifest(path.parent).shards
    begin = sum(entry.bytes for entry in entries[:shard])
    for place in (begin, begin + entries[shard].bytes - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        found = xxh3_64_hexdigest(path.read_bytes()[begin : begin + entries[shard].bytes])
        stated = f"{MANIFEST} has {entries[shard].xxh3} for shard {shard}"
        assert refusal(path.parent) == f"{path}: checksum mismatch: {stated}, the file has {found}"
    for other in (whole[:-1], whole + b"x", b""):
        path.write_bytes(other)
        assert refusal(path.parent) == f"{path}: is {len(other):,} bytes long, not {len(whole)}"
    path.unlink()
    assert refusal(path.parent) == f"{path}: No such file or directory"


def old_map(folder: Path) -> Path:
    write_format_1(folder, URLS, parts_for(URLS, 4), 4)
    return folder


@pytest.mark.parametrize("name", FORMAT_1_FILES)
def test_every_file_of_format_1_is_verified(tmp_path: Path, name: str) -> None:
    folder = old_map(tmp_path / "old")
    path = folder / name
    whole = path.read_bytes()
    if whole:
        path.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        stated, found = xxh3_64_hexdigest(whole), xxh3_64_hexdigest(path.read_bytes())
        assert refusal(folder) == f"{path}: checksum mismatch: {MANIFEST} has {stated}, the file has {found}"
        path.write_bytes(whole[:-1])
        assert refusal(folder) == f"{path}: is {len(whole) - 1:,} bytes long, not {len(whole)}"
    path.write_bytes(whole + b"x")
    assert refusal(folder).startswith(f"{path}: is {len(whole) + 1:,} bytes long")
    path.unlink()
    assert refusal(folder) == f"{path}: No such file or directory"


@pytest.mark.parametrize("name", [SHARDS, *(name for name in FORMAT_1_FILES if name != "site-parts.bin")])
def test_lengths_are_checked_even_where_checksums_are_not(folder: Path, tmp_path: Path, name: str) -> None:
    folder = folder if name == SHARDS else old_map(tmp_path / "old")
    path = folder / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    with pytest.raises(MapError, match=name):
        PartitionMap.open(folder, verify=False)
    path.unlink()
    with pytest.raises(MapError, match=name):
        PartitionMap.open(folder, verify=False)


def test_the_table_for_other_tools_is_not_needed(folder: Path) -> None:
    (folder / PARTS_TABLE).unlink()
    assert len(PartitionMap.open(folder)) == len(URLS)


def test_a_folder_without_manifest_is_no_map(folder: Path, tmp_path: Path) -> None:
    path = folder / MANIFEST
    path.unlink()
    assert refusal(folder) == f"{path}: no such file; is {folder} a partition map?"
    assert refusal(tmp_path / "none").startswith(f"{tmp_path / 'none' / MANIFEST}: no such file")
    path.mkdir()
    assert refusal(folder) == f"{path}: Is a directory"


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "\udcff", "[" * 100_000])
def test_a_manifest_that_is_no_json_object_is_refused(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text, errors="surrogateescape")
    assert refusal(folder).startswith(f"{folder / MANIFEST}: ")


@pytest.mark.parametrize(
    "change",
    [
        *(lambda content, key=key: content.pop(key) for key in KEYS),
        *(lambda content, key=key: content.update({key: True}) for key in KEYS[1:]),
        lambda content: content.update(format=3),
        lambda content: content.update(format=1),
        lambda content: content.update(model="nobody"),
        lambda content: content.update(unknown="nobody"),
        lambda content: content.update(parts=0),
        lambda content: content.update(parts=65536),
        lambda content: content.update(urls=-1),
        lambda content: content.update(urls=len(URLS) + 1),
        lambda content: content.update(prefixes=10**9),
        lambda content: content.update(sites=1),
        lambda content: content["files"].update({PARTS_TABLE: 3}),
        lambda content: content.update(shards=[]),
        lambda content: content["shards"].append(3),
        lambda content: content["shards"].append(content["shards"][0]),
        *(lambda content, key=key: content["shards"][0].pop(key) for key in SHARD_KEYS),
        *(lambda content, key=key: content["shards"][0].update({key: True}) for key in SHARD_KEYS),
        lambda content: content["shards"][0].update(first="a/"),
        lambda content: content["shards"][0].update(groups=-1),
        lambda content: content["shards"][0].update(tries=[0, 0]),
        lambda content: content["shards"][0].update(tries=[-8, 0, 0]),
        lambda content: content["shards"][0].update(tries=["8", 0, 0]),
        lambda content: content["shards"][0].update(urls=len(URLS) - 1),
        lambda content: content["shards"][0].update(bytes=content["shards"][0]["bytes"] - 8),
        lambda content: content["shards"][0].update(xxh3="0"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    path = folder / MANIFEST
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    assert str(folder) in refusal(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("bucket_bits"),
        lambda content: content.update(bucket_bits=9),
        lambda content: content.update(urls=len(URLS) + 1),
        lambda content: content.update(prefixes=10**9),
        lambda content: content.update(sites=1),
        lambda content: content["files"].pop("hashes.bin"),
        lambda content: content["files"].update({"hashes.bin": 3}),
        lambda content: content["files"]["hashes.bin"].pop("xxh3"),
    ],
)
def test_a_manifest_of_format_1_is_checked_as_well(tmp_path: Path, change: Callable[[Any], object]) -> None:
    path = old_map(tmp_path / "old") / MANIFEST
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    assert str(path.parent) in refusal(path.parent)


def test_a_map_of_format_1_keeps_its_identity(tmp_path: Path) -> None:
    """A crawl that goes on compares it with that of the map with which it began."""
    folder = old_map(tmp_path / "old")
    assert read_manifest(folder).identity == xxh3_64_hexdigest((folder / MANIFEST).read_bytes())


def test_what_a_later_version_adds_is_ignored(folder: Path) -> None:
    path = folder / MANIFEST
    before = read_manifest(folder)
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": "blue"}))
    assert read_manifest(folder) == before


def test_no_two_maps_have_one_identity(folder: Path, tmp_path: Path) -> None:
    identity = read_manifest(folder).identity
    make_map(tmp_path / "other", k=5)
    assert PartitionMap.open(folder).manifest.identity == identity
    assert read_manifest(tmp_path / "other").identity != identity

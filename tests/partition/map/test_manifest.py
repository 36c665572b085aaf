"""A map that is damaged, or none, is refused with one line that names the file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xxhash import xxh3_64_hexdigest

from partition.map.manifest import KEYS, MANIFEST, MAPPED, PARTS_TABLE, MapError, read_manifest
from partition.map.partition_map import PartitionMap
from tests.partition.map.support.maps import URLS, make_map


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_map(tmp_path / "map")
    return tmp_path / "map"


def refusal(folder: Path) -> str:
    with pytest.raises(MapError) as caught:
        PartitionMap.open(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", MAPPED)
def test_every_file_is_verified(folder: Path, name: str) -> None:
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


@pytest.mark.parametrize("name", [name for name in MAPPED if name != "site-parts.bin"])
def test_lengths_are_checked_even_where_checksums_are_not(folder: Path, name: str) -> None:
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
        lambda content: content.update(format=2),
        lambda content: content.update(model="nobody"),
        lambda content: content.update(unknown="nobody"),
        lambda content: content.update(bucket_bits=9),
        lambda content: content.update(parts=0),
        lambda content: content.update(parts=65536),
        lambda content: content.update(urls=-1),
        lambda content: content.update(urls=len(URLS) + 1),
        lambda content: content.update(prefixes=10**9),
        lambda content: content.update(sites=1),
        lambda content: content["files"].pop("hashes.bin"),
        lambda content: content["files"].update({"hashes.bin": 3}),
        lambda content: content["files"]["hashes.bin"].pop("xxh3"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    path = folder / MANIFEST
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    assert str(folder) in refusal(folder)


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

"""Maps are written whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from xxhash import xxh3_64_hexdigest

from partition.map import write_map
from partition.map.manifest import KEYS, MANIFEST, PARTS_TABLE, SHARD_KEYS, SHARDS, MapError, Origin
from partition.map.partition_map import PartitionMap
from sessions.url import site_of, url_hashes
from tests.partition.map.support.maps import URLS, make_map, parts_for


def test_the_manifest_describes_the_files(tmp_path: Path) -> None:
    manifest = make_map(tmp_path / "map")
    content = json.loads((tmp_path / "map" / MANIFEST).read_text())
    assert tuple(content) == KEYS
    assert content["parts"] == 4
    assert content["session"] == "session-1"
    assert content["urls"] == len(URLS)
    assert set(content["files"]) == {PARTS_TABLE}
    assert {path.name for path in (tmp_path / "map").iterdir()} == {SHARDS, PARTS_TABLE, MANIFEST}
    (shard,) = content["shards"]
    assert tuple(shard) == SHARD_KEYS
    whole = (tmp_path / "map" / SHARDS).read_bytes()
    assert (shard["bytes"], shard["xxh3"], manifest.mapped_bytes) == (len(whole), xxh3_64_hexdigest(whole), len(whole))
    for name, file in content["files"].items():
        data = (tmp_path / "map" / name).read_bytes()
        assert file == {"bytes": len(data), "xxh3": xxh3_64_hexdigest(data)}
    assert PartitionMap.open(tmp_path / "map").manifest == manifest


@pytest.mark.parametrize("model", ["page", "url-range", "site", "site-packed", "prefix"])
def test_other_tools_read_who_owns_what(tmp_path: Path, model: str) -> None:
    sites = sorted(set(map(site_of, URLS)))
    values: dict[str, Any] = {"origin": Origin(model)}
    if model in ("site", "site-packed", "prefix"):
        prefixes = [f"{site}/" for site in sites] + ["s1.example/d1/1"] * (model == "prefix")
        values |= {"prefixes": prefixes, "prefix_parts": np.arange(len(prefixes)) % 4}
    make_map(tmp_path / "map", **values)
    table = pq.read_table(tmp_path / "map" / PARTS_TABLE)
    told = dict(zip(table["key"].to_pylist(), table["part"].to_pylist(), strict=True))
    if model in ("page", "url-range"):
        assert told == dict(zip(URLS, parts_for(URLS, 4).tolist(), strict=True))
    elif model in ("site", "site-packed"):
        assert told == {site: number % 4 for number, site in enumerate(sites)}
    else:
        assert told == {prefix: number % 4 for number, prefix in enumerate(values["prefixes"])}


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("full", "file", "file/below"):
        with pytest.raises(MapError, match=name):
            make_map(tmp_path / name)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "x"]


def test_an_empty_folder_will_do_and_folders_above_are_made(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    make_map(tmp_path / "empty")
    make_map(tmp_path / "a" / "b" / "map")
    assert len(PartitionMap.open(tmp_path / "empty")) == len(PartitionMap.open(tmp_path / "a" / "b" / "map"))


@pytest.mark.parametrize("step", ["SpilledRows", "write_shard", "_write_parts_table", "_described", "whole_folder"])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(write_map, step, fail)
    with pytest.raises(MapError, match=r"map: No space left on device"):
        make_map(tmp_path / "map")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write_map, "_described", interrupt)
    with pytest.raises(KeyboardInterrupt):
        make_map(tmp_path / "map")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"k": 0}, "0 parts"),
        ({"k": 65536}, "65536 parts"),
        ({"k": 3}, r"not one in \[0, 3\)"),
        ({"parts": [0] * 199, "prefixes": [], "prefix_parts": []}, "parts of URLs"),
        ({"parts": [-1] * 200, "prefixes": [], "prefix_parts": []}, "parts of URLs"),
        ({"prefixes": ["a/", "b/"], "prefix_parts": [0]}, "parts of prefixes"),
        ({"prefixes": ["a/", "a/"], "prefix_parts": [0, 0]}, "prefixes are not all different"),
        ({"prefixes": ["a.example"], "prefix_parts": [0]}, "lacks the slash"),
        ({"prefixes": [""], "prefix_parts": [0]}, "'' is not a prefix"),
        ({"urls": [URLS[0]] * 200}, "URLs are not all different"),
        ({"hashes": np.zeros(200, np.uint64)}, "hashes"),
        ({"hashes": url_hashes(URLS[1:])}, "hashes"),
        ({"origin": Origin("learned")}, "model"),
        ({"unknown": "nobody"}, "rule"),
    ],
)
def test_what_makes_no_map_is_refused(tmp_path: Path, values: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_map(tmp_path / "map", **({"parts": parts_for(URLS, 4)} | values))
    assert list(tmp_path.iterdir()) == []

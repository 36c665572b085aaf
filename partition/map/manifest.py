"""A partition map's manifest, partition.json: where the map comes from, which files it has, and what they must be."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from xxhash import xxh3_64, xxh3_64_hexdigest

from partition.choices import MOST_PARTS, UNKNOWN_RULES, map_models
from sessions.session import HEADER

FORMAT_1_FILES = (
    "urls.marisa",
    "hashes.bin",
    "numbers.bin",
    "url-parts.bin",
    "prefixes.marisa",
    "prefix-parts.bin",
    "sites.marisa",
    "site-parts.bin",
)
"""What ranks map of a map of format 1 (`partition.map.format_1`)."""
SHARDS = "shards.bin"
"""What every rank maps into its memory: the shards one after the other (`partition.map.shard_layout`)."""
PARTS_TABLE = "parts.parquet"
"""The partition as people and other tools read it; ranks do not.  A folder of one file a shard if there are several."""


def parts_dtype(k: int) -> np.dtype[np.uint8] | np.dtype[np.uint16]:
    """How a part of ``k`` is stored."""
    return np.dtype(np.uint8) if k <= 256 else np.dtype("<u2")


FORMAT_VERSION = 2
MANIFEST = "partition.json"
_CHUNK = 1 << 22

Shapes = dict[str, type | tuple[type, ...]]
"""What the values of a JSON object must be, by name."""


class MapError(Exception):
    """A folder that is no partition map, is damaged, or cannot become one; the message names it and says why."""


@dataclass(frozen=True)
class Origin:
    """Where a map comes from and how good it is, as whoever computed it tells.

    ``session`` is the folder of the session whose links were cut, ``run`` its run id; None if there is none.
    ``volumes`` (bytes of URL strings, links, ...) and ``imbalances`` (max / mean - 1, by weight) are by name,
    ``settings`` anything that JSON can hold.
    """

    model: str
    session: str | None = None
    run: str | None = None
    objective: str = ""
    weights: tuple[str, ...] = ()
    volumes: dict[str, float] = field(default_factory=dict)
    imbalances: dict[str, float] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None


@dataclass(frozen=True)
class ShardEntry:
    """A shard: the ``first`` key in it, how many URLs, prefixes and sites it holds, and what its bytes must be.

    Its URLs stand in so many ``groups``.  ``tries`` are the bytes of its three tries: of URLs,
    prefixes and sites.
    """

    first: str
    urls: int
    prefixes: int
    sites: int
    groups: int
    tries: tuple[int, int, int]
    bytes: int
    xxh3: str


@dataclass(frozen=True)
class Manifest:
    """The content of partition.json; docs/formats.md names the keys.

    ``parts`` is K.  ``files`` has the length in bytes and the xxh3 of the files beside it, but for those of ``shards``,
    who have it each.  A map of format 1 has no shards, but ``bucket_bits`` (`partition.map.format_1`).
    """

    origin: Origin
    parts: int
    unknown: str
    software: str
    made: str
    urls: int
    prefixes: int
    sites: int
    files: dict[str, dict[str, Any]]
    shards: tuple[ShardEntry, ...] = ()
    bucket_bits: int | None = None

    def as_json(self) -> str:
        """The manifest as it is written, or as an earlier version wrote it."""
        rest = asdict(self)
        origin, shards, bits, files = (rest.pop(name) for name in ("origin", "shards", "bucket_bits", "files"))
        if bits is None:
            content = {"format": FORMAT_VERSION, **origin, **rest, "files": files, "shards": shards}
        else:
            content = {"format": 1, **origin, **rest, "bucket_bits": bits, "files": files}
        return json.dumps(content, indent=1) + "\n"

    @property
    def identity(self) -> str:
        """What no other map has: the xxh3 of the manifest, which has those of all files."""
        return xxh3_64_hexdigest(self.as_json().encode())

    @property
    def mapped(self) -> tuple[str, ...]:
        """The files that every rank maps into its memory."""
        return (SHARDS,) if self.bucket_bits is None else FORMAT_1_FILES

    @property
    def mapped_bytes(self) -> int:
        """How long these files are together."""
        if self.bucket_bits is None:
            return sum(shard.bytes for shard in self.shards)
        return sum(int(self.files[name]["bytes"]) for name in self.mapped)

    def check_files(self, folder: Path) -> None:
        """Raise MapError unless what ranks map is what the manifest says; it is read in whole."""
        if self.bucket_bits is None:
            self._check_shards(folder / SHARDS)
        for name in self.mapped if self.bucket_bits is not None else ():
            described = self.files.get(name)
            if described is None:
                raise MapError(f"{folder / MANIFEST}: does not say how long {name} is")
            _compare_described(folder / name, described)

    def check_beside(self, folder: Path, name: str) -> None:
        """Raise MapError unless a file that ranks do not map is what the manifest says."""
        if name not in self.files:
            raise MapError(f"{folder / MANIFEST}: does not name {name}")
        _compare_described(folder / name, self.files[name])

    def _check_shards(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                _compare_lengths(path, os.fstat(file.fileno()).st_size, self.mapped_bytes)
                for number, shard in enumerate(self.shards):
                    digest = xxh3_64()
                    for chunk in read_chunks(file, shard.bytes):
                        digest.update(chunk)
                    _compare(path, f" for shard {number}", shard.xxh3, digest.hexdigest())
        except OSError as error:
            raise MapError(f"{path}: {error.strerror}") from error


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a map's folder.  Raises MapError if there is none that this version reads."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if (folder / HEADER).exists():
            raise MapError(f"{folder}: is a session, not a partition map; cutweb partition makes one of it") from error
        raise MapError(f"{path}: no such file; is {folder} a partition map?") from error
    except OSError as error:
        raise MapError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise MapError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise MapError(f"{path}: not a JSON object")
    version = content.get("format")
    if version not in (1, FORMAT_VERSION) or isinstance(version, bool):
        raise MapError(f"{path}: format {version!r}; this version reads {FORMAT_VERSION} and 1")
    return _manifest_from(path, content, _SHAPES if version == FORMAT_VERSION else _FORMAT_1_SHAPES)


def _manifest_from(path: Path, content: dict[str, Any], own_shapes: Shapes) -> Manifest:
    _check_shapes(f"{path}: ", content, _ORIGIN_SHAPES | own_shapes)
    for name, known in (("model", map_models()), ("unknown", UNKNOWN_RULES), ("bucket_bits", (8, 16, 24))):
        if content.get(name, known) is not known and content[name] not in known:
            raise MapError(f"{path}: {name} is {content[name]!r}; this version knows {', '.join(map(str, known))}")
    if not 1 <= content["parts"] <= MOST_PARTS or min(content[name] for name in ("urls", "prefixes", "sites")) < 0:
        raise MapError(f"{path}: parts, urls, prefixes or sites is out of range")
    if not all(isinstance(file, dict) for file in content["files"].values()):
        raise MapError(f"{path}: files has something that is no object")
    origin = {name: content[name] for name in _ORIGIN_SHAPES} | {"weights": tuple(content["weights"])}
    own = {name: content[name] for name in own_shapes}
    if "shards" in own:
        own["shards"] = _shards_from(path, content)
    return Manifest(Origin(**origin), **own)


def _shards_from(path: Path, content: dict[str, Any]) -> tuple[ShardEntry, ...]:
    shards = []
    for number, entry in enumerate(content["shards"]):
        if not isinstance(entry, dict):
            raise MapError(f"{path}: shard {number} is no object")
        _check_shapes(f"{path}: shard {number}: ", entry, _SHARD_SHAPES)
        numbers = [*entry["tries"], *(entry[name] for name, shape in _SHARD_SHAPES.items() if shape is int)]
        if len(entry["tries"]) != len(_TRIES) or not all(type(count) is int and count >= 0 for count in numbers):
            raise MapError(f"{path}: shard {number} has a number that is out of range")
        shards.append(ShardEntry(**{name: entry[name] for name in _SHARD_SHAPES} | {"tries": tuple(entry["tries"])}))
    firsts = [shard.first for shard in shards]
    if firsts[:1] != [""] or any(before >= after for before, after in pairwise(firsts)):
        raise MapError(f"{path}: the first keys of its shards do not ascend from the empty one")
    for name in ("urls", "prefixes", "sites"):
        if sum(getattr(shard, name) for shard in shards) != content[name]:
            raise MapError(f"{path}: {name} is not the sum over its shards")
    return tuple(shards)


def _check_shapes(where: str, content: dict[str, Any], shapes: Shapes) -> None:
    for name, shape in shapes.items():
        if name not in content:
            raise MapError(f"{where}{name} is missing")
        value = content[name]
        if not isinstance(value, shape) or isinstance(value, bool):
            raise MapError(f"{where}{name} is {json.dumps(value)[:40]}, which is not valid")


def _compare_described(path: Path, described: dict[str, Any]) -> None:
    length, xxh3 = length_and_xxh3(path)
    _compare_lengths(path, length, described.get("bytes"))
    _compare(path, "", described.get("xxh3"), xxh3)


def _compare(path: Path, which: str, stated: Any, found: str) -> None:
    if found != stated:
        raise MapError(f"{path}: checksum mismatch: {MANIFEST} has {stated}{which}, the file has {found}")


def _compare_lengths(path: Path, found: int, stated: Any) -> None:
    if found != stated:
        raise MapError(f"{path}: is {found:,} bytes long, not {stated!r}")


def read_chunks(file: BinaryIO, count: int) -> Iterator[bytes]:
    """The next ``count`` bytes of a file, some at a time; fewer if it ends before."""
    while chunk := file.read(min(_CHUNK, count)):
        count -= len(chunk)
        yield chunk


def length_and_xxh3(path: Path) -> tuple[int, str]:
    """A file's length in bytes and its xxh3 in hex.  Raises MapError if it cannot be read."""
    digest, length = xxh3_64(), 0
    try:
        with path.open("rb") as file:
            for chunk in read_chunks(file, sys.maxsize):
                digest.update(chunk)
                length += len(chunk)
    except OSError as error:
        raise MapError(f"{path}: {error.strerror}") from error
    return length, digest.hexdigest()


_ORIGIN_SHAPES: Shapes = {
    "model": str,
    "session": (str, type(None)),
    "run": (str, type(None)),
    "objective": str,
    "weights": list,
    "volumes": dict,
    "imbalances": dict,
    "settings": dict,
    "seed": (int, type(None)),
}
_COUNTS: Shapes = {
    "parts": int,
    "unknown": str,
    "software": str,
    "made": str,
    "urls": int,
    "prefixes": int,
    "sites": int,
}
_SHAPES: Shapes = {**_COUNTS, "files": dict, "shards": list}
_FORMAT_1_SHAPES: Shapes = {**_COUNTS, "bucket_bits": int, "files": dict}
_SHARD_SHAPES: Shapes = {
    "first": str,
    "urls": int,
    "prefixes": int,
    "sites": int,
    "groups": int,
    "tries": list,
    "bytes": int,
    "xxh3": str,
}
_TRIES = ("urls", "prefixes", "sites")
KEYS = ("format", *_ORIGIN_SHAPES, *_SHAPES)
"""The keys of partition.json, in order."""
SHARD_KEYS = tuple(_SHARD_SHAPES)
"""The keys of each of its shards, in order."""

assert set(_ORIGIN_SHAPES) == {item.name for item in fields(Origin)}
assert tuple(item.name for item in fields(ShardEntry)) == SHARD_KEYS

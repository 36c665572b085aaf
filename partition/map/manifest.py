"""A partition map's manifest, partition.json: where the map comes from, which files it has, and what they must be."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from xxhash import xxh3_64, xxh3_64_hexdigest

from partition.choices import MODELS, MOST_PARTS, UNKNOWN_RULES
from sessions.session import HEADER

URLS = "urls.marisa"
"""A trie of all known URLs; a URL's number is its number there."""
HASHES = "hashes.bin"
"""The URLs' hashes in ascending order (`partition.map.hash_index`)."""
NUMBERS = "numbers.bin"
"""The number of each URL, in the order of the hashes (`partition.map.packed_integers`)."""
URL_PARTS = "url-parts.bin"
"""The part of each URL, in the order of the hashes."""
PREFIXES = "prefixes.marisa"
"""A trie of URL prefixes."""
PREFIX_PARTS = "prefix-parts.bin"
"""The part of each prefix, by its number in its trie."""
SITES = "sites.marisa"
"""A trie of the sites most of whose pages lie in another part than their prefix."""
SITE_PARTS = "site-parts.bin"
"""The part of each of these sites, by its number in its trie."""
MAPPED = (URLS, HASHES, NUMBERS, URL_PARTS, PREFIXES, PREFIX_PARTS, SITES, SITE_PARTS)
"""What every rank maps into its memory."""
PARTS_TABLE = "parts.parquet"
"""The partition as people and other tools read it; ranks do not."""


def parts_dtype(k: int) -> np.dtype[np.uint8] | np.dtype[np.uint16]:
    """How a part of ``k`` is stored."""
    return np.dtype(np.uint8) if k <= 256 else np.dtype("<u2")


FORMAT_VERSION = 1
MANIFEST = "partition.json"
_CHUNK = 1 << 22


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
class Manifest:
    """The content of partition.json; docs/formats.md names the keys.

    ``parts`` is K.  ``files`` has the length in bytes and the xxh3 of each file beside it.
    """

    origin: Origin
    parts: int
    unknown: str
    software: str
    made: str
    urls: int
    prefixes: int
    sites: int
    bucket_bits: int
    files: dict[str, dict[str, Any]]

    def as_json(self) -> str:
        """The manifest as it is written."""
        rest = {name: value for name, value in asdict(self).items() if name != "origin"}
        return json.dumps({"format": FORMAT_VERSION, **asdict(self.origin), **rest}, indent=1) + "\n"

    @property
    def identity(self) -> str:
        """What no other map has: the xxh3 of the manifest, which has those of all files."""
        return xxh3_64_hexdigest(self.as_json().encode())

    def check_files(self, folder: Path, names: Iterable[str]) -> None:
        """Raise MapError unless these files are what the manifest says; they are read in whole."""
        for name in names:
            described = self.files.get(name)
            if described is None:
                raise MapError(f"{folder / MANIFEST}: does not say how long {name} is")
            length, xxh3 = length_and_xxh3(folder / name)
            if length != described.get("bytes"):
                raise MapError(f"{folder / name}: is {length:,} bytes long, not {described.get('bytes')!r}")
            if xxh3 != described.get("xxh3"):
                raise MapError(
                    f"{folder / name}: checksum mismatch: {MANIFEST} has {described.get('xxh3')}, the file has {xxh3}"
                )


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
    if content.get("format") != FORMAT_VERSION:
        raise MapError(f"{path}: format {content.get('format')!r}; this version reads {FORMAT_VERSION}")
    return _manifest_from(path, content)


def _manifest_from(path: Path, content: dict[str, Any]) -> Manifest:
    shapes = _ORIGIN_SHAPES | _OWN_SHAPES
    for name, shape in shapes.items():
        if name not in content:
            raise MapError(f"{path}: {name} is missing")
        value = content[name]
        if not isinstance(value, shape) or isinstance(value, bool):
            raise MapError(f"{path}: {name} is {json.dumps(value)[:40]}, which is not valid")
    for name, known in (("model", MODELS), ("unknown", UNKNOWN_RULES), ("bucket_bits", (8, 16, 24))):
        if content[name] not in known:
            raise MapError(f"{path}: {name} is {content[name]!r}; this version knows {', '.join(map(str, known))}")
    if not 1 <= content["parts"] <= MOST_PARTS or min(content[name] for name in ("urls", "prefixes", "sites")) < 0:
        raise MapError(f"{path}: parts, urls, prefixes or sites is out of range")
    if not all(isinstance(file, dict) for file in content["files"].values()):
        raise MapError(f"{path}: files has something that is no object")
    origin = {name: content[name] for name in _ORIGIN_SHAPES} | {"weights": tuple(content["weights"])}
    return Manifest(Origin(**origin), **{name: content[name] for name in _OWN_SHAPES})


def length_and_xxh3(path: Path) -> tuple[int, str]:
    """A file's length in bytes and its xxh3 in hex.  Raises MapError if it cannot be read."""
    digest, length = xxh3_64(), 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                length += len(chunk)
    except OSError as error:
        raise MapError(f"{path}: {error.strerror}") from error
    return length, digest.hexdigest()


_ORIGIN_SHAPES: dict[str, type | tuple[type, ...]] = {
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
_OWN_SHAPES: dict[str, type | tuple[type, ...]] = {
    "parts": int,
    "unknown": str,
    "software": str,
    "made": str,
    "urls": int,
    "prefixes": int,
    "sites": int,
    "bucket_bits": int,
    "files": dict,
}
KEYS = ("format", *_ORIGIN_SHAPES, *_OWN_SHAPES)
"""The keys of partition.json, in order."""

assert set(_ORIGIN_SHAPES) == {item.name for item in fields(Origin)}

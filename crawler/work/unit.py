"""A unit: URLs of a worklist that one volunteer fetches, how, and until when.

A unit is small and says little.  Its options are of a few kinds, and may ask for more patience than the defaults but
for no less: who runs it trusts the project's key, and still no unit can make the machine rude.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from xxhash import xxh3_64_hexdigest

from crawler.work.keys import SigningKey
from crawler.work.signed_text import Signed, TextError, read_signed, signed_text
from crawler.work.work_error import WorkError
from crawler.worklist.rows import KINDS
from sessions.url import LONGEST_URL, canonical

FORM = "cutweb work unit 1"
SUFFIX = ".unit"
MOST_URLS = 10_000
MOST_BYTES = 8 << 20
"""A unit ends before its URLs take more, whatever --unit says."""
BYTES_BESIDE_URLS = 4096
_BYTES_BESIDE_URL = len('[,"old"],')


class Range(NamedTuple):
    """What an option of a unit may be: numbers from ``least`` to ``most``, whole ones if ``is_whole``."""

    least: float
    most: float
    is_whole: bool = False


OPTIONS: Mapping[str, Range] = {
    "delay": Range(1.0, 3600.0),
    "server_delay": Range(0.5, 3600.0),
    "max_body": Range(1 / 1024, 64.0),
    "max_decoded": Range(1 / 1024, 256.0),
    "timeout": Range(1.0, 600.0),
    "connect_timeout": Range(1.0, 60.0),
    "idle_timeout": Range(1.0, 120.0),
    "max_links": Range(1, 10_000, is_whole=True),
}
"""The options of `cutweb crawl` that a unit may carry: seconds, MiB, links.  Delays begin at the crawl's defaults."""


class UnitUrl(NamedTuple):
    """A canonical URL, and its kind in the worklist."""

    url: str
    kind: str


@dataclass(frozen=True)
class Unit:
    """A unit's content.  ``worklist`` is the identity of the list, ``exported`` and ``deadline`` are ISO 8601 in UTC.

    ``number`` counts the units of a ledger from 1.  ``urls`` stand in the order of priority.
    """

    number: int
    worklist: str
    exported: str
    deadline: str
    options: Mapping[str, float]
    urls: Sequence[UnitUrl]

    @property
    def identity(self) -> str:
        """What units with other URLs do not have: 16 hexadecimal digits."""
        return xxh3_64_hexdigest("\n".join(url for url, _ in self.urls).encode())

    def as_text(self, key: SigningKey) -> bytes:
        """The unit as it is handed out, signed."""
        return signed_text(
            FORM, {**vars(self), "urls": [list(item) for item in self.urls], "identity": self.identity}, key
        )


class SignedUnit(NamedTuple):
    """A unit that was read: its content, the key that signed it, and the SHA-256 of its file, its name in results."""

    unit: Unit
    key: str
    sha256: str


def unit_name(number: int) -> str:
    """The name of a unit's file."""
    return f"unit-{number:06d}{SUFFIX}"


def bytes_in_unit(url: str) -> int:
    """How much room a URL takes in a unit, in bytes."""
    return len(json.dumps(url)) + _BYTES_BESIDE_URL


def read_unit(path: Path) -> SignedUnit:
    """Read a unit.  Raises WorkError if it is too large, not signed, of another format, or says what it may not."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + BYTES_BESIDE_URLS + 1)
    except OSError as error:
        raise WorkError(f"{path}: {error.strerror}") from error
    if len(text) > MOST_BYTES + BYTES_BESIDE_URLS:
        raise WorkError(f"{path}: no unit: larger than {MOST_BYTES:,} bytes")
    try:
        signed = read_signed(FORM, text)
        return SignedUnit(_unit_of(signed), signed.key, sha256(text).hexdigest())
    except TextError as error:
        raise WorkError(f"{path}: no unit to run: {error}") from error


_SHAPES: Mapping[str, type] = {
    "number": int,
    "worklist": str,
    "exported": str,
    "deadline": str,
    "options": dict,
    "urls": list,
    "identity": str,
}
KEYS = tuple(_SHAPES)
"""The keys of a unit, in order."""


def _unit_of(signed: Signed) -> Unit:
    content = signed.content
    if content.keys() != _SHAPES.keys():
        odd = sorted(content.keys() ^ _SHAPES.keys())
        raise TextError(f"it must have the keys {', '.join(KEYS)}, and no others; {odd[0][:40]!r} is not right")
    for name, shape in _SHAPES.items():
        if not isinstance(content[name], shape) or isinstance(content[name], bool):
            raise TextError(f"{name} is {json.dumps(content[name])[:40]}, which is not valid")
    if content["number"] < 1 or not (_is_time(content["exported"]) and _is_time(content["deadline"])):
        raise TextError("its number or its times are not valid")
    _check_options(content["options"])
    urls = _urls_of(content["urls"])
    unit = Unit(**{name: content[name] for name in KEYS if name not in ("urls", "identity")}, urls=urls)
    if unit.identity != content["identity"]:
        raise TextError("its identity is not that of its URLs")
    return unit


def _check_options(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if name not in OPTIONS:
            raise TextError(f"option {name[:40]!r} is not one that a unit may carry ({', '.join(OPTIONS)})")
        problem = option_problem(name, value)
        if problem:
            raise TextError(problem)


def option_problem(name: str, value: Any) -> str:
    """Return what is wrong with the value of one of `OPTIONS`; nothing if it may stand in a unit."""
    allowed = OPTIONS[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not is_number or not allowed.least <= value <= allowed.most or (allowed.is_whole and value != int(value)):
        told = f"{allowed.least:g} to {allowed.most:g}"
        return f"{name} {json.dumps(value)[:40]}: a unit may ask for {told}, and for nothing laxer"
    return ""


def _urls_of(items: list[Any]) -> tuple[UnitUrl, ...]:
    if not 1 <= len(items) <= MOST_URLS:
        raise TextError(f"it has {len(items):,} URLs; 1 to {MOST_URLS:,} may be in a unit")
    urls: dict[str, str] = {}
    for place, item in enumerate(items):
        match item:
            case [str(url), str(kind)] if kind in KINDS and len(url) <= LONGEST_URL and canonical(url) == url:
                urls[url] = kind
            case _:
                raise TextError(f"URL {place} is not a canonical http(s) URL with its kind")
    if len(urls) != len(items):
        raise TextError("a URL stands in it twice")
    return tuple(UnitUrl(url, kind) for url, kind in urls.items())


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False

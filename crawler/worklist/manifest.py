"""worklist.json: what a worklist was made of and how, which files it has, and by what it is known again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from crawler.worklist.rows import KINDS, NEW, OLD, RowsFile, WrittenRows, length_and_xxh3
from sessions.session import HEADER, MAP
from sessions.storage.durable_json import dumped
from sessions.version import software_version

FORMAT_VERSION = 1
MANIFEST = "worklist.json"
SEEDS = "seeds.txt"
"""The seeds of the last session, canonical URLs, one a line; missing if it has none."""


class WorklistError(Exception):
    """A folder that is no worklist, is damaged, or cannot become one; the message names it and says why."""


@dataclass(frozen=True)
class RankedSession:
    """A session that was ranked: where it lay (an absolute path), its latest run, and when it began, ISO 8601."""

    path: str
    run: str
    started: str


@dataclass(frozen=True)
class WorklistManifest:
    """The content of worklist.json; docs/formats.md names the keys.

    ``now`` is ISO 8601.  ``sessions`` are in the order in which they began, so the last of them is the last session.
    ``settings`` has what else says which rows there are: numbers, texts and nulls.  ``visited_again``, ``kept_links``
    and ``without_links`` count old URLs.  ``digest`` is `crawler.worklist.rows.digest_of` all rows, 16 hex digits;
    ``seeds`` the xxh3 of seeds.txt, None if there is none.
    """

    formula: str
    settings: dict[str, Any]
    now: str
    crawl_seconds: float
    sessions: tuple[RankedSession, ...]
    new: int
    old: int
    visited_again: int
    kept_links: int
    without_links: int
    has_urls: bool
    digest: str
    seeds: str | None
    software: str
    files: tuple[RowsFile, ...]

    @property
    def identity(self) -> str:
        """What no other worklist has, 16 hex digits; the same wherever the folder lies and on however many ranks."""
        told = asdict(self)
        for name in ("software", "files"):
            del told[name]
        for session in told["sessions"]:
            del session["path"]
        return xxh3_64_hexdigest(json.dumps([FORMAT_VERSION, told], sort_keys=True).encode())

    def as_json(self) -> str:
        """The manifest as it is written."""
        files = [file._asdict() for file in self.files]
        return dumped({"format": FORMAT_VERSION, "identity": self.identity, **asdict(self), "files": files})


@dataclass(frozen=True)
class WorklistOrigin:
    """What a worklist is made of and how: the fields of `WorklistManifest` that do not follow from its rows."""

    formula: str
    settings: Mapping[str, Any]
    now: str
    crawl_seconds: float
    sessions: Sequence[RankedSession]
    visited_again: int
    kept_links: int
    without_links: int
    has_urls: bool


def write_manifest(
    folder: Path, origin: WorklistOrigin, files: Sequence[WrittenRows], seeds: Sequence[str]
) -> WorklistManifest:
    """Complete a folder of files of rows with the last session's seeds, if any, and the manifest, which is returned.

    Raises OSError if they cannot be written.
    """
    if seeds:
        (folder / SEEDS).write_text("".join(f"{seed}\n" for seed in seeds), encoding="utf-8")
    counts = {kind: sum(written.file.rows for written in files if written.file.kind == kind) for kind in KINDS}
    manifest = WorklistManifest(
        **{field.name: getattr(origin, field.name) for field in fields(WorklistOrigin)}
        | {"settings": dict(origin.settings), "sessions": tuple(origin.sessions)},
        new=counts[NEW],
        old=counts[OLD],
        digest=f"{sum(written.digest for written in files) % 2**64:016x}",
        seeds=length_and_xxh3(folder / SEEDS)[1] if seeds else None,
        software=f"cutweb {software_version()}",
        files=tuple(written.file for written in files),
    )
    (folder / MANIFEST).write_text(manifest.as_json(), encoding="utf-8")
    return manifest


def read_manifest(folder: Path) -> WorklistManifest:
    """The manifest of a worklist's folder.  Raises WorklistError if there is none that this version reads."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise WorklistError(_no_worklist(folder)) from error
    except OSError as error:
        raise WorklistError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise WorklistError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise WorklistError(f"{path}: not a JSON object")
    if content.get("format") != FORMAT_VERSION or isinstance(content["format"], bool):
        raise WorklistError(f"{path}: format {content.get('format')!r}; this version reads {FORMAT_VERSION}")
    _check_shapes(f"{path}: ", content, _SHAPES)
    sessions = _entries(path, content, "sessions", _SESSION_SHAPES)
    files = _entries(path, content, "files", _FILE_SHAPES)
    told = {field.name: content[field.name] for field in fields(WorklistManifest)}
    told |= {
        "sessions": tuple(RankedSession(**session) for session in sessions),
        "files": tuple(RowsFile(**file) for file in files),
    }
    manifest = WorklistManifest(**told)
    _check_consistent(path, manifest, content["identity"])
    return manifest


def _check_consistent(path: Path, manifest: WorklistManifest, stated: str) -> None:
    if manifest.identity != stated:
        raise WorklistError(
            f"{path}: damaged: its identity is {stated}, that of its content {manifest.identity}; make it anew"
        )
    for kind, count in ((NEW, manifest.new), (OLD, manifest.old)):
        if sum(file.rows for file in manifest.files if file.kind == kind) != count:
            raise WorklistError(f"{path}: damaged: its files of {kind} URLs do not have {count:,} rows together")


def _no_worklist(folder: Path) -> str:
    if (folder / HEADER).exists():
        return f"{folder}: is a session, not a worklist; cutweb worklist makes one of it"
    if (folder / MAP).exists():
        return f"{folder}: is a partition map, not a worklist"
    return f"{folder / MANIFEST}: no such file; is {folder} a worklist?"


Shapes = Mapping[str, type | tuple[type, ...]]


def _entries(path: Path, content: dict[str, Any], name: str, shapes: Shapes) -> list[dict[str, Any]]:
    for number, entry in enumerate(content[name]):
        if not isinstance(entry, dict):
            raise WorklistError(f"{path}: {name} has something that is no object")
        _check_shapes(f"{path}: entry {number} of {name}: ", entry, shapes)
        if entry.get("kind", NEW) not in KINDS:
            raise WorklistError(f"{path}: entry {number} of {name}: kind is {entry['kind'][:40]!r}, which is not valid")
        if Path(entry.get("file", "")).name != entry.get("file", ""):
            raise WorklistError(f"{path}: entry {number} of {name}: file names a place outside the worklist")
    return [{key: entry[key] for key in shapes} for entry in content[name]]


def _check_shapes(where: str, content: dict[str, Any], shapes: Shapes) -> None:
    for name, shape in shapes.items():
        if name not in content:
            raise WorklistError(f"{where}{name} is missing")
        value = content[name]
        if not isinstance(value, shape) or (isinstance(value, bool) and shape is not bool):
            raise WorklistError(f"{where}{name} is {json.dumps(value)[:40]}, which is not valid")


_SHAPES: Shapes = {
    "identity": str,
    "formula": str,
    "settings": dict,
    "now": str,
    "crawl_seconds": (int, float),
    "sessions": list,
    "new": int,
    "old": int,
    "visited_again": int,
    "kept_links": int,
    "without_links": int,
    "has_urls": bool,
    "digest": str,
    "seeds": (str, type(None)),
    "software": str,
    "files": list,
}
_SESSION_SHAPES: Shapes = {"path": str, "run": str, "started": str}
_FILE_SHAPES: Shapes = {"file": str, "kind": str, "rows": int, "bytes": int, "xxh3": str}
KEYS = ("format", *_SHAPES)
"""The keys of worklist.json, in order."""
SESSION_KEYS, FILE_KEYS = tuple(_SESSION_SHAPES), tuple(_FILE_SHAPES)
"""The keys of each of its sessions and of its files, in order."""

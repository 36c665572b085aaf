"""A result: what a volunteer found, as one tar file (POSIX ustar), written here and taken apart again.

The first member, result.txt, is a signed text that names the unit and every other member with its length and SHA-256.
The others are the files of a session, in the order in which they are named.  Nothing else may be in the file: it is
read header by header, and no header is followed to another place, so it needs no more trust than a list of names.
"""

import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from crawler.work.keys import SigningKey
from crawler.work.refusals import Refusal
from crawler.work.signed_text import TextError, read_signed, signed_text
from sessions.schema import TABLES

FORM = "cutweb work result 1"
STATEMENT = "result.txt"
MOST_STATEMENT_BYTES = 1 << 20
MOST_FILES = 2000
_BLOCK = 512
_CHUNK = 1 << 20
_RUN = r"\d{8}T\d{6}-[0-9a-f]{6}"
_NAMES = re.compile(
    rf"session\.json|epochs/\d{{6}}\.json|rank-0000/(?:(?:{'|'.join(TABLES)})-\d{{6}}-{_RUN}\.parquet"
    rf"|{_RUN}-0000-\d{{5}}\.warc\.gz)"
)
_LINKS = (tarfile.LNKTYPE, tarfile.SYMTYPE)
_DEVICES = (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)


class ResultMember(NamedTuple):
    """A file of a result: its name in the session, its length in bytes, its SHA-256."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Statement:
    """What a volunteer has signed: the SHA-256 of the unit's file, when its work began and ended, and the files.

    ``key`` is the public key of who signed.  Times are ISO 8601.
    """

    unit: str
    worklist: str
    started: str
    ended: str
    software: str
    files: tuple[ResultMember, ...]
    key: str = ""


def write_result(out: Path, session: Path, told: Mapping[str, str], key: SigningKey) -> Statement:
    """Write a session's committed files as the result ``out``; ``told`` are the other fields of `Statement`.

    Raises OSError if it cannot be written; then nothing is left of it.
    """
    names = sorted(path.relative_to(session).as_posix() for path in session.rglob("*") if path.is_file())
    files = [_member(session, name) for name in names if _NAMES.fullmatch(name)]
    text = signed_text(FORM, {**told, "files": [list(file) for file in files]}, key)
    partial = out.with_name(f".{out.name}.partial")
    try:
        with tarfile.open(partial, "w", format=tarfile.USTAR_FORMAT) as tar:
            (session / STATEMENT).write_bytes(text)
            for name in (STATEMENT, *(file.file for file in files)):
                with (session / name).open("rb") as content:
                    info = tarfile.TarInfo(name)
                    info.size = (session / name).stat().st_size
                    tar.addfile(info, content)
        partial.rename(out)
    finally:
        partial.unlink(missing_ok=True)
    return Statement(**told, files=tuple(files), key=key.public)


def _member(session: Path, name: str) -> ResultMember:
    digest, length = sha256(), 0
    with (session / name).open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            length += len(chunk)
    return ResultMember(name, length, digest.hexdigest())


def read_statement(file: BinaryIO) -> Statement:
    """Read what a volunteer has signed from the beginning of a result.  Raises Refusal."""
    header = _next_header(file)
    if header is None or header.name != STATEMENT or not header.isreg():
        raise Refusal("format", f"no result: it must be a tar file that begins with {STATEMENT}")
    if header.size > MOST_STATEMENT_BYTES:
        raise Refusal("size", f"{STATEMENT} has {header.size:,} bytes; at most {MOST_STATEMENT_BYTES:,} may be")
    text = file.read(header.size)
    _skip_padding(file, header.size)
    try:
        content, key = read_signed(FORM, text)
    except TextError as error:
        raise Refusal("signature" if error.is_forged else "format", f"{STATEMENT}: {error}") from error
    return _statement_of(content, key)


def unpack(file: BinaryIO, statement: Statement, folder: Path) -> None:
    """Put the files that a statement names, and that stand behind it, into an empty folder.

    Raises Refusal at the first that is not what the statement says, or not to be there at all.
    """
    for member in statement.files:
        header = _next_header(file)
        if header is None:
            raise Refusal("file-missing", f"{member.file} is named in {STATEMENT}, and is not there")
        _check_header(header)
        if header.name != member.file:
            known = {one.file for one in statement.files}
            reason = "file-missing" if header.name in known else "file-extra"
            raise Refusal(reason, f"{header.name[:80]!r} stands where {STATEMENT} has {member.file}")
        if header.size != member.bytes:
            reason = "cut-short" if header.size < member.bytes else "altered"
            raise Refusal(reason, f"{member.file} has {header.size:,} bytes; {STATEMENT} says {member.bytes:,}")
        _extract(file, member, folder)
    header = _next_header(file)
    if header is not None:
        _check_header(header)
        raise Refusal("file-extra", f"{header.name[:80]!r} is not named in {STATEMENT}")


def _extract(file: BinaryIO, member: ResultMember, folder: Path) -> None:
    digest, left = sha256(), member.bytes
    path = folder / member.file
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as out:
        while left:
            chunk = file.read(min(left, _CHUNK))
            if not chunk:
                raise Refusal("cut-short", f"{member.file}: the result ends before it does")
            digest.update(chunk)
            out.write(chunk)
            left -= len(chunk)
    if digest.hexdigest() != member.sha256:
        kind = "body-altered" if member.file.endswith(".gz") else "altered"
        kind = "table-altered" if member.file.endswith(".parquet") else kind
        raise Refusal(kind, f"{member.file} has another SHA-256 than {STATEMENT} says")
    _skip_padding(file, member.bytes)


def _next_header(file: BinaryIO) -> tarfile.TarInfo | None:
    """The next member's header; None at the end of the file."""
    block = file.read(_BLOCK)
    if not block.strip(b"\0"):
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "strict")
    except (tarfile.TarError, ValueError) as error:
        raise Refusal("format", f"no tar file, or damaged ({error})") from error


def _check_header(header: tarfile.TarInfo) -> None:
    name = header.name[:80]
    if header.type in _LINKS:
        raise Refusal("link", f"{name!r} is a link")
    if header.type in _DEVICES:
        raise Refusal("device", f"{name!r} is a device")
    if not header.isreg() or header.type == tarfile.GNUTYPE_SPARSE or header.size < 0:
        raise Refusal("format", f"{name!r} is no plain file")
    if header.name.startswith("/") or ".." in header.name.split("/"):
        raise Refusal("path", f"{name!r} leads out of the result")


def _skip_padding(file: BinaryIO, size: int) -> None:
    file.read(-size % _BLOCK)


_SHAPES = {"unit": str, "worklist": str, "started": str, "ended": str, "software": str, "files": list}
KEYS = tuple(_SHAPES)
"""The keys of a statement, in order."""


def _statement_of(content: dict[str, Any], key: str) -> Statement:
    if content.keys() != _SHAPES.keys() or not all(isinstance(content[name], kind) for name, kind in _SHAPES.items()):
        raise Refusal("format", f"{STATEMENT} must have the keys {', '.join(KEYS)}, and no others")
    files = tuple(_members(content["files"]))
    if len(files) > MOST_FILES:
        raise Refusal("size", f"{len(files):,} files; at most {MOST_FILES:,} may be in a result")
    return Statement(**{**content, "files": files}, key=key)


def _members(items: Sequence[Any]) -> Iterator[ResultMember]:
    known: set[str] = set()
    for item in items:
        match item:
            case [str(name), int(length), str(digest)] if length >= 0 and name not in known:
                if name.startswith("/") or ".." in name.split("/"):
                    raise Refusal("path", f"{name[:80]!r} leads out of the result")
                if not _NAMES.fullmatch(name):
                    raise Refusal("file-extra", f"{name[:80]!r} is no file of a session of one rank")
                known.add(name)
                yield ResultMember(name, length, digest)
            case _:
                raise Refusal("format", f"{STATEMENT} has something that names no file")
    if "session.json" not in known:
        raise Refusal("file-missing", f"session.json is not named in {STATEMENT}")

"""Reads every record of a WARC file, as far as it is committed.

FastWARC reads, from a stream that ends where the commit ends; memory holds one record at a time.  It recognises a
damaged gzip member, but it is content with several records in one member, with a last record that breaks off, and
with an empty member, after which it stops: these are looked for here.
"""

import os
import sys
from array import array
from base64 import b32decode
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha1
from io import FileIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from fastwarc.warc import ArchiveIterator, HeaderMap, WarcRecord, WarcRecordType
from isal import isal_zlib
from isal.igzip_lib import IsalError
from xxhash import xxh3_64

from sessions.checking.problem import Problem, Report
from sessions.checking.read_tables import DIGEST_BYTES
from sessions.checking.table_files import relative
from sessions.progress import Progress
from sessions.session import CommittedWarc, Session
from sessions.storage.warc import IDENTICAL, NOT_MODIFIED, PURPOSE
from sessions.url import Hashes, url_hash

_GZIP_MAGIC = b"\x1f\x8b\x08"
_GZIP_FORMAT = 31
_ZLIB_FORMAT = 15
_RAW_FORMAT = -15
_CHUNK_BYTES = 1 << 20
_FIRST_SLICE_BYTES = 4 << 10
_HEAD_BYTES = 16 << 20
_ALL = sys.maxsize
NO_REVISIT, IDENTICAL_REVISIT, UNMODIFIED_REVISIT, UNKNOWN_REVISIT = range(4)
REVISITS = {IDENTICAL: IDENTICAL_REVISIT, NOT_MODIFIED: UNMODIFIED_REVISIT}
"""The profiles of revisit records that a session may have."""


@dataclass(frozen=True)
class Responses:
    """The response records of a WARC file that belong to pages, in order: one number or digest each.

    ``offset`` of the record in bytes, ``uri`` the hash of its WARC-Target-URI, ``size`` of the stored payload in
    bytes, ``status`` the HTTP status, or -1 if the status line is too odd to tell.  ``content`` is the SHA-1 and
    ``content_size`` the length of the decoded body; the length is -1 where it cannot be decoded here.  ``is_cut``: the
    record has WARC-Truncated.  ``payload`` is the WARC-Payload-Digest, zeros if there is none.

    Revisit records count as responses without a body: ``revisit`` is `NO_REVISIT` for a response, else the number of
    the profile in `REVISITS`; ``refers`` is the hash of WARC-Refers-To-Target-URI, and ``date`` the revisit's WARC-Date
    in microseconds since 1970 (0 for a response).

    The file could be read up to offset ``readable``, a huge number if nothing was wrong; ``records`` counts those of
    all types.
    """

    offset: npt.NDArray[np.int64]
    uri: Hashes
    size: npt.NDArray[np.int64]
    status: npt.NDArray[np.int64]
    content: npt.NDArray[np.void]
    content_size: npt.NDArray[np.int64]
    is_cut: npt.NDArray[np.bool_]
    payload: npt.NDArray[np.void]
    revisit: npt.NDArray[np.int64]
    refers: Hashes
    date: npt.NDArray[np.int64]
    readable: int
    records: int


def read_records(session: Session, warc: CommittedWarc, report: Report, progress: Progress) -> Responses:
    """Read a WARC file, report what is wrong with it, and return what its responses say."""
    reading = _Reading(relative(session, warc.path), warc.bytes, report)
    try:
        part = _CommittedPart(warc.path, warc.bytes)
    except OSError as error:
        text = f"committed, but cannot be read ({error.strerror})"
        report("warc_is_as_committed", [Problem(reading.name, None, text)])
        return reading.responses(0)
    with part:
        try:
            for record in ArchiveIterator(part, parse_http=False):
                reading.record(record, part.bytes_at(record.stream_pos, len(_GZIP_MAGIC)))
                progress("warc", record.stream_pos, warc.bytes)
            readable = _ALL
        except (OSError, ValueError) as error:
            readable = reading.last_offset + 1
            text = f"damaged after the record at this offset, and not read further: {error}"
            report("records_are_readable", [Problem(reading.name, reading.last_offset, text)])
        else:
            reading.end(part)
        reading.whole_file(part, warc.xxh3)
    return reading.responses(readable)


class _CommittedPart(FileIO):
    """The first ``length`` bytes of a file as a stream that knows the xxh3 of what was read."""

    def __init__(self, path: Path, length: int) -> None:
        super().__init__(path)
        self._left = length
        self._digest = xxh3_64()

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        data = super().read(wanted) or b""
        self._left -= len(data)
        self._digest.update(data)
        return data

    def bytes_at(self, offset: int, size: int) -> bytes:
        """Bytes at an offset; reading goes on where it was."""
        return os.pread(self.fileno(), size, offset)

    def read_to_end(self) -> tuple[int, str]:
        """Read what is left: the number of bytes that are missing, and the xxh3 of all."""
        while self.read(_CHUNK_BYTES):
            pass
        return self._left, self._digest.hexdigest()


@dataclass
class _Reading:
    """What has been read of a WARC file so far."""

    name: str
    committed: int
    report: Report
    last_offset: int = -1
    records: int = 0
    offset: "array[int]" = field(default_factory=lambda: array("q"))
    uri: "array[int]" = field(default_factory=lambda: array("Q"))
    size: "array[int]" = field(default_factory=lambda: array("q"))
    status: "array[int]" = field(default_factory=lambda: array("q"))
    content: list[bytes] = field(default_factory=list)
    content_size: "array[int]" = field(default_factory=lambda: array("q"))
    is_cut: list[bool] = field(default_factory=list)
    payload: list[bytes] = field(default_factory=list)
    revisit: "array[int]" = field(default_factory=lambda: array("q"))
    refers: "array[int]" = field(default_factory=lambda: array("Q"))
    date: "array[int]" = field(default_factory=lambda: array("q"))

    def record(self, record: WarcRecord, first_bytes: bytes) -> None:
        """Take in the next record.  Raises OSError where it cannot be read."""
        offset = record.stream_pos
        if offset <= self.last_offset or first_bytes != _GZIP_MAGIC:
            self._problem("record_has_its_own_member", offset, "a record that does not begin a gzip member")
        self.last_offset = offset
        self.records += 1
        if not record.verify_block_digest(consume=False):
            self._problem("block_digest_is_valid", offset, f"{_described(record)}: block digest missing or wrong")
        is_page = record.headers.get(PURPOSE) is None
        if record.record_type == WarcRecordType.response:
            self._response(record, offset, is_page=is_page)
        elif record.record_type == WarcRecordType.revisit and is_page:
            profile = REVISITS.get(record.headers.get("WARC-Profile") or "", UNKNOWN_REVISIT)
            record.parse_http(max_header_len=_HEAD_BYTES)
            self._keep(record, offset, len(record.reader.read()), None, profile)

    def _response(self, record: WarcRecord, offset: int, *, is_page: bool) -> None:
        record.parse_http(max_header_len=_HEAD_BYTES)
        if not record.verify_payload_digest(consume=False):
            self._problem("payload_digest_is_valid", offset, f"{_described(record)}: payload digest missing or wrong")
        if not is_page:
            return
        payload = record.reader.read()
        content = decoded_content(payload, content_coding(record.http_headers))
        self._keep(record, offset, len(payload), content, NO_REVISIT)

    def _keep(
        self, record: WarcRecord, offset: int, size: int, content: tuple[bytes, int] | None, revisit: int
    ) -> None:
        head = record.http_headers
        self.offset.append(offset)
        self.uri.append(url_hash(record.headers.get("WARC-Target-URI") or ""))
        self.size.append(size)
        self.status.append((head.status_code if head is not None else None) or -1)
        self.content.append(content[0] if content is not None else bytes(DIGEST_BYTES))
        self.content_size.append(content[1] if content is not None else -1)
        self.is_cut.append(record.headers.get("WARC-Truncated") is not None)
        self.payload.append(_digest(record.headers.get("WARC-Payload-Digest")))
        self.revisit.append(revisit)
        self.refers.append(url_hash(record.headers.get("WARC-Refers-To-Target-URI") or ""))
        self.date.append(_microseconds(record.headers.get("WARC-Date")) if revisit != NO_REVISIT else 0)

    def end(self, part: _CommittedPart) -> None:
        """The last record's gzip member is whole, and ends where the commit does."""
        end = _end_of_member(part, self.last_offset, self.committed) if self.records else 0
        if end is None:
            text = f"the record at this offset breaks off at the committed length, {self.committed:,}"
            self._problem("records_are_readable", self.last_offset, text)
        elif end != self.committed:
            text = f"no records from this offset to the committed length, {self.committed:,}"
            self._problem("records_are_readable", end, text)

    def whole_file(self, part: _CommittedPart, xxh3: str) -> None:
        """The file is as long as the commit says, and up to there unchanged."""
        missing, digest = part.read_to_end()
        if missing:
            text = f"is {self.committed - missing:,} bytes long; {self.committed:,} were committed"
            self._problem("warc_is_as_committed", None, text)
        elif digest != xxh3:
            text = f"the committed part has changed since (xxh3 {digest}, not {xxh3})"
            self._problem("warc_is_as_committed", None, text)

    def responses(self, readable: int) -> Responses:
        return Responses(
            np.array(self.offset, dtype=np.int64),
            np.array(self.uri, dtype=np.uint64),
            np.array(self.size, dtype=np.int64),
            np.array(self.status, dtype=np.int64),
            np.frombuffer(b"".join(self.content), dtype=f"V{DIGEST_BYTES}"),
            np.array(self.content_size, dtype=np.int64),
            np.array(self.is_cut, dtype=np.bool_),
            np.frombuffer(b"".join(self.payload), dtype=f"V{DIGEST_BYTES}"),
            np.array(self.revisit, dtype=np.int64),
            np.array(self.refers, dtype=np.uint64),
            np.array(self.date, dtype=np.int64),
            readable,
            self.records,
        )

    def _problem(self, kind: str, offset: int | None, text: str) -> None:
        self.report(kind, [Problem(self.name, offset, text)])


def _digest(label: str | None) -> bytes:
    """The SHA-1 that WARC writes in base 32; zeros if there is none."""
    try:
        digest = b32decode((label or "").removeprefix("sha1:"))
    except ValueError:
        digest = b""
    return digest if len(digest) == DIGEST_BYTES else bytes(DIGEST_BYTES)


def _microseconds(date: str | None) -> int:
    """A WARC-Date in microseconds since 1970; -1 if it is none."""
    try:
        return int(datetime.fromisoformat(date or "").timestamp() * 1e6)
    except ValueError:
        return -1


def _described(record: WarcRecord) -> str:
    return f"{record.record_type} {record.headers.get('WARC-Target-URI') or ''}".strip()


def _end_of_member(part: _CommittedPart, offset: int, limit: int) -> int | None:
    """Where the gzip member at ``offset`` ends; None if it is not whole before ``limit``."""
    stream = isal_zlib.decompressobj(_GZIP_FORMAT)
    while not stream.eof:
        data = part.bytes_at(offset, min(_CHUNK_BYTES, limit - offset))
        if not data:
            return None
        try:
            stream.decompress(data)
        except IsalError:  # type: ignore[misc]  # its stub is no class
            return None
        offset += len(data)
    return offset - len(stream.unused_data)


def content_coding(head: HeaderMap | None) -> str:
    """The content encoding that a header block states, in lower case; empty if there is none."""
    stated = ",".join(head.get_multiple("Content-Encoding")).lower() if head is not None else ""
    return ",".join(coding for part in stated.split(",") if (coding := part.strip()) not in ("", "identity"))


def decoded_content(payload: bytes, coding: str) -> tuple[bytes, int] | None:
    """SHA-1 and length of a body without its content encoding; None if this cannot take it off, or it is damaged."""
    if not coding or not payload:
        return sha1(payload).digest(), len(payload)
    if coding in ("gzip", "x-gzip"):
        return _inflated(payload, _GZIP_FORMAT)
    if coding == "deflate":
        # the standard means zlib's format; some servers never wrapped it
        return _inflated(payload, _ZLIB_FORMAT) or _inflated(payload, _RAW_FORMAT)
    return None


def _inflated(payload: bytes, wbits: int) -> tuple[bytes, int] | None:
    digest, length = sha1(), 0
    whole = None
    at = 0
    while at < len(payload):
        # Of small members there may be very many: none is given all that follows it, which it would copy.
        stream, size = isal_zlib.decompressobj(wbits), _FIRST_SLICE_BYTES
        try:
            while not stream.eof:
                given = payload[at : at + size]
                chunk = stream.decompress(given, _CHUNK_BYTES)
                if not given and not chunk:
                    return None
                digest.update(chunk)
                length += len(chunk)
                at += len(given) - len(stream.unused_data if stream.eof else stream.unconsumed_tail)
                size *= 2
        except IsalError:  # type: ignore[misc]  # its stub is no class
            return whole  # what follows a whole member is padding, not another member
        whole = digest.digest(), length
    return whole

"""WARC 1.1 files: written a record at a time, read by any tool that knows the format.

A page is a response record (what came, as it came over the wire) and a request record (what was asked), each in a
gzip member of its own, so that a reader can jump to any offset.  Where another record has the body already, a revisit
record stands for the response (WARC 1.1, section 6.7).  A robots.txt is kept in the same way, marked as one by a field
of ours, since it is no page.  The records are put together here rather than by a
library because a body that the server already compressed must not be compressed again: such a member is written
*stored*, at a fraction of what warcio's costs (docs/performance.md).  Reading is FastWARC's.
"""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64

from sessions.storage.gzip_members import compressed_member, stored_member
from sessions.storage.os_errors import naming

SOFTWARE = "cutweb"
PURPOSE = "X-Crawler-Purpose"
"""A field of records that belong to no page; its value says what they are for."""
ROBOTS = "robots"
"""The purpose of the requests for robots.txt files and of what they were answered with, redirects and all."""
ROLL_OVER_BYTES = 1 << 30
_WRITE_BEHIND_BYTES = 1 << 20
_BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".ljust(256)
_SHA1_BITS, _BASE32_BITS = 160, 5
_OF_THE_BODY = frozenset((b"transfer-encoding", b"content-length"))
_FORMAT = {
    "format": "WARC File Format 1.1",
    "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}

IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""Profile of a revisit whose payload came, and is the same as another record's."""
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
"""Profile of a revisit whose payload did not come, because the server says that it has not changed."""


class Place(NamedTuple):
    """Where a record stands: the file's name, and the offset and length of its gzip member in bytes."""

    file: str
    offset: int
    length: int


class Revisit(NamedTuple):
    """Why a body is not stored: a profile of WARC's, and the record that has it, by URL and start of the fetch."""

    profile: str
    url: str
    fetched: float


class Exchange(NamedTuple):
    """One HTTP exchange as it is to be kept.

    ``response_head`` and ``request_head`` are header blocks that end in an empty line and describe the message as
    it is stored (see `stored_head`); an empty ``request_head`` writes no request record.  ``body`` is what came,
    still content-encoded.  ``fetched`` is the start of the fetch in seconds since 1970, UTC.  ``truncated`` is
    WARC's reason (length, time, disconnect) or empty.  ``payload_digest`` is the SHA-1 of what came as the body, if
    that is known already.  With a ``revisit`` no body is stored.  ``purpose`` is `ROBOTS`, or empty for a page.
    """

    url: str
    fetched: float
    response_head: bytes
    body: bytes
    request_head: bytes = b""
    ip: str = ""
    truncated: str = ""
    protocol: str = ""
    payload_digest: bytes | None = None
    revisit: Revisit | None = None
    purpose: str = ""


class Members(NamedTuple):
    """A page's records as they will stand in a file: the gzip members of the response and, if any, of the request."""

    response: bytes
    request: bytes

    @property
    def nbytes(self) -> int:
        """Bytes of both."""
        return len(self.response) + len(self.request)


def members_of(exchange: Exchange, common: bytes = b"") -> Members:
    """A page's records, ready to be appended to a file, now or later.

    ``common`` are header lines that both have, such as the one that names a warcinfo record.
    """
    about = b"WARC-Date: %b\r\nWARC-Target-URI: %b\r\n%b" % (_date(exchange.fetched), exchange.url.encode(), common)
    if exchange.purpose:
        about += b"%b: %b\r\n" % (PURPOSE.encode(), exchange.purpose.encode())
    random = os.urandom(32).hex()
    response_id = _record_id(random[:32])
    response = _response_record(exchange, response_id, about)
    if not exchange.request_head:
        return Members(response, b"")
    return Members(response, _request_record(exchange, _record_id(random[32:]), response_id, about))


class WarcFile:
    """One WARC file, appended to.  Records reach the file whole, in large writes; `flush` forces them out.

    The file is made exclusively: an existing one raises FileExistsError.  ``information`` are fields of its warcinfo
    record beside those that say what wrote it, and in which format; ``info_id`` is that record's id.
    """

    def __init__(self, path: Path, information: Mapping[str, str] | None = None, info_id: bytes = b"") -> None:
        self.path = path
        info_id = info_id or new_record_id()
        self._common = _naming(info_id)
        self.length = 0
        self._digest = xxh3_64()
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._append(_info_record(path.name, info_id, information or {}))

    def append(self, exchange: Exchange) -> Place:
        """Append a page's response record and, if there is a request, its request record."""
        return self.append_members(members_of(exchange, self._common))

    def append_members(self, members: Members) -> Place:
        """Append a page's records; the place is that of the response."""
        place = Place(self.path.name, self.length, len(members.response))
        self._append(members.response, members.request)
        if self._pending_bytes >= _WRITE_BEHIND_BYTES:
            self.flush()
        return place

    def flush(self) -> None:
        """Hand everything appended so far to the operating system."""
        if not self._pending:
            return
        data = b"".join(self._pending)
        self._pending.clear()
        self._pending_bytes = 0
        view = memoryview(data)
        with naming(self.path):
            while view:
                view = view[os.write(self._descriptor, view) :]
        self._digest.update(data)

    def sync(self) -> tuple[int, str]:
        """Force the file to disk; its length in bytes and the xxh3 of that many bytes."""
        self.flush()
        with naming(self.path):
            os.fsync(self._descriptor)
        return self.length, self._digest.hexdigest()

    def close(self) -> None:
        """Flush and close the file; nothing can be appended afterwards."""
        self.flush()
        os.close(self._descriptor)

    def _append(self, *members: bytes) -> None:
        self._pending += members
        size = sum(map(len, members))
        self._pending_bytes += size
        self.length += size


class WarcSeries:
    """A rank's WARC files: one after the other, a new one when the last has grown to ``roll_over`` bytes.

    Each begins with a warcinfo record that has the fields of ``information`` (see `WarcFile`).
    """

    def __init__(
        self,
        folder: Path,
        stem: str,
        roll_over: int = ROLL_OVER_BYTES,
        information: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._stem = stem
        self._information = information
        self._name_next_file()
        self._roll_over = roll_over
        self._count = 0
        self._current: WarcFile | None = None
        self._finished: list[tuple[str, int, str]] = []

    def prepare(self, exchange: Exchange) -> Members:
        """A page's records as they are appended, now or later.

        They name the warcinfo record of the file that the next records go to.  Should they wait for longer than that,
        it is in a file before theirs, and says the same.
        """
        return members_of(exchange, self._common)

    def append(self, members: Members) -> Place:
        """Append a page's records to the current file."""
        current = self._current
        if current is None or current.length >= self._roll_over:
            current = self._next_file()
        place = current.append_members(members)
        if current.length >= self._roll_over:
            self._name_next_file()
        return place

    def sync(self) -> list[tuple[str, int, str]]:
        """Force everything to disk: (name, committed length, xxh3) of the files that grew since the last call."""
        grown, self._finished = self._finished, []
        if self._current is not None:
            grown.append((self._current.path.name, *self._current.sync()))
        return grown

    def flush(self) -> None:
        """Hand everything appended so far to the operating system."""
        if self._current is not None:
            self._current.flush()

    def close(self) -> None:
        """Close the current file."""
        if self._current is not None:
            self._current.close()
            self._current = None

    def _name_next_file(self) -> None:
        self._info_id = new_record_id()
        self._common = _naming(self._info_id)

    def _next_file(self) -> WarcFile:
        if self._current is not None:
            self._finished.append((self._current.path.name, *self._current.sync()))
            self._current.close()
        path = self._folder / f"{self._stem}-{self._count:05d}.warc.gz"
        self._current = WarcFile(path, self._information, self._info_id)
        self._count += 1
        return self._current


def stored_head(lines: list[bytes], body_bytes: int) -> bytes:
    """A response's header block as it describes the stored body.

    ``lines`` are the header lines as received, status line first, each with its line end.  An HTTP/2 status line
    becomes HTTP/1.1.  The transfer encoding has been taken off, so its header is renamed; there is one Content-Length,
    that of what is stored, so that a reader finds the body where the header says: others are renamed, too.
    """
    kept, length = [_http1_status_line(lines[0])], b""
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        name = name.strip().lower()
        if name in _OF_THE_BODY:
            if name == b"content-length" and not length and value.strip() == b"%d" % body_bytes:
                length = line.partition(b":")[0].strip() + b": %d\r\n" % body_bytes
                kept.append(length)
            else:
                kept.append(b"X-Crawler-" + line.strip() + b"\r\n")
        elif line.strip():
            kept.append(line.rstrip(b"\r\n") + b"\r\n")
    kept.append(b"\r\n" if length else b"Content-Length: %d\r\n\r\n" % body_bytes)
    return b"".join(kept)


def protocol_of(lines: list[bytes]) -> str:
    """WARC-Protocol for a response that did not come over HTTP/1: h2 or h3; empty for one that did."""
    return {b"HTTP/2": "h2", b"HTTP/3": "h3"}.get(lines[0].partition(b" ")[0][:6], "")


def _http1_status_line(line: bytes) -> bytes:
    version, _, rest = line.strip().partition(b" ")
    if version.startswith(b"HTTP/1."):
        return line.strip() + b"\r\n"
    return b"HTTP/1.1 " + rest + b"\r\n"


def sha1_label(digest: bytes) -> bytes:
    """A SHA-1 as WARC writes it: ``sha1:`` and base 32, of which base64.b32encode makes a digit at a time.

    Here the digits move apart together, in halves of halves, until each has a byte of its own.
    """
    number = int.from_bytes(digest)
    for shift, low_halves, high_halves in _HALVINGS:
        number = number & low_halves | number << shift & high_halves
    return b"sha1:" + number.to_bytes(_SHA1_BITS // _BASE32_BITS).translate(_BASE32)


def _halvings() -> Iterator[tuple[int, int, int]]:
    """By how much the high halves move at each step, and where the low ones stand then, and the high ones."""
    bits, room = _SHA1_BITS, _SHA1_BITS // _BASE32_BITS * 8
    while bits > _BASE32_BITS:
        half = (1 << bits // 2) - 1
        low = sum(half << place for place in range(0, _SHA1_BITS // _BASE32_BITS * 8, room))
        yield room // 2 - bits // 2, low, low << room // 2
        bits, room = bits // 2, room // 2


_HALVINGS = tuple(_halvings())


def _response_record(exchange: Exchange, record_id: bytes, about: bytes) -> bytes:
    """The member of the response record, or of the revisit record in its place.

    ``about`` are header lines that request and response share.
    """
    revisit = exchange.revisit
    body = b"" if revisit else exchange.body
    block = sha1(exchange.response_head)
    block.update(body)
    head = (
        b"WARC/1.1\r\nWARC-Type: %b\r\nWARC-Record-ID: %b\r\n%b%bWARC-Block-Digest: %b\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    ) % (
        b"revisit" if revisit else b"response",
        record_id,
        about,
        _optional_fields(exchange),
        sha1_label(block.digest()),
        len(exchange.response_head) + len(body),
    )
    record = b"".join((head, exchange.response_head, body, b"\r\n\r\n"))
    is_compressed = body and b"\ncontent-encoding:" in exchange.response_head.lower()
    return stored_member(record) if is_compressed else compressed_member(record)


def _optional_fields(exchange: Exchange) -> bytes:
    """The header fields of a response or revisit record that not every such record has."""
    revisit = exchange.revisit
    fields = []
    if exchange.ip:
        fields.append(b"WARC-IP-Address: %s\r\n" % exchange.ip.encode())
    if exchange.truncated:
        fields.append(b"WARC-Truncated: %s\r\n" % exchange.truncated.encode())
    if exchange.protocol:
        fields.append(b"WARC-Protocol: %s\r\n" % exchange.protocol.encode())
    if revisit:
        names = b"WARC-Profile: %s\r\nWARC-Refers-To-Target-URI: %s\r\nWARC-Refers-To-Date: %s\r\n"
        fields.append(names % (revisit.profile.encode(), revisit.url.encode(), _date(revisit.fetched)))
    if revisit is None or revisit.profile == IDENTICAL:
        payload = exchange.payload_digest or sha1(exchange.body).digest()
        fields.append(b"WARC-Payload-Digest: %s\r\n" % sha1_label(payload))
    return b"".join(fields)


def _request_record(exchange: Exchange, record_id: bytes, response_id: bytes, about: bytes) -> bytes:
    head = (
        b"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: %b\r\n%bWARC-Concurrent-To: %b\r\n"
        b"WARC-Block-Digest: %b\r\nContent-Type: application/http; msgtype=request\r\nContent-Length: %d\r\n\r\n"
    ) % (
        record_id,
        about,
        response_id,
        sha1_label(sha1(exchange.request_head).digest()),
        len(exchange.request_head),
    )
    return stored_member(head + exchange.request_head + b"\r\n\r\n")


def _info_record(name: str, record_id: bytes, information: Mapping[str, str]) -> bytes:
    """The member of the record that a file begins with; its fields are those of WARC 1.1, section 6.2."""
    from sessions.version import software_version  # nor does everyone who writes a WARC file need the tables

    fields = {"software": f"{SOFTWARE}/{software_version()}", **information, **_FORMAT}
    lines = [f"{field}: {' '.join(value.split())}\r\n" for field, value in fields.items() if value]
    body = "".join(lines).encode()
    head = (
        b"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\nWARC-Filename: %s\r\n"
        b"WARC-Block-Digest: %s\r\nContent-Type: application/warc-fields\r\nContent-Length: %d\r\n\r\n"
    ) % (
        record_id,
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode(),
        name.encode(),
        sha1_label(sha1(body).digest()),
        len(body),
    )
    return compressed_member(head + body + b"\r\n\r\n")


def _naming(info_id: bytes) -> bytes:
    """The header line that names a file's warcinfo record."""
    return b"WARC-Warcinfo-ID: %s\r\n" % info_id


def new_record_id() -> bytes:
    """A random UUID, version 4 (RFC 9562)."""
    return _record_id(os.urandom(16).hex())


def _record_id(digits: str) -> bytes:
    """The UUID of 32 random digits."""
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}>".encode()


def _date(seconds: float) -> bytes:
    at = datetime.fromtimestamp(seconds, UTC)
    parts = (at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond)
    return b"%04d-%02d-%02dT%02d:%02d:%02d.%06dZ" % parts  # isoformat takes twice as long

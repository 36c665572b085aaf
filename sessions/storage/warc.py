"""WARC 1.1 records, put together.

A page is a response record (what came, as it came over the wire) and a request record (what was asked), each in a
gzip member of its own, so that a reader can jump to any offset.  Where another record has the body already, a revisit
record stands for the response (WARC 1.1, section 6.7).  A robots.txt is kept in the same way, marked as one by a field
of ours, since it is no page.  The records are put together here rather than by a library because a body that the server
already compressed must not be compressed again: such a member is written *stored*, at a fraction of what warcio's costs
(docs/performance.md).  `sessions.storage.warc_file` appends them to files; reading is FastWARC's.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha1
from typing import NamedTuple

from sessions.storage.gzip_members import compressed_member, stored_member
from sessions.storage.warc_digest import sha1_label

SOFTWARE = "cutweb"
PURPOSE = "X-Crawler-Purpose"
"""A field of records that belong to no page; its value says what they are for."""
ROBOTS = "robots"
"""The purpose of the requests for robots.txt files and of what they were answered with, redirects and all."""
_FORMAT = {
    "format": "WARC File Format 1.1",
    "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}

IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""Profile of a revisit whose payload came, and is the same as another record's."""
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
"""Profile of a revisit whose payload did not come, because the server says that it has not changed."""


class Revisit(NamedTuple):
    """Why a body is not stored: a profile of WARC's, and the record that has it, by URL and start of the fetch."""

    profile: str
    url: str
    fetched: float


class Exchange(NamedTuple):
    """One HTTP exchange as it is to be kept.

    ``response_head`` and ``request_head`` are header blocks that end in an empty line and describe the message as
    it is stored (`sessions.storage.stored_head`); an empty ``request_head`` writes no request record.  ``body`` is what
    came, still content-encoded.  ``fetched`` is the start of the fetch in seconds since 1970, UTC.  ``truncated`` is
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
    """Return a page's records, ready to be appended to a file, now or later.

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


def info_record(name: str, record_id: bytes, information: Mapping[str, str]) -> bytes:
    """Return the member of the warcinfo record that the file ``name`` begins with (WARC 1.1, section 6.2)."""
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


def naming_info(info_id: bytes) -> bytes:
    """Return the header line by which a record names its file's warcinfo record."""
    return b"WARC-Warcinfo-ID: %s\r\n" % info_id


def new_record_id() -> bytes:
    """Return a random UUID, version 4 (RFC 9562), as records are named."""
    return _record_id(os.urandom(16).hex())


def _record_id(digits: str) -> bytes:
    """The UUID of 32 random digits."""
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}>".encode()


def _date(seconds: float) -> bytes:
    at = datetime.fromtimestamp(seconds, UTC)
    parts = (at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond)
    return b"%04d-%02d-%02dT%02d:%02d:%02d.%06dZ" % parts  # isoformat takes twice as long

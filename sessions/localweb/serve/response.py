"""What a stored response says when it is sent again.

The recorded status line and headers are kept, without what concerned only the connection they came over or would no
longer be true of the stored body.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from sessions.storage.warc_index import IndexEntry, read_block

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(rb"\r?\n(?![ \t])")  # a line that begins with a space continues the one before
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: (.*))?\Z", re.DOTALL)
_CHUNK = re.compile(rb"\s*([0-9a-fA-F]+)[^\n]*\n")
_DROPPED = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-connection",
        b"transfer-encoding",
        b"te",
        b"trailer",
        b"upgrade",
        b"content-length",
    )
)
_OURS = b"x-crawler-"
_DELAY = b"x-cutweb-delay"
_MOST_DELAY_SECONDS = 3600.0
_MAGIC = {b"gzip": b"\x1f\x8b", b"x-gzip": b"\x1f\x8b", b"zstd": b"\x28\xb5\x2f\xfd"}
_BODYLESS = (204, 304)


@dataclass(frozen=True)
class Response:
    """A response as it is to be sent: status, reason, headers in order (no Content-Length) and the stored body."""

    status: int
    reason: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: bytes) -> bytes:
        """The last value of a header given in lower case, or nothing."""
        return next((value for key, value in reversed(self.headers) if key.lower() == name), b"")

    @property
    def delay(self) -> float:
        """Seconds to wait before answering."""
        try:
            return min(max(0.0, float(self.header(_DELAY))), _MOST_DELAY_SECONDS)  # 0 for nan
        except ValueError:
            return 0.0

    @cached_property
    def head(self) -> bytes:
        """The header block as sent, without the empty line at its end."""
        lines = [b"HTTP/1.1 %d %s\r\n" % (self.status, self.reason)]
        lines += [b"%s: %s\r\n" % header for header in self.headers]
        if self.status not in _BODYLESS:
            lines.append(b"Content-Length: %d\r\n" % len(self.body))
        return b"".join(lines)


def read_response(entry: IndexEntry) -> Response:
    """Read what answers for a URL.  Raises OSError or ValueError if the record is no readable HTTP response."""
    status, reason, headers, body = _parse(read_block(entry.head))
    if entry.body != entry.head:
        _, _, headers_of_body, body = _parse(read_block(entry.body))
        encodings = [header for header in headers_of_body if header[0].lower() == b"content-encoding"]
        headers = [header for header in headers if header[0].lower() != b"content-encoding"] + encodings
    kept = [(name, value) for name, value in headers if _is_kept(name.lower(), value, body)]
    return Response(status, reason, tuple(kept), b"" if status in _BODYLESS else body)


def _parse(message: bytes) -> tuple[int, bytes, list[tuple[bytes, bytes]], bytes]:
    end = _HEAD_END.search(message)
    head, body = (message[: end.start()], message[end.end() :]) if end else (message.rstrip(b"\r\n"), b"")
    first, *lines = _LINE_END.split(head)
    match = _STATUS.match(first)
    if match is None or int(match[1]) < 200:
        raise ValueError(f"not a status line: {first[:80]!r}")
    headers: list[tuple[bytes, bytes]] = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            headers.append((name.strip(), b" ".join(value.split())))
    if any(name.lower() == b"transfer-encoding" and b"chunked" in value.lower() for name, value in headers):
        body = _without_chunks(body)
    return int(match[1]), (match[2] or b"").strip(), headers, body


def _is_kept(name: bytes, value: bytes, body: bytes) -> bool:
    if name == b"content-encoding":
        return _is_encoded(value.lower(), body)
    return name not in _DROPPED and not name.startswith(_OURS)


def _is_encoded(encoding: bytes, body: bytes) -> bool:
    """Whether a body can be in the encoding that its header claims; many tools store it decoded."""
    if encoding in (b"identity", b""):
        return False
    magic = _MAGIC.get(encoding)
    if magic is not None:
        return body.startswith(magic)
    return not _is_text(body[:512])  # br and deflate have no magic number, but they do not look like text


def _is_text(start: bytes) -> bool:
    controls = sum(byte < 9 or 13 < byte < 32 or byte == 127 for byte in start)
    return controls == 0


def _without_chunks(body: bytes) -> bytes:
    """A chunked body put together; a body that is not really chunked comes back as it is."""
    parts: list[bytes] = []
    at = 0
    while match := _CHUNK.match(body, at):
        size = int(match[1], 16)
        if size == 0:
            return b"".join(parts)
        parts.append(body[match.end() : match.end() + size])
        at = match.end() + size
    return body if at < len(body) or not parts else b"".join(parts)

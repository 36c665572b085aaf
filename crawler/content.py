"""From the bytes of the wire to the bytes of the document: content encodings taken off, within a limit."""

import zlib

from isal import isal_zlib

TOO_LARGE = "decoded-size"
"""What went wrong: the document is larger than the limit."""
DAMAGED = "compression"
"""What went wrong: the compressed data makes no sense."""
BROKEN_OFF = "compression-cut"
"""What went wrong: the compressed data ends too early."""
UNKNOWN_ENCODING = "content-encoding"
"""What went wrong: an encoding that was not asked for."""

_GZIP = 31
_FIRST_SLICE = 1 << 10
_MOST_ENCODINGS = 5
_ZLIB = 15
_RAW_DEFLATE = -15


_GZIP_MAGIC = b"\x1f\x8b"
_NOT_OURS = {"br", "zstd", "compress", "x-compress", "dcb", "dcz"}


def decoded(body: bytes, encoding: str, limit: int) -> tuple[bytes, str]:
    """The document and an empty string, or as much of it as could be decoded and what went wrong.

    ``encoding`` is the Content-Encoding header in lower case: encodings in the order in which they were applied.
    What is none at all (some servers say utf-8 there) counts for nothing, as with browsers.  ``limit`` bounds the
    document in bytes, whatever a small body claims to expand to.
    """
    document, error = body, ""
    names = encoding.split(",")
    if len(names) > _MOST_ENCODINGS:
        return b"", UNKNOWN_ENCODING
    for name in reversed(names):
        document, error = _without(document, name.strip(), limit)
        if error:
            break
    return document, error


def _without(body: bytes, encoding: str, limit: int) -> tuple[bytes, str]:
    match encoding:
        case "gzip" | "x-gzip":
            return _inflated(body, _GZIP, limit) if _GZIP_MAGIC.startswith(body[:2]) else (body, "")
        case "deflate":
            # RFC 9110 means zlib's format; some servers send bare deflate.
            is_zlib = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
            return _inflated(body, _ZLIB if is_zlib else _RAW_DEFLATE, limit)
        case _ if encoding in _NOT_OURS:
            return b"", UNKNOWN_ENCODING
        case _:
            return body, ""


def _inflated(body: bytes, window: int, limit: int) -> tuple[bytes, str]:
    """Decode one member after the other; the first is given everything at once, as there is seldom another."""
    pieces: list[bytes] = []
    room, at, size, is_first = limit, 0, len(body), True
    while at < len(body):
        inflater = isal_zlib.decompressobj(window)
        while not inflater.eof and at < len(body):
            given = body[at : at + size]
            try:
                piece = inflater.decompress(given, room + 1)
            except isal_zlib.error:  # type: ignore[misc]  # its stub declares an instance
                return (_as_far_as_possible(body, window, limit), DAMAGED) if is_first else (b"".join(pieces), "")
            pieces.append(piece[:room])
            if len(piece) > room:
                return b"".join(pieces), TOO_LARGE
            room -= len(piece)
            at, size = at + len(given), 2 * size
        if not inflater.eof:
            return b"".join(pieces), BROKEN_OFF
        at -= len(inflater.unused_data)
        if not body.startswith(_GZIP_MAGIC, at):  # padding, not another member
            break
        is_first, size = False, _FIRST_SLICE  # or each of many small ones would be given all that follows
    return pieces[0] if len(pieces) == 1 else b"".join(pieces), ""


def _as_far_as_possible(body: bytes, window: int, limit: int) -> bytes:
    """Decode in small steps, so that what lies before the damage is kept."""
    inflater = zlib.decompressobj(window)
    pieces = []
    room = limit
    for start in range(0, len(body), 512):
        try:
            piece = inflater.decompress(body[start : start + 512], max(room, 1))
        except zlib.error:
            break
        pieces.append(piece[:room])
        room -= len(pieces[-1])
        if room <= 0:
            break
    return b"".join(pieces)

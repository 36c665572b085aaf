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

_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_MEMBER = b"\x1f\x8b\x08"
_GZIP_HEAD_BYTES, _GZIP_TAIL_BYTES = 10, 8
_HEAD_CHECKSUM, _EXTRA_FIELD, _FILE_NAME, _COMMENT = 2, 4, 8, 16  # flags of a gzip member (RFC 1952, 2.3.1)
_ZLIB_HEAD_BYTES = 2
_FIRST_SLICE = 1 << 10
_MENDING_STEP = 512
_MOST_ENCODINGS = 5
_NO_ENCODING = ("", "identity")
_NOT_OURS = {"br", "zstd", "compress", "x-compress", "dcb", "dcz"}


def decoded(body: bytes, encoding: str, limit: int) -> tuple[bytes, str]:
    """The document and an empty string, or as much of it as could be decoded and what went wrong.

    ``encoding`` is the Content-Encoding header in lower case: encodings in the order in which they were applied.
    What is none at all (some servers say utf-8 there) counts for nothing, as with browsers.  ``limit`` bounds the
    document in bytes, whatever a small body claims to expand to, and what lies between two encodings as well.
    """
    document, first_error = body, ""
    names = [name for name in map(str.strip, encoding.split(",")) if name not in _NO_ENCODING]
    if len(names) > _MOST_ENCODINGS:
        return b"", UNKNOWN_ENCODING
    for name in reversed(names):
        document, error = _without(document, name, limit)
        first_error = first_error or error
    return document, first_error


def _without(body: bytes, encoding: str, limit: int) -> tuple[bytes, str]:
    match encoding:
        case "gzip" | "x-gzip":
            return _inflated(body, _GZIP, limit) if _GZIP_MAGIC.startswith(body[:2]) else (body, "")
        case "deflate":
            # RFC 9110 means zlib's format; some servers send bare deflate.
            return _inflated(body, _ZLIB if _is_zlib(body) else _RAW_DEFLATE, limit)
        case _ if encoding in _NOT_OURS:
            return b"", UNKNOWN_ENCODING
        case _:
            return body, ""


def _is_zlib(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _inflated(body: bytes, window: int, limit: int) -> tuple[bytes, str]:
    """Decode one member after the other; the first is given everything at once, as there is seldom another."""
    pieces: list[bytes] = []
    room, at, size = limit, 0, len(body)
    while at < len(body):
        inflater = isal_zlib.decompressobj(window)
        while not inflater.eof and at < len(body):
            given = body[at : at + size]
            try:
                piece = inflater.decompress(given, room + 1)
            except isal_zlib.error:  # type: ignore[misc]  # its stub declares an instance
                return _as_far_as_possible(body, window, limit)
            pieces.append(piece[:room])
            if len(piece) > room:
                return b"".join(pieces), TOO_LARGE
            room -= len(piece)
            at, size = at + len(given), 2 * size
        if not inflater.eof:
            return b"".join(pieces), BROKEN_OFF
        at -= len(inflater.unused_data)
        if window != _GZIP or not body.startswith(_GZIP_MEMBER, at):  # padding, not another member
            break
        size = _FIRST_SLICE  # or each of many small members would be given all that follows
    return pieces[0] if len(pieces) == 1 else b"".join(pieces), ""


def _as_far_as_possible(body: bytes, window: int, limit: int) -> tuple[bytes, str]:
    """Decode what can be decoded of a damaged body, whose checksums and lengths do not count.

    They stand at the end of a member, where all of its content is known already.
    """
    pieces: list[bytes] = []
    room, at, has_more = limit, 0, True
    while has_more:
        at, room, is_whole = _inflate_raw(body, _deflate_start(body, at, window), pieces, room)
        if room < 0:
            pieces[-1] = pieces[-1][:room]
            return b"".join(pieces), TOO_LARGE
        at += _GZIP_TAIL_BYTES
        has_more = is_whole and window == _GZIP and body.startswith(_GZIP_MEMBER, at)
    return b"".join(pieces), DAMAGED


def _deflate_start(body: bytes, at: int, window: int) -> int:
    """Where the deflated data of the member that begins at ``at`` begin."""
    if window != _GZIP:
        return at + (_ZLIB_HEAD_BYTES if window == _ZLIB else 0)
    flags = body[at + 3] if at + 3 < len(body) else 0
    at += _GZIP_HEAD_BYTES
    if flags & _EXTRA_FIELD:
        at += 2 + int.from_bytes(body[at : at + 2], "little")
    for flag in (_FILE_NAME, _COMMENT):
        if flags & flag:
            at = body.find(b"\0", at) + 1 or len(body)
    return at + (2 if flags & _HEAD_CHECKSUM else 0)


def _inflate_raw(body: bytes, at: int, pieces: list[bytes], room: int) -> tuple[int, int, bool]:
    """Add what bare deflate data from ``at`` on decode to, a byte more than ``room`` at most.

    Returns where they end, the room that is left (-1 if there was more), and whether they are whole.  zlib keeps back
    what it decoded in a call that fails: steps are small, and the failing one is taken again a byte at a time.
    """
    inflater, step = zlib.decompressobj(_RAW_DEFLATE), _MENDING_STEP
    while at < len(body) and not inflater.eof:
        given = body[at : at + step]
        before = inflater.copy() if step > 1 else inflater
        try:
            piece = inflater.decompress(given, room + 1)
        except zlib.error:
            if step == 1:
                break
            inflater, step = before, 1
            continue
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            break
        at += len(given)
    return at - len(inflater.unused_data), room, inflater.eof

"""Just enough of HTTP/2 (RFC 9113) to misbehave in it: frames, and header blocks without compression."""

from typing import NamedTuple

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 0x1, 0x1, 0x4
STATUS_200, STATUS_404 = b"\x88", b"\x8d"
"""Header blocks of one indexed field (RFC 7541, appendix A)."""


class Frame(NamedTuple):
    """A frame as it was read."""

    kind: int
    flags: int
    stream: int
    payload: bytes


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    """A frame as it goes over the wire."""
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field, neither indexed nor packed (RFC 7541, section 6.2.2)."""
    return b"\x00" + _length(name) + name + _length(value) + value


def _length(text: bytes) -> bytes:
    """A length with a prefix of seven bits (RFC 7541, section 5.1)."""
    rest = len(text)
    if rest < 127:
        return bytes([rest])
    encoded, rest = bytearray([127]), rest - 127
    while rest >= 128:
        encoded.append(rest % 128 + 128)
        rest //= 128
    return bytes([*encoded, rest])

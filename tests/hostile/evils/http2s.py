"""HTTP/2 (RFC 9113) done wrong; robots.txt is missing there, rightly."""

from itertools import count

from tests.hostile.answers import BODY
from tests.hostile.evil import Ask, End, Place, Steps, cut, evil, failed, fetched
from tests.hostile.http2 import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    STATUS_200,
    frame,
    literal,
)

OK = STATUS_200 + literal(b"content-type", b"text/html")
HTTP2 = {"place": Place.HTTP2, "scheme": "https"}


def head(ask: Ask, block: bytes = OK) -> bytes:
    """A frame with the header of an answer."""
    return frame(HEADERS, END_HEADERS, ask.stream, block)


@evil(fetched(), **HTTP2)
def h2_good(ask: Ask) -> Steps:
    """No evil, but HTTP/2 done right: the others fail for their own sake."""
    yield head(ask) + frame(DATA, END_STREAM, ask.stream, BODY)
    yield End.KEEP


@evil(failed("protocol"), **HTTP2)
def h2_goaway(ask: Ask) -> Steps:
    """Goes away before it has answered."""
    yield frame(GOAWAY, payload=(0).to_bytes(4) + (2).to_bytes(4) + b"go away\r\nX: y")


@evil(failed("protocol"), **HTTP2)
def h2_stream_reset(ask: Ask) -> Steps:
    """The stream is reset instead of answered."""
    yield frame(RST_STREAM, stream=ask.stream, payload=(2).to_bytes(4))
    yield End.KEEP


@evil(failed("disconnect"), **HTTP2)
def h2_stream_refused(ask: Ask) -> Steps:
    """The stream is refused, which invites to ask again at once."""
    yield frame(RST_STREAM, stream=ask.stream, payload=(7).to_bytes(4))
    yield End.KEEP


@evil(cut("unspecified", "protocol"), failed("protocol"), **HTTP2)
def h2_reset_in_body(ask: Ask) -> Steps:
    """The stream is reset in the middle of the body."""
    yield head(ask) + frame(DATA, 0, ask.stream, BODY) + frame(RST_STREAM, stream=ask.stream, payload=(2).to_bytes(4))
    yield End.KEEP


@evil(failed("protocol"), **HTTP2)
def h2_garbage(_ask: Ask) -> Steps:
    """Garbage instead of frames."""
    yield bytes(range(255, -1, -1)) * 100


@evil(failed("protocol"), failed("disconnect"), failed("header-size"), **HTTP2)
def h2_endless_continuation(ask: Ask) -> Steps:
    """A header block that goes on in frame after frame."""
    yield frame(HEADERS, 0, ask.stream, OK)
    for number in count():
        yield frame(CONTINUATION, 0, ask.stream, literal(b"x-%d" % number, b"v" * 4000) * 4)


@evil(failed("protocol"), failed("header-size"), **HTTP2)
def h2_header_bomb(ask: Ask) -> Steps:
    """A field of 4 kB put into the table once, then named 16,000 times in one frame."""
    stored = b"\x40" + literal(b"x-bomb", b"v" * 3900)[1:]
    yield head(ask, OK + stored + b"\xbe" * 12_000)
    yield frame(DATA, END_STREAM, ask.stream, BODY)


@evil(failed("timeout"), failed("idle"), failed("disconnect"), **HTTP2)
def h2_settings_flood(_ask: Ask) -> Steps:
    """Settings without end, each to be acknowledged."""
    while True:
        yield frame(SETTINGS) * 100


@evil(failed("timeout"), failed("idle"), failed("disconnect"), **HTTP2)
def h2_ping_flood(_ask: Ask) -> Steps:
    """Pings without end, each to be acknowledged."""
    while True:
        yield frame(PING, payload=bytes(8)) * 100


@evil(cut("length", "size"), **HTTP2)
def h2_endless_body(ask: Ask) -> Steps:
    """A body without end."""
    yield head(ask)
    while True:
        yield frame(DATA, 0, ask.stream, b"x" * 16_000)


@evil(cut("unspecified", "protocol"), failed("protocol"), **HTTP2)
def h2_empty_frames(ask: Ask) -> Steps:
    """Frames of a body with nothing in them, without end."""
    yield head(ask)
    while True:
        yield frame(DATA, 0, ask.stream) * 100


@evil(failed("protocol"), fetched(), **HTTP2)
def h2_push(ask: Ask) -> Steps:
    """Pushes what nobody asked for."""
    promised = (2).to_bytes(4) + b"\x82\x84\x86" + literal(b":authority", b"127.0.0.1")
    yield frame(PUSH_PROMISE, END_HEADERS, ask.stream, promised)
    yield head(ask) + frame(DATA, END_STREAM, ask.stream, BODY)


@evil(fetched(), **HTTP2)
def h2_header_injection(ask: Ask) -> Steps:
    """Line ends in a header value, which HTTP/2 can carry, meant for whoever writes it down as HTTP/1.1."""
    yield head(ask, OK + literal(b"etag", b"a\r\nX-Injected: yes\r\n\r\nWARC/1.1"))
    yield frame(DATA, END_STREAM, ask.stream, BODY)
    yield End.KEEP


@evil(failed("protocol"), failed("disconnect"), **HTTP2)
def h2_two_statuses(ask: Ask) -> Steps:
    """Two statuses, and a pseudo-header of a request."""
    yield head(ask, OK + STATUS_200 + literal(b":path", b"/"))
    yield frame(DATA, END_STREAM, ask.stream, BODY)


@evil(failed("protocol"), cut("unspecified", "protocol"), **HTTP2)
def h2_wrong_length(ask: Ask) -> Steps:
    """A body shorter than its content-length."""
    yield head(ask, OK + literal(b"content-length", b"%d" % (2 * len(BODY))))
    yield frame(DATA, END_STREAM, ask.stream, BODY)
    yield End.KEEP

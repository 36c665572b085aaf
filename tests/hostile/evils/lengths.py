"""Bodies that are not as long as they are said to be."""

from tests.hostile.answers import BODY, OK, answer, chunk
from tests.hostile.evil import Ask, End, Pause, Steps, cut, evil, failed, fetched


@evil(cut("length", "size"))
def endless_body(_ask: Ask) -> Steps:
    """A body of no stated length that does not end."""
    yield OK + b"Connection: close\r\n\r\n"
    while True:
        yield BODY * 100


@evil(cut("length", "size"))
def body_beyond_the_limit(_ask: Ask) -> Steps:
    """A body of 100 MB, honestly announced."""
    yield OK + b"Content-Length: 100000000\r\n\r\n"
    for _ in range(1000):
        yield b"x" * 100_000


@evil(cut("time", "timeout"))
def slow_body(_ask: Ask) -> Steps:
    """Slow loris: a byte of the body now and then."""
    yield OK + b"\r\n"
    while True:
        yield b"."
        yield Pause(0.2)


@evil(cut("time", "idle"))
def stalled_body(_ask: Ask) -> Steps:
    """Half the body, then nothing for ever."""
    yield OK + b"Content-Length: %d\r\n\r\n%b" % (2 * len(BODY), BODY)
    yield End.SILENCE


@evil(cut("time", "idle"))
def length_without_body(_ask: Ask) -> Steps:
    """Announces a body and sends none, on a connection that stays open."""
    yield OK + b"Content-Length: 1000\r\n\r\n"
    yield End.SILENCE


@evil(cut("time", "idle"))
def huge_length(_ask: Ask) -> Steps:
    """Announces an exabyte, sends a few bytes and stays."""
    yield OK + b"Content-Length: 1000000000000000000\r\n\r\n" + BODY
    yield End.SILENCE


@evil(cut("disconnect", "disconnect"))
def length_too_large(_ask: Ask) -> Steps:
    """Closes before the announced length is reached."""
    yield OK + b"Content-Length: %d\r\n\r\n%b" % (len(BODY) + 1, BODY)


@evil(fetched())
def length_too_small(_ask: Ask) -> Steps:
    """Sends much more than announced, with a forged answer in the rest, and keeps the connection."""
    forged = answer(b"<a href=/forged>forged</a>")
    yield OK + b"Content-Length: 10\r\n\r\n0123456789" + forged
    yield End.KEEP


@evil(fetched())
def length_of_zero(_ask: Ask) -> Steps:
    """Announces nothing, sends a page."""
    yield OK + b"Content-Length: 0\r\n\r\n" + BODY
    yield End.KEEP


@evil(failed("protocol"))
def two_lengths(_ask: Ask) -> Steps:
    """Two different lengths."""
    yield OK + b"Content-Length: 5\r\nContent-Length: 10\r\n\r\n0123456789"


@evil(fetched())
def twice_the_same_length(_ask: Ask) -> Steps:
    """The same length twice."""
    yield OK + b"Content-Length: 10\r\nContent-Length: 10\r\n\r\n0123456789"


@evil(failed("protocol"))
def negative_length(_ask: Ask) -> Steps:
    """A length below zero."""
    yield OK + b"Content-Length: -1\r\n\r\n" + BODY


@evil(failed("protocol"))
def length_in_words(_ask: Ask) -> Steps:
    """A length that is no number."""
    yield OK + b"Content-Length: twelve\r\n\r\n" + BODY


@evil(failed("protocol"))
def hexadecimal_length(_ask: Ask) -> Steps:
    """A length in hexadecimal."""
    yield OK + b"Content-Length: 0x10\r\n\r\n" + BODY


@evil(fetched())
def list_of_lengths(_ask: Ask) -> Steps:
    """A length that is a list of the same twice (RFC 9110, section 8.6)."""
    yield OK + b"Content-Length: 10, 10\r\n\r\n0123456789"


@evil(cut("time", "idle"), failed("protocol"))
def overflowing_length(_ask: Ask) -> Steps:
    """A length beyond 64 bits."""
    yield OK + b"Content-Length: 99999999999999999999999999\r\n\r\n" + BODY
    yield End.SILENCE


@evil(fetched())
def length_and_chunks(_ask: Ask) -> Steps:
    """Both a length and chunks: request smuggling's first step (RFC 9112, section 6.1); chunks count."""
    yield OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(BODY) + chunk(b"")
    yield End.KEEP


@evil(fetched(204))
def body_without_content(_ask: Ask) -> Steps:
    """A body where there is none: 204 No Content, and then some."""
    yield b"HTTP/1.1 204 No Content\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    yield End.KEEP


@evil(cut("disconnect", "disconnect"))
def reset_in_body(_ask: Ask) -> Steps:
    """The connection is reset in the middle of the body."""
    yield OK + b"Content-Length: %d\r\n\r\n%b" % (3 * len(BODY), BODY)
    yield Pause(0.1)
    yield End.RESET

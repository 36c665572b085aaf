"""Chunked bodies (RFC 9112, section 7.1) that are not."""

from tests.hostile.answers import BODY, OK, chunk
from tests.hostile.evil import Ask, End, Steps, cut, evil, failed, fetched

CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@evil(cut("length", "size"))
def endless_chunks(_ask: Ask) -> Steps:
    """Chunks without end."""
    yield CHUNKED
    while True:
        yield chunk(BODY * 20)


@evil(cut("disconnect", "disconnect"))
def chunks_without_end(_ask: Ask) -> Steps:
    """Closes before the last chunk."""
    yield CHUNKED + chunk(BODY)


@evil(cut("disconnect", "disconnect"))
def chunk_cut_short(_ask: Ask) -> Steps:
    """Closes in the middle of a chunk."""
    yield CHUNKED + chunk(BODY)[:100]


@evil(cut("unspecified", "protocol"))
def chunk_sizes_of_garbage(_ask: Ask) -> Steps:
    """A good chunk, then one whose size is no number."""
    yield CHUNKED + chunk(BODY) + b"many\r\n" + BODY + b"\r\n0\r\n\r\n"


@evil(cut("unspecified", "protocol"))
def chunk_without_size(_ask: Ask) -> Steps:
    """Says chunked and sends the plain page."""
    yield CHUNKED + BODY


@evil(cut("unspecified", "protocol"))
def negative_chunk(_ask: Ask) -> Steps:
    """A chunk of a size below zero."""
    yield CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n"


@evil(cut("unspecified", "protocol"))
def overflowing_chunk(_ask: Ask) -> Steps:
    """A chunk whose size does not fit 64 bits."""
    yield CHUNKED + b"FFFFFFFFFFFFFFFFFF\r\n" + BODY


@evil(cut("time", "idle"), cut("unspecified", "protocol"))
def largest_chunk(_ask: Ask) -> Steps:
    """A chunk of all that fits 63 bits, of which little comes."""
    yield CHUNKED + b"7FFFFFFFFFFFFFFF\r\n" + BODY
    yield End.SILENCE


@evil(cut("unspecified", "protocol"))
def chunk_longer_than_its_size(_ask: Ask) -> Steps:
    """What follows the chunk is not the end of its line."""
    yield CHUNKED + b"5\r\nhello, world\r\n0\r\n\r\n"


@evil(cut("time", "idle"), cut("unspecified", "protocol"))
def endless_chunk_extension(_ask: Ask) -> Steps:
    """An extension of a chunk that never ends, after a first good chunk."""
    yield CHUNKED + chunk(BODY) + b"5;x="
    while True:
        yield b"x" * 4096


@evil(cut("unspecified", "protocol"))
def endless_chunk_size(_ask: Ask) -> Steps:
    """A chunk's size with zeros before it that never end."""
    yield CHUNKED
    while True:
        yield b"0" * 4096


@evil(cut("length", "header-size"))
def endless_trailers(_ask: Ask) -> Steps:
    """Trailer fields without end behind a whole body."""
    yield CHUNKED + chunk(BODY) + b"0\r\n"
    while True:
        yield b"X-Trailer: and on\r\n" * 200


@evil(cut("length", "header-size"))
def endless_trailer_line(_ask: Ask) -> Steps:
    """One trailer field without end behind a whole body."""
    yield CHUNKED + chunk(BODY) + b"0\r\nX-Trailer: "
    while True:
        yield b"x" * 4096


@evil(fetched())
def trailers_that_lie(_ask: Ask) -> Steps:
    """Trailer fields that would change what the answer was."""
    yield (
        CHUNKED
        + chunk(BODY)
        + b"0\r\nContent-Type: image/png\r\nLocation: http://127.0.0.1/\r\nContent-Length: 1\r\n\r\n"
    )
    yield End.KEEP


@evil(fetched())
def chunks_of_one_byte(_ask: Ask) -> Steps:
    """A body of 200 kB in chunks of one byte."""
    yield CHUNKED
    for _ in range(200):
        yield b"1\r\nx\r\n" * 1000
    yield chunk(b"")
    yield End.KEEP


@evil(failed("protocol"), fetched())
def unknown_transfer_encoding(_ask: Ask) -> Steps:
    """A transfer encoding that nobody has asked for."""
    yield OK + b"Transfer-Encoding: rot13\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


@evil(failed("protocol"), fetched(), cut("unspecified", "protocol"))
def chunked_twice(_ask: Ask) -> Steps:
    """Chunks in chunks."""
    yield OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + chunk(chunk(BODY) + chunk(b"")) + chunk(b"")

"""Headers that do not end, do not come, or are none."""

from itertools import count

from tests.hostile.answers import BODY, OK, answer
from tests.hostile.evil import Ask, End, Pause, Steps, evil, failed, fetched


@evil(failed("timeout"))
def slow_headers(_ask: Ask) -> Steps:
    """Slow loris: a header line now and then, often enough never to be idle."""
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X: x\r\n"
        yield Pause(0.2)


@evil(failed("idle"))
def slow_header_line(_ask: Ask) -> Steps:
    """Slow loris: a byte of a header line now and then; until the line has come, nothing has."""
    yield b"HTTP/1.1 200 OK\r\nX: "
    while True:
        yield b"x"
        yield Pause(0.2)


@evil(failed("idle"))
def stalled_headers(_ask: Ask) -> Steps:
    """Sends a status line and half a header, then nothing for ever."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: te"
    yield End.SILENCE


@evil(failed("idle"))
def silent(_ask: Ask) -> Steps:
    """Takes the request and never answers."""
    yield End.SILENCE


@evil(failed("header-size"))
def endless_headers(_ask: Ask) -> Steps:
    """Header lines without end, as fast as they go."""
    yield b"HTTP/1.1 200 OK\r\n"
    for number in count():
        yield b"".join(b"X-Header-%d-%d: %b\r\n" % (number, line, b"v" * 50) for line in range(50))


@evil(failed("header-size"))
def endless_header_line(_ask: Ask) -> Steps:
    """One header line without end."""
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    while True:
        yield b"v" * 4096


@evil(failed("header-size"))
def endless_header_name(_ask: Ask) -> Steps:
    """A header line whose name never ends."""
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X" * 4096


@evil(failed("header-size"))
def endless_status_line(_ask: Ask) -> Steps:
    """A status line whose reason never ends."""
    yield b"HTTP/1.1 200 "
    while True:
        yield b"Fine " * 1000


@evil(failed("header-size"))
def endless_folded_header(_ask: Ask) -> Steps:
    """A header that goes on over ever more lines (RFC 9112, section 5.2)."""
    yield b"HTTP/1.1 200 OK\r\nX-Long: begin\r\n"
    while True:
        yield b"\tand on\r\n" * 500


@evil(failed("header-size"))
def endless_interim_answers(_ask: Ask) -> Steps:
    """100 Continue, for ever."""
    while True:
        yield b"HTTP/1.1 100 Continue\r\n\r\n" * 100


@evil(failed("header-size"))
def endless_early_hints(_ask: Ask) -> Steps:
    """103 Early Hints with links, for ever."""
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n" * 50


@evil(failed("timeout"))
def slow_interim_answers(_ask: Ask) -> Steps:
    """103 Early Hints now and then, for ever."""
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\n\r\n"
        yield Pause(0.2)


@evil(failed("header-size"))
def half_a_million_headers(_ask: Ask) -> Steps:
    """Half a million short header lines, then a good page."""
    yield b"HTTP/1.1 200 OK\r\n"
    for _ in range(500):
        yield b"A: b\r\n" * 1000
    yield b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


@evil(failed("protocol"))
def header_without_colon(_ask: Ask) -> Steps:
    """A header line that is none."""
    yield b"HTTP/1.1 200 OK\r\nthis is no header line\r\nContent-Length: 2\r\n\r\nhi"
    yield End.KEEP


@evil(fetched())
def header_without_name(_ask: Ask) -> Steps:
    """A header line that begins with its colon."""
    yield OK + b": value without a name\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    yield End.KEEP


@evil(fetched())
def folded_header(_ask: Ask) -> Steps:
    """Obsolete folding: a header on several lines."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n\tcharset=utf-8\r\nX-Folded: a\r\n  b\r\n"
    yield b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    yield End.KEEP


@evil(fetched())
def folding_before_any_header(_ask: Ask) -> Steps:
    """The first header line is a continuation of nothing."""
    yield b"HTTP/1.1 200 OK\r\n  Content-Length: 5\r\nContent-Length: 2\r\n\r\nhi"


@evil(failed("protocol"))
def nul_in_header(_ask: Ask) -> Steps:
    """NUL bytes in the middle of a header value."""
    yield OK + b'X-Nul: a\0b\0c\r\nETag: "a\0b"\r\nContent-Length: 2\r\n\r\nhi'


@evil(failed("protocol"))
def nul_in_status_line(_ask: Ask) -> Steps:
    """NUL bytes in the status line."""
    yield b"HTTP/1.1 200 O\0K\r\nContent-Length: 2\r\n\r\nhi"


@evil(failed("protocol"))
def bare_cr_in_header(_ask: Ask) -> Steps:
    """A bare carriage return in a header value, with what looks like another header behind it."""
    yield OK + b"ETag: a\rX-Injected: yes\rWARC-Type: metadata\r\nContent-Length: 2\r\n\r\nhi"


@evil(fetched())
def bare_line_feeds(_ask: Ask) -> Steps:
    """Lines that end in line feeds alone."""
    yield b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: %d\n\n%b" % (len(BODY), BODY)
    yield End.KEEP


@evil(fetched())
def warc_headers(_ask: Ask) -> Steps:
    """Header lines as a WARC record has them, blank lines as near as they come, controls meant for a log."""
    yield answer(
        BODY,
        "WARC/1.1: yes",
        "WARC-Type: request",
        "WARC-Target-URI: http://forged.example/",
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>",
        "Content-Length : 7",
        "X-Crawler-Content-Length: 7",
        'ETag: "\x1b[2J\x1b]0;owned\x07"',
        "Last-Modified: \x0b\x0c 2026-01-01\x85ERROR forged line of a log",
    )


@evil(fetched())
def space_before_colon(_ask: Ask) -> Steps:
    """White space between a field's name and its colon, which hides it from some (RFC 9112, section 5.1)."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type : text/html\r\nContent-Length : 2\r\n\r\nhi"


@evil(fetched())
def headers_in_no_encoding(_ask: Ask) -> Steps:
    """Bytes above 127 everywhere in the header, UTF-8 and not."""
    yield b'HTTP/1.1 200 \xff\xfe\r\nContent-Type: text/html; charset=\xe4\xf6\xfc\r\nETag: "\xc3\xa4\x80"\r\n'
    yield b"X-\xff: \xff\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    yield End.KEEP


@evil(fetched())
def two_content_types(_ask: Ask) -> Steps:
    """Two Content-Types and two Content-Encodings that contradict each other."""
    yield answer(BODY, "Content-Type: application/octet-stream", "Content-Encoding: identity")
    yield End.KEEP

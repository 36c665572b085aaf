"""Status lines that are none, and statuses that were not asked for."""

from tests.hostile.answers import BODY, HTML, OK, answer
from tests.hostile.evil import Ask, End, Steps, evil, failed, fetched


@evil(failed("protocol"))
def garbage_status_line(_ask: Ask) -> Steps:
    """Random bytes."""
    yield bytes(range(256)) * 4


@evil(failed("protocol"))
def http09(_ask: Ask) -> Steps:
    """HTTP/0.9: a page without any header."""
    yield BODY


@evil(failed("protocol"))
def banner_of_ssh(_ask: Ask) -> Steps:
    """Another protocol's greeting."""
    yield b"SSH-2.0-OpenSSH_9.6\r\n"


@evil(failed("protocol"))
def icy_answer(_ask: Ask) -> Steps:
    """A radio station's idea of HTTP."""
    yield b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n" + BODY


@evil(failed("protocol"))
def http_version_nine(_ask: Ask) -> Steps:
    """A version of HTTP that there is not."""
    yield b"HTTP/9.9 200 OK\r\n" + HTML + b"Content-Length: 2\r\n\r\nhi"


@evil(fetched())
def http2_in_plain_text(_ask: Ask) -> Steps:
    """Claims HTTP/2 in HTTP/1.1's clothes."""
    yield b"HTTP/2 200\r\n" + HTML + b"Content-Length: 2\r\n\r\nhi"


@evil(failed("protocol"))
def status_099(_ask: Ask) -> Steps:
    """A status below the classes."""
    yield answer(status="099 Less Than Nothing")


@evil(failed("protocol"))
def status_000(_ask: Ask) -> Steps:
    """No status at all."""
    yield answer(status="000 Nothing")


@evil(fetched(999))
def status_999(_ask: Ask) -> Steps:
    """A status beyond the classes."""
    yield answer(status="999 Request Denied")
    yield End.KEEP


@evil(failed("protocol"))
def status_of_four_digits(_ask: Ask) -> Steps:
    """A status of four digits."""
    yield answer(status="2000 Very OK")


@evil(failed("protocol"))
def negative_status(_ask: Ask) -> Steps:
    """A status below zero."""
    yield answer(status="-20 Not OK")


@evil(fetched())
def status_without_reason(_ask: Ask) -> Steps:
    """A status line without a reason, or the space before it."""
    yield answer(status="200")
    yield End.KEEP


@evil(failed("protocol"))
def switching_protocols(_ask: Ask) -> Steps:
    """Switches to a protocol that nobody asked for."""
    yield b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0"


@evil(fetched(304))
def not_modified_unasked(_ask: Ask) -> Steps:
    """304 to a request without any condition, with a body that it may not have."""
    yield b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: %d\r\n\r\n%b' % (len(BODY), BODY)


@evil(fetched(206))
def partial_unasked(_ask: Ask) -> Steps:
    """206 with a piece that nobody asked for."""
    yield answer(BODY, "Content-Range: bytes 1000-1599/99999999999", status="206 Partial Content")
    yield End.KEEP


@evil(fetched())
def content_range_of_a_whole(_ask: Ask) -> Steps:
    """200 with a Content-Range, and one that contradicts itself."""
    yield answer(BODY, "Content-Range: bytes 10-5/3")
    yield End.KEEP


@evil(fetched(416))
def range_not_satisfiable(_ask: Ask) -> Steps:
    """416 to a request without a range."""
    yield answer(b"", "Content-Range: bytes */0", status="416 Range Not Satisfiable")
    yield End.KEEP


@evil(fetched(401))
def asks_for_a_password(_ask: Ask) -> Steps:
    """401 in every scheme that there is."""
    challenges = [f"WWW-Authenticate: {scheme}" for scheme in ('Basic realm="a"', "NTLM", "Negotiate", "Bearer")]
    yield answer(b"who are you?", *challenges, status="401 Unauthorized")
    yield End.KEEP


@evil(fetched(407))
def asks_for_a_proxy_password(_ask: Ask) -> Steps:
    """407, though it is no proxy."""
    yield answer(b"", 'Proxy-Authenticate: Basic realm="a"', status="407 Proxy Authentication Required")
    yield End.KEEP


@evil(fetched(305))
def use_proxy(_ask: Ask) -> Steps:
    """305: wants everything to go through a server of its choice."""
    yield answer(b"", "Location: http://127.0.0.1:3128/", status="305 Use Proxy")
    yield End.KEEP


@evil(failed("empty"), failed("disconnect"))
def empty_answer(_ask: Ask) -> Steps:
    """Closes without a word, right after the request was read."""
    yield End.CLOSE


@evil(failed("protocol"))
def only_blank_lines(_ask: Ask) -> Steps:
    """An answer of blank lines."""
    yield b"\r\n\r\n\r\n\r\n"


@evil(failed("disconnect"))
def status_line_only(_ask: Ask) -> Steps:
    """A status line, and the end."""
    yield b"HTTP/1.1 200 OK\r\n"


@evil(fetched())
def upgrade_offered(_ask: Ask) -> Steps:
    """Offers other protocols and other servers for everything."""
    offers = ('Alt-Svc: h3="127.0.0.1:443"; ma=99999999', "Upgrade: h2c", "Strict-Transport-Security: max-age=99999999")
    yield OK + "".join(f"{line}\r\n" for line in offers).encode() + b"Content-Length: 2\r\n\r\nhi"
    yield End.KEEP

"""Connections that are refused, dropped, or not what they seem."""

from tests.hostile.answers import BODY, HTML, answer
from tests.hostile.evil import HEAR, Ask, End, Pause, Place, Steps, cut, evil, failed, fetched


@evil(failed("connect"), place=Place.NOBODY)
def nobody_listens(_ask: Ask) -> Steps:
    """A port where nobody listens."""
    yield End.CLOSE


@evil(failed("connect-timeout"), place=Place.DEAF)
def nobody_accepts(_ask: Ask) -> Steps:
    """A port whose queue is full: connecting takes for ever."""
    yield End.CLOSE


@evil(failed("disconnect"), failed("connect"), place=Place.ACCEPT)
def reset_on_accept(_ask: Ask) -> Steps:
    """Connections are reset as soon as they are there."""
    yield End.RESET


@evil(failed("empty"), failed("disconnect"), place=Place.ACCEPT)
def closed_on_accept(_ask: Ask) -> Steps:
    """Connections are closed as soon as they are there."""
    yield End.CLOSE


@evil(failed("idle"), place=Place.ACCEPT)
def accepts_and_never_answers(_ask: Ask) -> Steps:
    """Connections are taken, and that is all."""
    yield End.SILENCE


@evil(fetched(), failed("protocol"), failed("empty"), failed("disconnect"), place=Place.ACCEPT)
def answers_before_it_is_asked(_ask: Ask) -> Steps:
    """An answer is there before the request."""
    yield answer(b"<p>I knew it.</p>", "Connection: close")
    yield Pause(0.2)


@evil(failed("disconnect"))
def reset_after_request(_ask: Ask) -> Steps:
    """The connection is reset right after the request was read."""
    yield End.RESET


@evil(failed("disconnect"), failed("empty"))
def reset_in_headers(_ask: Ask) -> Steps:
    """The connection is reset in the middle of the headers."""
    yield b"HTTP/1.1 200 OK\r\nContent-Ty"
    yield Pause(0.1)
    yield End.RESET


@evil(failed("disconnect"), failed("empty"), failed("protocol"))
def closed_in_headers(_ask: Ask) -> Steps:
    """The connection is closed in the middle of the headers."""
    yield b"HTTP/1.1 200 OK\r\nContent-Ty"


@evil(fetched())
def closes_what_it_keeps(_ask: Ask) -> Steps:
    """Says that the connection is kept, and closes it."""
    yield answer(BODY, "Connection: keep-alive", "Keep-Alive: timeout=600, max=1000")


@evil(fetched())
def resets_what_it_keeps(_ask: Ask) -> Steps:
    """Says that the connection is kept, and resets it a little later."""
    yield answer(BODY, "Connection: keep-alive")
    yield Pause(0.02)
    yield End.RESET


@evil(failed("disconnect"), fetched())
def drops_what_is_reused(ask: Ask) -> Steps:
    """Reads a request on a connection that was used before, then closes it without an answer.

    Whoever asks again at once, unseen, makes two requests of one.
    """
    if ask.on_connection == 1:
        yield answer(BODY)
        yield End.KEEP
    yield End.CLOSE


@evil(fetched())
def http10(_ask: Ask) -> Steps:
    """HTTP/1.0: no length, ends when the connection does."""
    yield b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\n" + BODY


@evil(fetched())
def http10_kept_alive(_ask: Ask) -> Steps:
    """HTTP/1.0 with keep-alive, and chunks, which it does not have."""
    yield b"HTTP/1.0 200 OK\r\n" + HTML + b"Connection: keep-alive\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    yield End.KEEP


@evil(cut("time", "idle"))
def http10_never_closed(_ask: Ask) -> Steps:
    """HTTP/1.0 without a length, on a connection that is never closed."""
    yield b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\n" + BODY
    yield End.SILENCE


@evil(fetched())
def answers_twice(_ask: Ask) -> Steps:
    """Two answers to one request: the second is not for whoever asks next."""
    yield answer(BODY) + answer(b"<a href=/forged>forged</a>")
    yield End.KEEP


@evil(failed("idle"), failed("timeout"), place=Place.ACCEPT)
def trickle_from_accept(_ask: Ask) -> Steps:
    """A byte of an answer now and then, from the first moment on."""
    yield b"HTTP/1.1 200 OK\r\nX: "
    while True:
        yield b"x"
        yield Pause(0.2)


@evil(failed("tls"), place=Place.ACCEPT, scheme="https")
def plain_http_for_tls(_ask: Ask) -> Steps:
    """Plain HTTP where TLS is expected."""
    yield HEAR
    yield answer(b"You speak TLS to me?", status="400 Bad Request")


@evil(failed("tls"), place=Place.ACCEPT, scheme="https")
def garbage_for_tls(_ask: Ask) -> Steps:
    """Garbage where a handshake is expected."""
    yield HEAR
    yield bytes(reversed(range(256))) * 8


@evil(failed("tls"), place=Place.ACCEPT, scheme="https")
def alert_for_tls(_ask: Ask) -> Steps:
    """A fatal alert, handshake_failure, instead of a handshake."""
    yield HEAR
    yield b"\x15\x03\x03\x00\x02\x02\x28"


@evil(failed("tls"), place=Place.ACCEPT, scheme="https")
def closed_in_handshake(_ask: Ask) -> Steps:
    """Closes after the client's first words."""
    yield HEAR
    yield End.CLOSE


@evil(failed("connect-timeout"), failed("idle"), failed("timeout"), place=Place.ACCEPT, scheme="https")
def silent_in_handshake(_ask: Ask) -> Steps:
    """Never goes on with the handshake."""
    yield HEAR
    yield End.SILENCE


@evil(failed("tls"), failed("timeout"), place=Place.ACCEPT, scheme="https")
def endless_handshake(_ask: Ask) -> Steps:
    """Handshake records without end."""
    yield HEAR
    while True:
        yield b"\x16\x03\x03\x40\x00" + b"\x02\xff\xff\xff" + bytes(0x4000 - 4)

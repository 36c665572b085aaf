"""One client's connection: requests in, answers out, over http or https, whichever the first byte says.

Requests are taken apart by hand and answered in order; a delayed answer holds up only its own connection.
"""

import asyncio
import re
import ssl
from collections.abc import Callable
from typing import NamedTuple, Protocol

from sessions.localweb.serve.tls import TlsLayer

_TLS_HANDSHAKE = 0x16
_MOST_HEAD_BYTES = 1 << 16
_REQUEST_LINE = re.compile(rb"([A-Z]+) ([^\s]+) HTTP/1\.([01])\r?\n")
_HOST = re.compile(rb"\nhost:[ \t]*([^\s]*)", re.IGNORECASE)
_CLOSE = re.compile(rb"\nconnection:[^\n]*close", re.IGNORECASE)
_HAS_BODY = re.compile(rb"\n(?:content-length:[ \t]*[1-9]|transfer-encoding:)", re.IGNORECASE)


class Answer(NamedTuple):
    """A response ready to be sent, the length of its header block without the empty line, and seconds to wait."""

    whole: bytes
    head_bytes: int
    delay: float


class AnswerSource(Protocol):
    """Who knows the pages."""

    def answer(self, method: str, scheme: str, authority: str, target: str) -> Answer:
        """The answer to a GET or HEAD request (for HEAD the same as for GET; the body is left out here)."""


def plain_answer(status: int, reason: str, text: str) -> Answer:
    """An answer of the server's own."""
    body = f"<html><head><title>{status} {reason}</title></head><body><h1>{reason}</h1>{text}</body></html>\n".encode()
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n"
    if status == 405:
        head += "Allow: GET, HEAD\r\n"
    return finished_answer(head.encode(), body, 0.0)


def finished_answer(head: bytes, body: bytes, delay: float) -> Answer:
    """Put an answer together from a header block without its empty line, and a body."""
    return Answer(b"%s\r\n%s" % (head, body), len(head), delay)


_BAD_REQUEST = plain_answer(400, "Bad Request", "This is not a request.")
_NOT_ALLOWED = plain_answer(405, "Method Not Allowed", "Only GET and HEAD.")


class Connection(asyncio.Protocol):
    """The protocol of one connection.  ``connections`` is the set it is a member of as long as it lives."""

    def __init__(
        self,
        answers: AnswerSource,
        context: ssl.SSLContext,
        loop: asyncio.AbstractEventLoop,
        connections: set["Connection"],
    ) -> None:
        self._answers = answers
        self._context = context
        self._loop = loop
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._receive: Callable[[bytes], None] = self._receive_first
        self._tls: TlsLayer | None = None
        self._buffer = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._is_full = False
        self._is_reading = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        self._receive(data)

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._answer_waiting()

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _receive_first(self, data: bytes) -> None:
        if data[0] == _TLS_HANDSHAKE:
            self._tls = TlsLayer(self._context)
            self._receive = self._receive_tls
        else:
            self._receive = self._receive_plain
        self._receive(data)

    def _receive_plain(self, data: bytes) -> None:
        self._buffer += data
        self._answer_waiting()

    def _receive_tls(self, data: bytes) -> None:
        if self._tls is None or self._transport is None:
            return
        try:
            plain = self._tls.decrypt(data)
        except ssl.SSLError:
            self._transport.write(self._tls.take_outgoing())  # the alert that says what is wrong
            self._transport.close()
            return
        self._transport.write(self._tls.take_outgoing())
        if plain:
            self._receive_plain(plain)

    def _answer_waiting(self) -> None:
        """Answer the requests that are complete, until one has to wait or the client does not read fast enough."""
        while self._buffer and self._timer is None and not self._is_full and self._is_open():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if not self._may_become_request():
                    self._send(_BAD_REQUEST, is_head=False, is_last=True)
                break
            head = bytes(self._buffer[: end + 2])
            del self._buffer[: end + 4]
            self._answer(head)
        self._read_on(len(self._buffer) < _MOST_HEAD_BYTES)

    def _is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def _may_become_request(self) -> bool:
        line_end = self._buffer.find(b"\n") + 1
        return len(self._buffer) < _MOST_HEAD_BYTES and (not line_end or _REQUEST_LINE.match(self._buffer) is not None)

    def _read_on(self, is_reading: bool) -> None:
        """Take no more from a client that sends requests faster than it takes answers."""
        if self._transport is None or is_reading == self._is_reading or self._transport.is_closing():
            return
        self._is_reading = is_reading
        if is_reading:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def _answer(self, head: bytes) -> None:
        line = _REQUEST_LINE.match(head)
        host = _HOST.search(head)
        if line is None or host is None:
            self._send(_BAD_REQUEST, is_head=False, is_last=True)
            return
        method = line[1].decode()
        has_body = _HAS_BODY.search(head) is not None  # its end is not looked for: the connection ends instead
        is_last = has_body or line[3] == b"0" or _CLOSE.search(head) is not None
        if method not in ("GET", "HEAD"):
            self._send(_NOT_ALLOWED, is_head=False, is_last=is_last)
            return
        scheme = "https" if self._tls is not None else "http"
        answer = self._answers.answer(method, scheme, _text(host[1]), _text(line[2]))
        if answer.delay:
            self._timer = self._loop.call_later(answer.delay, self._send_delayed, answer, method == "HEAD", is_last)
        else:
            self._send(answer, method == "HEAD", is_last)

    def _send_delayed(self, answer: Answer, is_head: bool, is_last: bool) -> None:
        self._timer = None
        self._send(answer, is_head, is_last)
        self._answer_waiting()

    def _send(self, answer: Answer, is_head: bool, is_last: bool) -> None:
        if self._transport is None:
            return
        data = answer.whole
        if is_head:
            data = data[: answer.head_bytes + 2]
        if is_last:
            data = b"%sConnection: close\r\n%s" % (data[: answer.head_bytes], data[answer.head_bytes :])
        self._transport.write(data if self._tls is None else self._tls.encrypt(data))
        if is_last:
            if self._tls is not None:
                self._transport.write(self._tls.end())
            self._transport.close()


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")

"""An HTTP server in threads of this process, which notes when each request began and ended."""

import socket
import socketserver
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

Answer = Callable[[str, str], bytes | None]
"""Host and path of a request to the page, None if there is none."""


class Request(NamedTuple):
    """A request for a path of a site that came to an address of this machine; times in seconds of one clock."""

    site: str
    path: str
    address: str
    began: float
    ended: float


class NotingServer:
    """Answers at every loopback address, at one ``port``, with HTTP/1.1; ``requests`` are those answered so far."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[Request] = []
        self._server = _Server(("0.0.0.0", 0), _handler(answer, self.requests))
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512


def _handler(answer: Answer, noted: list[Request]) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            connection: socket.socket = self.request
            while line := self.rfile.readline():  # until the crawler hangs up
                began = time.monotonic()
                site, path = "", line.split()[1].decode()
                while (field := self.rfile.readline().strip()) != b"":
                    if field[:5].lower() == b"host:":
                        site = field[5:].strip().decode().partition(":")[0]
                page = answer(site, path)
                status, body = (b"404 Not Found", b"") if page is None else (b"200 OK", page)
                head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
                ended = time.monotonic()  # before the last byte leaves: when this thread runs on is up to the others
                connection.sendall(head + body)
                noted.append(Request(site, path, connection.getsockname()[0], began, ended))

    return Handler

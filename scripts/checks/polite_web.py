"""A web of many small sites on few loopback addresses, whose server notes when each request began and ended."""

import random
import socket
import socketserver
import threading
import time
from types import TracebackType
from typing import Self


class PoliteWeb:
    """Serves ``sites`` sites with ``pages`` pages between them on ``addresses`` addresses of this machine.

    Sizes of sites are heavy-tailed, or ``equal``; every page can be reached from its site's root page in a few steps,
    and links lead to other sites too.
    """

    def __init__(self, sites: int, addresses: int, pages: int, *, seed: int, equal: bool = False) -> None:
        rng = random.Random(seed)
        shares = [1.0 if equal else min(rng.paretovariate(1.5), 8.0) for _ in range(sites)]
        self._sizes = {
            f"www.s{number}.example": max(1, round(pages * share / sum(shares))) for number, share in enumerate(shares)
        }
        self._address = {site: f"127.0.1.{1 + number % addresses}" for number, site in enumerate(self._sizes)}
        self._seed = seed
        self._log: list[tuple[str, str, float, float]] = []
        self._server = _Server(("0.0.0.0", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def seeds(self) -> list[str]:
        """The root pages."""
        return [f"http://{site}/" for site in self._sizes]

    def connect_to(self) -> list[str]:
        """Where each site is, as ``--connect-to`` wants it."""
        port = self._server.server_address[1]
        return [f"{site}:80:{address}:{port}" for site, address in self._address.items()]

    def requests(self) -> list[tuple[str, str, float, float]]:
        """Site, address, begin and end of each request, in seconds of one clock."""
        return list(self._log)

    def note(self, site: str, address: str, began: float, ended: float) -> None:
        """Put a request into the log."""
        self._log.append((site, address, began, ended))

    def page(self, site: str, path: str) -> bytes | None:
        """The page at a path; None if there is none."""
        number = int(path[2:]) if path[2:].isdigit() else 0 if path == "/" else -1
        size = self._sizes.get(site, 0)
        if not 0 <= number < size:
            return None
        rng = random.Random(f"{self._seed} {site} {number}")
        below = [f"/p{child}" for child in range(8 * number + 1, min(8 * number + 9, size))]
        others = rng.sample(sorted(self._sizes), 3)
        links = [*below, f"/p{rng.randrange(size)}", *(f"http://{other}/" for other in others)]
        return "".join(f'<p><a href="{link}">link</a>' for link in links).encode()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512


def _handler(web: PoliteWeb) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            connection: socket.socket = self.request
            while line := self.rfile.readline():
                began = time.monotonic()
                site = ""
                while (field := self.rfile.readline()) not in (b"\r\n", b""):
                    if field.lower().startswith(b"host:"):
                        site = field[5:].strip().decode()
                body = web.page(site, line.split()[1].decode())
                status = b"200 OK" if body is not None else b"404 Not Found"
                body = body or b""
                head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
                ended = time.monotonic()  # before the last byte leaves: when this thread runs on is up to the others
                connection.sendall(head + body)
                web.note(site, connection.getsockname()[0], began, ended)

    return Handler

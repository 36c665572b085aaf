"""The local web's server: pages from WARC files, by Host header, on one port for http and https.

`LocalWeb` runs it in a thread of its own, for tests; `serve_until_signal` in this one, for the command line.
"""

import asyncio
import os
import signal
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from sessions.localweb.serve.connection import Answer, Connection, finished_answer, plain_answer
from sessions.localweb.serve.response import read_response
from sessions.localweb.serve.tls import Authority
from sessions.storage.warc_index import Index, build_index
from sessions.url import canonical

CACHE_BYTES = 64 << 20
_BACKLOG = 1024
_STOP_SECONDS = 5.0
_TURNS = 4
_NOT_FOUND = plain_answer(404, "Not Found", "The local web has no such page.")


class LocalWeb:
    """A server of the pages of WARC files.

    As a context manager it runs in a background thread.  ``port`` 0 takes a free port, known once it runs.  The
    constructor reads the files (OSError, NotAWarcError); starting raises OSError if the port is taken.

    ``requests_served`` counts GET and HEAD requests; with ``keep_log``, ``log`` has (monotonic seconds when it came,
    method, canonical URL) of each.  Both may be read at any time from any thread.
    """

    def __init__(
        self,
        paths: Iterable[Path | str],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        cache_bytes: int = CACHE_BYTES,
        keep_log: bool = True,
    ) -> None:
        self.index: Index = build_index([Path(path) for path in paths])
        self.host = host
        self.port = port
        self.requests_served = 0
        self.log: list[tuple[float, str, str]] = []
        self._keep_log = keep_log
        self._cache = _Cache(cache_bytes)
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._authority: Authority | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """HOST:PORT, as in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def connect_to(self) -> str:
        """What curl's --connect-to wants, to come here whatever the URL."""
        return f"::{self.address}"

    @property
    def ca_cert(self) -> Path:
        """The certificate, as a PEM file, that makes our https trustworthy; there while the server runs."""
        assert self._authority is not None, "the server is not running"
        return self._authority.certificate

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="local web", daemon=True)
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self.start(), self._loop).result()
        except BaseException:
            self._end_thread()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        try:
            asyncio.run_coroutine_threadsafe(self.stop(), self._loop).result(_STOP_SECONDS)
        finally:
            self._end_thread()

    async def start(self) -> None:
        """Listen, in the running event loop."""
        loop = asyncio.get_running_loop()
        try:
            family, _, _, _, address = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            listening = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
        except OSError as error:  # which names no address, or in many words
            reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
            raise OSError(error.errno, reason, self.address) from error
        self.port = listening.getsockname()[1]
        authority = self._authority = Authority(self.host)
        self._loop = loop
        self._server = await loop.create_server(
            lambda: Connection(self, authority.context, loop, self._connections), sock=listening, backlog=_BACKLOG
        )

    async def stop(self) -> None:
        """Stop listening and drop all connections."""
        if self._server is not None:
            # A connection that was accepted before its server closed, but not made yet, would leak: accept no more,
            # and let those be made first.
            for listening in self._server.sockets:
                asyncio.get_running_loop().remove_reader(listening.fileno())
            await _some_turns()
            self._server.close()
        for connection in list(self._connections):
            connection.abort()
        await _some_turns()
        if self._authority is not None:
            self._authority.close()

    def answer(self, method: str, scheme: str, authority: str, target: str) -> Answer:
        """The answer to a request (see `connection.Answers`)."""
        spelled = target if target.startswith(("http://", "https://")) else f"{scheme}://{authority}{target}"
        url = canonical(spelled) or spelled
        self.requests_served += 1
        if self._keep_log and self._loop is not None:
            self.log.append((self._loop.time(), method, url))
        if not url.startswith(scheme + ":"):
            return _NOT_FOUND
        return self._cache.get(url) or self._find(url, scheme)

    def _find(self, url: str, scheme: str) -> Answer:
        entry = self.index.find(url) or self.index.find(self._without_own_port(url, scheme))
        if entry is None:
            return _NOT_FOUND
        try:
            response = read_response(entry)
        except (OSError, ValueError) as error:
            return plain_answer(500, "Internal Server Error", f"The record cannot be read: {error}.")
        answer = finished_answer(response.head, response.body, response.delay)
        self._cache.put(url, answer)
        return answer

    def _without_own_port(self, url: str, scheme: str) -> str:
        authority, slash, rest = url[len(scheme) + 3 :].partition("/")
        return f"{scheme}://{authority.removesuffix(f':{self.port}')}{slash}{rest}"

    def _end_thread(self) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_SECONDS)
        self._loop.close()


async def _some_turns() -> None:
    """Let the event loop finish what it has begun: a connection is made, or lost, within some turns of it."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)


class _Cache:
    """The answers used last, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def get(self, url: str) -> Answer | None:
        answer = self._answers.get(url)
        if answer is not None:
            self._answers.move_to_end(url)
        return answer

    def put(self, url: str, answer: Answer) -> None:
        self._answers[url] = answer
        self._bytes += len(answer.whole)
        while self._bytes > self._most_bytes:
            _, oldest = self._answers.popitem(last=False)
            self._bytes -= len(oldest.whole)


def serve_until_signal(web: LocalWeb, on_ready: Callable[[], None]) -> None:
    """Serve in this thread until SIGTERM or SIGINT; ``on_ready`` is called once the port is open."""
    asyncio.run(_serve(web, on_ready))


async def _serve(web: LocalWeb, on_ready: Callable[[], None]) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    await web.start()
    try:
        on_ready()
        await stopping.wait()
    finally:
        await web.stop()

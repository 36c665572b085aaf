"""An HTTP server for pages that are made when they are asked for, in processes of its own."""

import asyncio
import multiprocessing
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Self

Answer = Callable[[str, str], bytes | None]
"""Host and path of a request to the page, None if there is none."""


class PageServer:
    """Answers at every loopback address, at one ``port``, with HTTP/1.1 and connections that stay open.

    Each answer comes after ``delay`` seconds.
    """

    def __init__(self, answer: Answer, *, processes: int = 1, delay: float = 0.0) -> None:
        self._socket = socket.create_server(("0.0.0.0", 0), backlog=4096)
        self.port: int = self._socket.getsockname()[1]
        fork = multiprocessing.get_context("fork")  # so that what the pages are made from exists once
        self._processes = [fork.Process(target=_serve, args=(self._socket, answer, delay)) for _ in range(processes)]

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()  # whatever handlers it has inherited
            process.join()
        self._socket.close()


def _serve(listening: socket.socket, answer: Answer, delay: float) -> None:
    async def until_the_end() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(answer, loop, delay), sock=listening)
        await server.serve_forever()

    asyncio.run(until_the_end())


class _Connection(asyncio.Protocol):
    """Requests without a body, one after the other."""

    def __init__(self, answer: Answer, loop: asyncio.AbstractEventLoop, delay: float) -> None:
        self._answer = answer
        self._loop = loop
        self._delay = delay
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._received = (self._received + data).split(b"\r\n\r\n")
        for request in requests:
            line, *fields = request.decode("latin-1").split("\r\n")
            host = next((field[5:].strip() for field in fields if field[:5].lower() == "host:"), "")
            body = self._answer(host.partition(":")[0], line.split(" ")[1])
            status = b"200 OK" if body is not None else b"404 Not Found"
            body = body or b""
            head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
            if self._delay:
                self._loop.call_later(self._delay, self._transport.write, head + body)
            else:
                self._transport.write(head + body)

"""A server on the loopback that sends exactly the bytes it is told to."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

Answering = Callable[[int, bytes], bytes | None]


class RawServer:
    """Answers each request with what ``answer(number of the request, its head)`` gives, then closes the connection
    unless ``keeps_alive``; for None it says nothing at all until the test is over.

    ``connections`` counts connections, ``heads`` has what was asked.
    """

    def __init__(self, answer: Answering, *, keeps_alive: bool = False) -> None:
        self._answer = answer
        self._keeps_alive = keeps_alive
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._is_over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        self.connections = 0
        self.heads: list[bytes] = []

    def __enter__(self) -> Self:
        self._threads.append(threading.Thread(target=self._accept, daemon=True))
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        for listening_or_open in (self._listening, *self._open):
            with suppress(OSError):
                listening_or_open.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(10.0)

    def _accept(self) -> None:
        while not self._is_over.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            if self._is_over.is_set():  # whoever ends the server may not have seen this one
                connection.close()
                return
            self._threads.append(threading.Thread(target=self._serve, args=(connection,), daemon=True))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(10.0)
        with connection, suppress(OSError):
            while head := self._read_head(connection):
                self.heads.append(head)
                answer = self._answer(len(self.heads), head)
                if answer is None:
                    self._is_over.wait(10.0)
                    return
                connection.sendall(answer)
                if not self._keeps_alive:
                    return

    @staticmethod
    def _read_head(connection: socket.socket) -> bytes:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            received = connection.recv(4096)
            if not received:
                return b""
            head += received
        return head


def always(answer: bytes | None) -> Answering:
    """The same answer to every request."""
    return lambda _number, _head: answer

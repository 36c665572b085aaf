"""A server on the loopback that answers any request with bytes that change from input to input."""

import selectors
import socket
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

CLOSE, RESET, KEEP, SILENCE = "close", "reset", "keep", "silence"
_RESET = struct.pack("ii", 1, 0)
_MOST_PIECES = 50


class AnsweringServer:
    """``answer`` are the pieces to send, each in a write of its own; ``ending`` is what becomes of the connection.

    One thread serves all connections, as requests come.
    """

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._waking, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._heads: dict[socket.socket, bytes] = {}
        self.port: int = self._listening.getsockname()[1]
        self.answer: Sequence[bytes] = ()
        self.ending = CLOSE

    def __enter__(self) -> Self:
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._waking.send(b"x")
        self._thread.join(10.0)
        for one in (*self._heads, self._listening, self._waking, self._woken):
            one.close()
        self._selector.close()

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                ready = key.fileobj
                assert isinstance(ready, socket.socket)
                if ready is self._woken:
                    return
                if ready is self._listening:
                    self._accept()
                else:
                    self._hear(ready)

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        connection.settimeout(5.0)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._heads[connection] = b""
        self._selector.register(connection, selectors.EVENT_READ)

    def _hear(self, connection: socket.socket) -> None:
        try:
            heard = connection.recv(1 << 16)
            self._heads[connection] += heard
            if not heard:
                self._end(connection)
            elif self._heads[connection].endswith(b"\r\n\r\n"):
                self._heads[connection] = b""
                self._answer(connection)
        except OSError:
            self._end(connection)

    def _answer(self, connection: socket.socket) -> None:
        ending = self.ending
        for piece in self.answer[:_MOST_PIECES]:
            connection.sendall(piece)
        if ending == RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        if ending in (RESET, CLOSE):
            self._end(connection)

    def _end(self, connection: socket.socket) -> None:
        with suppress(KeyError):
            self._selector.unregister(connection)
        del self._heads[connection]
        connection.close()

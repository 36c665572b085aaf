"""A proxy on the loopback for HTTP and SOCKS 5, which leads every name to one server and keeps a log."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_ADDRESS, _NAME = 1, 3


class ProxyServer:
    """Passes on what comes to ``place``; ``log`` has what it was asked for, ``heads`` the request heads of HTTP.

    With a ``refusal``, every CONNECT and plain request is answered with that status, every request of SOCKS with that
    reply.
    """

    def __init__(self, place: tuple[str, int], refusal: int = 0) -> None:
        self._place = place
        self._refusal = refusal
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.place = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.log: list[str] = []
        self.heads: list[bytes] = []
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in (self._listening, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            if client.recv(1, socket.MSG_PEEK) == b"\x05":
                self._serve_socks(client)
            else:
                self._serve_http(client)

    def _serve_socks(self, client: socket.socket) -> None:
        client.recv(2 + client.recv(2, socket.MSG_PEEK)[1])
        client.sendall(b"\x05\x00")
        kind = client.recv(4)[3]
        host = socket.inet_ntoa(client.recv(4)) if kind == _ADDRESS else client.recv(client.recv(1)[0]).decode()
        port = int.from_bytes(client.recv(2), "big")
        self.log.append(f"SOCKS {host}:{port}")
        client.sendall(bytes((5, self._refusal, 0, 1)) + bytes(6))
        if not self._refusal:
            self._pass_on(client, b"")

    def _serve_http(self, client: socket.socket) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            received = client.recv(1)
            if not received:
                return
            head += received
        self.heads.append(head)
        method, target = head.split(b" ")[:2]
        self.log.append(f"{method.decode()} {target.decode()}")
        if self._refusal:
            client.sendall(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\nX-Of-Proxy: yes\r\n\r\n" % self._refusal)
        elif method == b"CONNECT":
            client.sendall(b"HTTP/1.1 200 Connected\r\nX-Of-Proxy: yes\r\n\r\n")
            self._pass_on(client, b"")
        else:
            parts = urlsplit(target.decode())
            self._pass_on(client, head.replace(target, (parts.path or "/").encode(), 1))

    def _pass_on(self, client: socket.socket, first: bytes) -> None:
        with socket.create_connection(self._place) as server:
            self._open.append(server)
            server.sendall(first)
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join(5.0)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)

"""A server for the guard, a process of its own so that nobody weighs it: every request gets the same packed page.

    python -m tests.guard.answering FOLDER       until its input ends

It listens at two ports, whose numbers it prints: plain, and with TLS, for which it writes ``ca.pem`` into ``FOLDER``.
"""

import socket
import ssl
import sys
import threading
from contextlib import suppress
from pathlib import Path

from tests.guard.packed_pages import HOST, packed_page
from tests.hostile.certificates import Certificates

_HEAD_END = b"\r\n\r\n"


def _serve(listening: socket.socket, context: ssl.SSLContext | None, answer: bytes) -> None:
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=_answer_all, args=(connection, context, answer), daemon=True).start()


def _answer_all(connection: socket.socket, context: ssl.SSLContext | None, answer: bytes) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with suppress(OSError):
        if context is not None:
            connection = context.wrap_socket(connection, server_side=True)
        with connection:
            unread = b""
            while received := connection.recv(1 << 16):
                *requests, unread = (unread + received).split(_HEAD_END)
                for _ in requests:
                    connection.sendall(answer)


def main() -> None:
    body = packed_page(0)
    head = [b"HTTP/1.1 200 OK", b"Content-Type: text/html; charset=utf-8", b"Content-Encoding: gzip"]
    answer = b"\r\n".join([*head, b"Content-Length: %d" % len(body)]) + _HEAD_END + body
    certificates = Certificates()
    certificates.write_authority(Path(sys.argv[1]) / "ca.pem")
    for context in (None, certificates.context("good", HOST)):
        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1], flush=True)
        threading.Thread(target=_serve, args=(listening, context, answer), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()

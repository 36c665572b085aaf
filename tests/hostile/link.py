"""A connection as a server sees it that may do to it whatever it likes."""

import socket
import ssl
import struct
import threading
from contextlib import suppress

from tests.hostile.evil import End

_DRAIN_SECONDS = 0.5
_RESET = struct.pack("ii", 1, 0)


class Link:
    """A connection from the server's end."""

    def __init__(self, accepted: socket.socket, number: int, over: threading.Event) -> None:
        self.number = number
        self._socket = accepted
        self._over = over
        self._received = b""

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Go on with TLS."""
        self._socket = context.wrap_socket(self._socket, server_side=True)

    def send(self, data: bytes) -> None:
        """Send all of it."""
        self._socket.sendall(data)

    def hear(self) -> None:
        """Wait until something has come."""
        if not self._received:
            self._received = self._socket.recv(1 << 16)

    def read(self, length: int) -> bytes:
        """Exactly so many bytes; OSError if they do not come."""
        while len(self._received) < length:
            received = self._socket.recv(1 << 16)
            if not received:
                raise ConnectionError("closed")
            self._received += received
        data, self._received = self._received[:length], self._received[length:]
        return data

    def read_head(self) -> bytes:
        """The next request's head; nothing if none comes."""
        while b"\r\n\r\n" not in self._received:
            received = self._socket.recv(1 << 16)
            if not received:
                return b""
            self._received += received
        head, blank, self._received = self._received.partition(b"\r\n\r\n")
        return head + blank

    def finish(self, end: End) -> None:
        """Do to the connection what an evil ended with."""
        if end is End.RESET:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            return
        if end is End.CLOSE:
            # What was sent is lost to the other side if a socket is closed on unread data.
            self._socket.settimeout(_DRAIN_SECONDS)
            if not isinstance(self._socket, ssl.SSLSocket):
                self._socket.shutdown(socket.SHUT_WR)
            else:
                with suppress(OSError):
                    self._socket.unwrap()
                return
        while not self._over.is_set() and self._socket.recv(1 << 16):
            pass

    def close(self) -> None:
        """Close it."""
        with suppress(OSError):
            self._socket.close()

"""A name server that lies: it gives each name the answers that it was told to, one after the other."""

import socket
import struct
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

_ADDRESS_RECORD = 1
_NO_SUCH_NAME = 3


class NameServer:
    """Answers queries for IPv4 addresses over UDP, with a time to live of zero.

    ``names`` says what a name is said to be: its first query gets the first address, and so on; the last is repeated.
    A name that starts with ``*.`` stands for all names below it.  All others do not exist.
    """

    def __init__(self, names: Mapping[str, tuple[str, ...]]) -> None:
        self._names = dict(names)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, name="name server", daemon=True)
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self.queries: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # wakes the thread
            self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join(10.0)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            query, sender = self._socket.recvfrom(4096)
            if not query:
                return
            with suppress(IndexError, struct.error, UnicodeDecodeError):
                self._socket.sendto(self._answer(query), sender)

    def _answer(self, query: bytes) -> bytes:
        name, end = _name_in(query)
        (kind,) = struct.unpack_from("!H", query, end)
        question = query[12 : end + 4]
        known = self._names.get(name) or self._names.get("*." + name.partition(".")[2])
        if known is None:
            return struct.pack("!2sHHHHH", query[:2], 0x8180 | _NO_SUCH_NAME, 1, 0, 0, 0) + question
        if kind != _ADDRESS_RECORD:
            return struct.pack("!2sHHHHH", query[:2], 0x8180, 1, 0, 0, 0) + question
        address = known[min(self.queries[name], len(known) - 1)]
        self.queries[name] += 1
        record = struct.pack("!HHHIH", 0xC00C, _ADDRESS_RECORD, 1, 0, 4) + socket.inet_aton(address)
        return struct.pack("!2sHHHHH", query[:2], 0x8180, 1, 1, 0, 0) + question + record


def _name_in(query: bytes) -> tuple[str, int]:
    """The name that a query asks for, and where it ends."""
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode("ascii").lower())
        at += 1 + length
    return ".".join(labels), at + 1

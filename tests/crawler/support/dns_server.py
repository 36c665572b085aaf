"""A name server on the loopback, over UDP and TCP, that answers from a table."""

import socket
import struct
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from types import TracebackType
from typing import NamedTuple, Self

A, CNAME, AAAA = 1, 5, 28
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
_RESPONSE, _TRUNCATED, _RECURSION = 0x8000, 0x0200, 0x0180


class Record(NamedTuple):
    """A resource record: the data of A and AAAA is an address, that of CNAME a name; an empty name is the asked one."""

    kind: int
    data: str
    ttl: int = 60
    name: str = ""


class Reply(NamedTuple):
    """What to answer; over UDP only that it is too long, if ``is_truncated``; ``raw`` is sent behind the id instead."""

    records: Sequence[Record] = ()
    code: int = NOERROR
    is_truncated: bool = False
    raw: bytes | None = None


Answering = Callable[[str, int], Reply | None]


class DnsServer:
    """Answers each query with ``answer(name, record type)``, and not at all if that is None.

    ``queries`` are what was asked: names and types.  ``address`` is as ``--dns-server`` wants it.
    """

    def __init__(self, answer: Answering) -> None:
        self._answer = answer
        self._udp, self._tcp = _bound_to_one_port()
        port = self._udp.getsockname()[1]
        self._threads = [
            threading.Thread(target=serve, daemon=True) for serve in (self._serve_datagrams, self._serve_connections)
        ]
        self._is_over = False
        self.address = f"127.0.0.1:{port}"
        self.queries: list[tuple[str, int]] = []

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waking:
            waking.sendto(b"", self._udp.getsockname())
        with suppress(OSError):
            self._tcp.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10.0)
        self._udp.close()
        self._tcp.close()

    def _serve_datagrams(self) -> None:
        while not self._is_over:
            query, client = self._udp.recvfrom(4096)
            if query and (response := self._response(query, is_udp=True)) is not None:
                self._udp.sendto(response, client)

    def _serve_connections(self) -> None:
        while not self._is_over:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            connection.settimeout(10.0)
            with connection, suppress(OSError):
                while size := connection.recv(2):
                    query = connection.recv(struct.unpack(">H", size)[0])
                    if (response := self._response(query, is_udp=False)) is not None:
                        connection.sendall(struct.pack(">H", len(response)) + response)

    def _response(self, query: bytes, *, is_udp: bool) -> bytes | None:
        name, end = _name_at(query, 12)
        (kind,) = struct.unpack(">H", query[end : end + 2])
        self.queries.append((name, kind))
        reply = self._answer(name, kind)
        if reply is None:
            return None
        if reply.raw is not None:
            return query[:2] + reply.raw
        is_cut = is_udp and reply.is_truncated
        records = [] if is_cut else reply.records
        flags = _RESPONSE | _RECURSION | reply.code | (_TRUNCATED if is_cut else 0)
        head = query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0)
        return head + query[12 : end + 4] + b"".join(_packed(record, name) for record in records)


def _bound_to_one_port() -> tuple[socket.socket, socket.socket]:
    """A socket for datagrams and a listening one: of many ports there is one that is free for both."""
    while True:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        try:
            return udp, socket.create_server(udp.getsockname())
        except OSError:
            udp.close()


def _name_at(message: bytes, at: int) -> tuple[str, int]:
    labels = []
    while message[at]:
        labels.append(message[at + 1 : at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(labels), at + 1


def _packed(record: Record, asked: str) -> bytes:
    data = _labels(record.data) if record.kind == CNAME else ip_address(record.data).packed
    return _labels(record.name or asked) + struct.pack(">HHIH", record.kind, 1, record.ttl, len(data)) + data


def _labels(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def table(answers: dict[str, Reply | Sequence[str] | None]) -> Answering:
    """Answers by name: a reply, or addresses of either kind, of which those are told that were asked for.

    Names that are not there do not exist.
    """

    def answer(name: str, kind: int) -> Reply | None:
        known = answers.get(name.lower(), Reply(code=NXDOMAIN))
        if known is None or isinstance(known, Reply):
            return known
        kinds = [(AAAA if ":" in ip else A, ip) for ip in known]
        return Reply([Record(of, ip) for of, ip in kinds if of == kind])

    return answer

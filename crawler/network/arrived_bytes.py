"""Bytes as the network interface counts them: what has arrived over TCP connections, headers of all layers included.

Linux tells of each connection how many bytes have come in order and in how many segments (``struct tcp_info`` of
linux/tcp.h: tcpi_bytes_received and tcpi_segs_in, since 4.2), read or not, encrypted or not.  A segment travels in a
frame of Ethernet, IP and TCP with its timestamps.  What is not in it: name resolution, and data that came twice.
"""

import socket
import struct
from collections.abc import Hashable
from contextlib import suppress

from crawler.network.bandwidth import Bandwidth

_BYTES_RECEIVED_AT = 128
_SEGMENTS_IN_AT = 140
_INFO_BYTES = 144
_FRAME_BYTES = {socket.AF_INET: 14 + 20 + 32, socket.AF_INET6: 14 + 40 + 32}
_UNSIGNED_LONG, _UNSIGNED = struct.Struct("=Q"), struct.Struct("=I")
_LONGEST_BUFFER = 4 << 20
_SHORTEST_READ, _LONGEST_READ = 1 << 10, 1 << 14
_READ_SECONDS = 1 / 256


class _Connection:
    __slots__ = ("counted", "frame", "socket")

    def __init__(self, descriptor: int) -> None:
        self.socket = socket.socket(fileno=descriptor)
        self.frame = _FRAME_BYTES.get(self.socket.family, 0)
        self.counted = 0


class ArrivedBytes:
    """Counts what arrives at the sockets of a rank, by descriptor, and tells its ``bandwidth``.

    The kernel keeps as much of an answer as its buffer takes, whether anybody reads or not.
    """

    def __init__(self, bandwidth: Bandwidth) -> None:
        self._bandwidth = bandwidth
        self._connections: dict[int, _Connection] = {}

    def opened(self, descriptor: int) -> None:
        """A socket has been made and is not connected yet."""
        self._forget(descriptor)
        connection = self._connections[descriptor] = _Connection(descriptor)
        most_unread = self._bandwidth.most_unread
        if most_unread < _LONGEST_BUFFER:
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, round(most_unread))

    def at_once(self) -> int:
        """How many bytes are to be read at once, which libcurl does about ten times in a row, at the rate by now."""
        return round(min(max(_READ_SECONDS * self._bandwidth.rate, _SHORTEST_READ), _LONGEST_READ))

    def look(self, descriptor: int) -> None:
        """Count what has arrived at a socket since it was last looked at."""
        connection = self._connections.get(descriptor)
        if connection is None:
            return
        with suppress(OSError):  # libcurl may have closed it already
            info = connection.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
            segments = _UNSIGNED.unpack_from(info, _SEGMENTS_IN_AT)[0]
            arrived = _UNSIGNED_LONG.unpack_from(info, _BYTES_RECEIVED_AT)[0] + segments * connection.frame
            if arrived > connection.counted:
                self._bandwidth.arrive(arrived - connection.counted)
                connection.counted = arrived

    def read(self, answer: Hashable, descriptor: int, count: int) -> None:
        """So many bytes of an answer have been read from a socket, at which more may have arrived meanwhile."""
        self.look(descriptor)
        self._bandwidth.read(answer, count)

    def close(self) -> None:
        """The sockets are libcurl's; nothing is closed here."""
        for descriptor in list(self._connections):
            self._forget(descriptor)

    def _forget(self, descriptor: int) -> None:
        connection = self._connections.pop(descriptor, None)
        if connection is not None:
            connection.socket.detach()

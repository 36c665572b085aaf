"""Long cables between network namespaces: what enters one end leaves the other some milliseconds later.

netem would delay packets in the kernel, which not every kernel can.  Here each end of a cable is a tun device, and a
thread carries packets from end to end; so connections take as many round trips as on a long way.  How many bits a
second go through is the kernel's business (tbf, at each end).
"""

import fcntl
import os
import select
import struct
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic, thread_time
from types import TracebackType
from typing import NamedTuple, Self

from scripts.shared.network_namespaces import ip, traffic_control

_TUN = "/dev/net/tun"
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_LARGEST_PACKET = 1 << 16
_QUEUED_PACKETS = 10_000
"""So many wait for a thread that gets no processor; beyond that they are lost, as on any cable."""


class End(NamedTuple):
    """Where a cable ends: the host, the name of the interface, its address, and the network that it leads to."""

    host: str
    interface: str
    address: str
    leads_to: str


@dataclass
class _Way:
    """One way through cables of the same length: the packets under way, in the order in which they arrive."""

    seconds: float
    packets: deque[tuple[float, int, bytes]] = field(default_factory=deque)


class DelayLine:
    """Cables between hosts; packets travel as long as the `with` lasts, and then the interfaces vanish."""

    def __init__(self) -> None:
        self._ways: dict[float, _Way] = {}
        self._leads: dict[int, tuple[_Way, int]] = {}
        self._stop_reading, self._stop_writing = os.pipe2(os.O_NONBLOCK)
        self._thread = threading.Thread(target=self._carry, name="delay line", daemon=True)
        self._seconds = 0.0

    def lay(self, one: End, other: End, *, round_trip: float, rate: str) -> None:
        """Lay a cable before the `with`: seconds there and back, and bits a second each way in tc's words."""
        way = self._ways.setdefault(round_trip / 2, _Way(round_trip / 2))
        descriptors = [_plug_in(end, rate) for end in (one, other)]
        self._leads[descriptors[0]] = way, descriptors[1]
        self._leads[descriptors[1]] = way, descriptors[0]

    def cpu_seconds(self) -> float:
        """Return the processor's seconds that carrying has taken so far."""
        return self._seconds

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.write(self._stop_writing, b".")
        self._thread.join()
        for descriptor in (*self._leads, self._stop_reading, self._stop_writing):
            os.close(descriptor)

    def _carry(self) -> None:
        watched = [*self._leads, self._stop_reading]
        while True:
            arrivals = [way.packets[0][0] for way in self._ways.values() if way.packets]
            readable, _, _ = select.select(watched, [], [], max(0.0, min(arrivals) - monotonic()) if arrivals else None)
            if self._stop_reading in readable:
                return
            for descriptor in readable:
                self._take_in(descriptor)
            self._let_out()
            self._seconds = thread_time()

    def _take_in(self, descriptor: int) -> None:
        way, other = self._leads[descriptor]
        arrives = monotonic() + way.seconds
        with suppress(BlockingIOError):
            while True:
                way.packets.append((arrives, other, os.read(descriptor, _LARGEST_PACKET)))

    def _let_out(self) -> None:
        now = monotonic()
        for way in self._ways.values():
            while way.packets and way.packets[0][0] <= now:
                _, descriptor, packet = way.packets.popleft()
                with suppress(OSError):  # an end whose host is being removed
                    os.write(descriptor, packet)


def _plug_in(end: End, rate: str) -> int:
    """Make the device of a cable's end on its host; the descriptor from which its packets are read."""
    descriptor = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    for_now = f"delay-{descriptor}"
    fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH", for_now.encode(), _IFF_TUN | _IFF_NO_PI))
    ip("link", "set", for_now, "netns", end.host, "name", end.interface)
    ip("-n", end.host, "addr", "add", f"{end.address}/32", "dev", end.interface)
    ip("-n", end.host, "link", "set", end.interface, "txqueuelen", str(_QUEUED_PACKETS), "up")
    shape = ["rate", rate, "burst", "32kb", "latency", "400ms"]
    traffic_control("-n", end.host, "qdisc", "add", "dev", end.interface, "root", "tbf", *shape)
    ip("-n", end.host, "route", "add", end.leads_to, "dev", end.interface, "src", end.address)
    return descriptor

"""The mailbox: small messages between ranks at any time, beside the exchange.

What one loop of a rank has to say to another travels as one message.  What a rank says to itself does not travel, so
a rank that is alone needs no MPI.
"""

import pickle
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from crawler.politeness.messages import Message

if TYPE_CHECKING:
    from mpi4py import MPI

_TAG = 1


class Mailbox:
    """One rank's end of the mailbox over a communicator; it counts the messages ``sent`` and those ``received``.

    It ``is_polled``: what comes from others is found by looking for it now and then.
    """

    is_polled = True

    def __init__(self, comm: "MPI.Intracomm") -> None:
        self._comm = comm.Dup()
        self.rank = comm.rank
        self.ranks = comm.size
        self.sent = 0
        self.received = 0
        self._outgoing: dict[int, list[Message]] = {}
        self._to_self: deque[Message] = deque()
        self._arrived: deque[tuple[int, Message]] = deque()
        self._under_way: deque[MPI.Request] = deque()
        self._packets_to = np.zeros(comm.size, np.int64)
        self._packets_read = 0

    def send(self, rank: int, message: Message) -> None:
        """Have a message delivered; to another rank it leaves with the next `dispatch`."""
        self.sent += 1
        if rank == self.rank:
            self._to_self.append(message)
        else:
            self._outgoing.setdefault(rank, []).append(message)

    def next(self) -> tuple[int, Message] | None:
        """The next message and who sent it, or None; what came from others is looked for only when it runs out."""
        if not self._to_self and not self._arrived and self.ranks > 1:
            self._collect()
        if not self.has_mail:
            return None
        self.received += 1
        return (self.rank, self._to_self.popleft()) if self._to_self else self._arrived.popleft()

    @property
    def packets(self) -> int:
        """What has travelled to other ranks, each with one or more messages."""
        return int(self._packets_to.sum())

    @property
    def has_mail(self) -> bool:
        """Is there a message that has come and was not taken by `next`?"""
        return bool(self._to_self or self._arrived)

    @property
    def is_idle(self) -> bool:
        """Is there nothing to deliver and nothing to send?"""
        return not (self._to_self or self._arrived or self._outgoing)

    def dispatch(self) -> None:
        """Send what there is to say to others.  Never blocks."""
        if self._outgoing:
            self._send_all()
        while self._under_way and self._under_way[0].Test():
            self._under_way.popleft()

    def _send_all(self) -> None:
        from mpi4py import MPI

        for rank, messages in self._outgoing.items():
            packet = pickle.dumps(messages, pickle.HIGHEST_PROTOCOL)
            self._under_way.append(self._comm.Isend([packet, MPI.BYTE], rank, _TAG))
            self._packets_to[rank] += 1
        self._outgoing.clear()

    def close(self) -> None:
        """Take delivery of everything, unread, so that nothing is under way.  All ranks must call it."""
        self._outgoing.clear()
        coming = np.empty(self.ranks, np.int64)
        self._comm.Alltoall(self._packets_to, coming)
        while self._packets_read < int(coming.sum()):
            self._collect()
        for request in self._under_way:
            request.Wait()
        self._comm.Free()

    def _collect(self) -> None:
        from mpi4py import MPI

        status = MPI.Status()
        while self._comm.Iprobe(MPI.ANY_SOURCE, _TAG, status):
            packet = bytearray(status.Get_count(MPI.BYTE))
            sender = status.Get_source()
            self._comm.Recv([packet, MPI.BYTE], sender, _TAG)
            self._packets_read += 1
            messages = pickle.loads(packet)
            self._arrived.extend((sender, message) for message in messages)

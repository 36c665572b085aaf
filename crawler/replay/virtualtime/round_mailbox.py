"""The mailbox of a replay in virtual time: packets are delivered when all ranks have come to the horizon, by sender."""

import pickle

import numpy as np
import numpy.typing as npt

from crawler.politeness.mailbox import Mailbox

Sizes = npt.NDArray[np.int64]


class RoundMailbox(Mailbox):
    """One rank's end of a mailbox in which nothing travels before `swap`."""

    is_polled = False

    @property
    def is_idle(self) -> bool:
        """Is there nothing to deliver?"""
        return not self.has_mail

    def dispatch(self) -> None:
        """What there is to say waits for the others."""

    def packets_out(self) -> list[bytes]:
        """What there is to say to each rank, as a packet; empty to those to whom there is nothing."""
        packets = [b""] * self.ranks
        for rank, messages in self._outgoing.items():
            packets[rank] = pickle.dumps(messages, pickle.HIGHEST_PROTOCOL)
            self._packets_to[rank] += 1
        self._outgoing.clear()
        return packets

    def swap(self, packets: list[bytes], sizes: Sizes) -> None:
        """Exchange packets with all ranks, which call this together: int64[K, K] bytes by sender and receiver."""
        from mpi4py import MPI  # ranks of one process need none

        out, coming = sizes[self.rank], sizes[:, self.rank]
        received = np.empty(int(coming.sum()), np.uint8)
        self._comm.Alltoallv(
            [np.frombuffer(b"".join(packets), np.uint8), out.tolist(), _starts(out), MPI.BYTE],
            [received, coming.tolist(), _starts(coming), MPI.BYTE],
        )
        for sender, (start, size) in enumerate(zip(_starts(coming), coming.tolist(), strict=True)):
            if size:
                messages = pickle.loads(received[start : start + size].data)
                self._arrived.extend((sender, message) for message in messages)

    def close(self) -> None:
        """Nothing is under way."""
        self._outgoing.clear()
        self._comm.Free()

    def _collect(self) -> None:
        """Nothing comes between two deliveries."""


def _starts(sizes: Sizes) -> list[int]:
    starts: list[int] = (np.cumsum(sizes) - sizes).tolist()
    return starts

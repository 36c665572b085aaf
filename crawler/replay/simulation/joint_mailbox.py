"""The mailboxes of ranks that are in one process."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from crawler.politeness.messages import Message
from crawler.replay.simulation.seat import Seat
from crawler.replay.virtualtime.round_mailbox import RoundMailbox


class JointMailbox(RoundMailbox):
    """A rank's end of the mailbox, in a `MailRoom` where what it says is delivered as it is."""

    def __init__(self, seat: Seat, room: "MailRoom") -> None:
        super().__init__(cast(Any, seat))
        self._seat = seat
        self._room = room

    def send(self, rank: int, message: Message) -> None:
        """Have a message delivered; who writes is awake."""
        self._seat.is_awake = True
        super().send(rank, message)
        if rank != self.rank:
            self._room.writers.add(self.rank)

    def hand_over(self, mailboxes: Sequence["JointMailbox"]) -> Iterator[int]:
        """Put what there is to say into the mailboxes of others; the ranks that were told something."""
        for rank, messages in self._outgoing.items():
            mailboxes[rank]._arrived.extend((self.rank, message) for message in messages)
            self._packets_to[rank] += 1
            yield rank
        self._outgoing.clear()


class MailRoom:
    """The mailboxes of all ranks, and who of them has written something."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.writers: set[int] = set()
        self.mailboxes = [JointMailbox(seat, self) for seat in seats]

    def deliver(self) -> list[int]:
        """Deliver what ranks have said to each other, by sender; the ranks that were told something, in order."""
        told: set[int] = set()
        for writer in sorted(self.writers):
            told.update(self.mailboxes[writer].hand_over(self.mailboxes))
        self.writers.clear()
        return sorted(told)

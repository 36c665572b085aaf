"""A mailbox that goes nowhere: what one part of a rank has to say is looked at."""

from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Message


class Letters(Mailbox):
    """``written`` is what was sent since it was last taken, and to whom."""

    def __init__(self, rank: int = 0, ranks: int = 4) -> None:
        self.rank = rank
        self.ranks = ranks
        self.written: list[tuple[int, Message]] = []

    def send(self, rank: int, message: Message) -> None:
        """Write a message down."""
        self.written.append((rank, message))

    def take(self) -> list[tuple[int, Message]]:
        """What has been written; it is forgotten."""
        written, self.written = self.written, []
        return written

"""The URLs that other ranks own: each is sent to its owner once, and again if it comes within the limits only then."""

from collections.abc import Iterator
from pathlib import Path

from crawler.discovery.outboxes import Outboxes
from crawler.discovery.url_seen import Admitted, Seen
from crawler.urls.batch import Depths, Hops, UrlBatch
from crawler.urls.outgoing import Outgoing
from partition.assignment.assignment import Owners
from sessions.url import Hashes


class SentUrls:
    """What goes to each of ``ranks``, once: ``seen`` knows what did.  What is too much for now waits in ``folder``."""

    def __init__(self, seen: Seen, ranks: int, folder: Path) -> None:
        self.seen = seen
        self.resent = 0
        """URLs that were sent once more because they were found within the limits only then."""
        self._outboxes = Outboxes(ranks, folder)

    def __len__(self) -> int:
        """URLs that were found and are not on their way yet."""
        return len(self._outboxes) + self.seen.pending

    def send(self, batch: UrlBatch, owners: Owners) -> None:
        """Have distinct URLs sent to their owners, unless they were."""
        self._deal(self.seen.check_and_add(batch, owners))

    def never_send(self, hashes: Hashes) -> None:
        """Take URLs as sent, on whatever way they are found."""
        self._deal(self.seen.settle(hashes))

    def restore(self, hashes: Hashes, depths: Depths, hops: Hops) -> None:
        """Take URLs as sent on these ways: they are sent again only if they come within the limits."""
        self._deal(self.seen.note(hashes, depths, hops))

    def merge(self) -> None:
        """Deal with all that waits for a merge."""
        self._deal(self.seen.merge())

    def begin_merge(self) -> None:
        """Begin to merge what waits, for `merge_on`."""
        self._deal(self.seen.begin_merge())

    def merge_on(self) -> None:
        """Do a piece of the merge that was begun."""
        self._deal(self.seen.merge_on())

    def outgoing(self) -> Outgoing:
        """What each rank is sent now.  What is too much for now stays here."""
        return self._outboxes.take()

    def _deal(self, admitted: Iterator[Admitted]) -> None:
        """Put URLs into the outboxes of their owners."""
        for batch, owners, is_new, _ in admitted:
            self.resent += int((~is_new).sum())
            self._outboxes.add(batch, owners)

"""The merge ahead of an epoch's end: nothing that was found may be lost with an epoch, so what waits is merged before.

In one go that would stop fetching for as long as all that waits takes to be recorded and queued.  So the epoch waits
while what had gathered when it became due is merged in pieces; in one go is merged what came meanwhile.
"""

from typing import Protocol

from crawler.discovery.url_seen import Seen


class MergingUrls(Protocol):
    """URLs that are looked up in ``seen``: `crawler.discovery.own_urls.OwnUrls` and `sent_urls.SentUrls`."""

    seen: Seen

    def begin_merge(self) -> None:
        """Begin to merge what waits, while nothing merges."""
        ...


class EarlyMerge:
    """The early merges of one of these, one for each epoch."""

    def __init__(self, urls: MergingUrls) -> None:
        self._urls = urls
        self._last: int | None = None

    def is_under_way(self) -> bool:
        """Has the epoch to wait?  When this is first asked in an epoch, the merge begins if it is worth it.

        It follows the one that goes on, if there is one: what came since that was begun waits for the next.
        """
        seen = self._urls.seen
        if self._last is None:
            self._last = seen.merges + seen.is_merging + seen.has_much_waiting
        if not seen.is_merging and seen.merges < self._last:
            if not seen.has_much_waiting:
                self._last = seen.merges
            else:
                self._urls.begin_merge()
        seen.hurries = seen.merges < self._last
        return seen.hurries

    def epoch_closed(self) -> None:
        """The epoch has been closed; from now on it is about the next."""
        self._urls.seen.hurries = False
        self._last = None

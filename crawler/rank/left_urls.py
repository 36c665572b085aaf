"""What a crawl leaves: URLs that are still queued when it ends, and those that lay beyond its limits."""

from collections.abc import Callable

from crawler.discovery.url_seen import Seen
from crawler.exchange.verdict import Ending
from crawler.fetching.visits import Visits
from crawler.frontier.ordering import Ordering
from crawler.monitoring.counters import Counters
from crawler.urls.batch import Depths, Hops, UrlBatch
from crawler.urls.kinds import are_of_kind
from sessions.schema import FILTERED
from sessions.url import Hashes
from sessions.writing.recorder import Recorder

NOT_LISTED = "not-listed"
"""Why a URL is left by a crawl that keeps to a worklist, if it is not in there."""


class LeftUrls:
    """Takes from ``visits`` and ``ordering`` what was not visited, and records it.

    ``unblocked`` keeps URLs that no rule blocks, and records what becomes of others.  ``keeps_to_list``: the crawl
    goes by a worklist, and visits nothing else.
    """

    def __init__(
        self,
        visits: Visits,
        ordering: Ordering,
        seen: Seen,
        recorder: Recorder,
        counters: Counters,
        *,
        unblocked: Callable[[UrlBatch], UrlBatch],
        keeps_to_list: bool,
    ) -> None:
        self._visits = visits
        self._ordering = ordering
        self._seen = seen
        self._recorder = recorder
        self._counters = counters
        self._unblocked = unblocked
        self._keeps_to_list = keeps_to_list

    def save(self, ending: Ending) -> None:
        """Record what is still queued now that the crawl has ended, and what lay beyond the limits."""
        for waiting in self._visits.abandon():
            self._queued(*waiting, ending)
        for batch in map(self._unblocked, self._ordering.drain()):
            for its, reason in self._reasons(batch, ending):
                self._queued(its.hashes, its.depths, its.hops, reason)
        for beyond, is_too_deep in self._seen.beyond():
            for url_hash, too_deep in zip(beyond.tolist(), is_too_deep.tolist(), strict=True):
                reason = "depth" if too_deep else "redirects"
                self._recorder.outcome(url_hash, FILTERED, reason)
                self._counters.filtered[reason] += 1

    def _reasons(self, batch: UrlBatch, ending: Ending) -> list[tuple[UrlBatch, str]]:
        """Why the URLs of a batch are left: not because of the crawl's end if it keeps to a list that lacks them."""
        if not self._keeps_to_list:
            return [(batch, ending)]
        is_listed = ~are_of_kind(batch.flags, "")
        return [(batch.where(is_listed), ending), (batch.where(~is_listed), NOT_LISTED)]

    def _queued(self, hashes: Hashes, depths: Depths, hops: Hops, reason: str) -> None:
        if not len(hashes):
            return
        depths, hops = self._seen.shortest(hashes, depths, hops)
        self._recorder.frontier(hashes, depths, hops, [str(reason)] * len(hashes))
        self._counters.queued[str(reason)] += len(hashes)

"""A rank's discovery where the links of all ranks are settled at once, at the end of a superstep."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from crawler.discovery.depth_limits import DEEPEST, MOST_HOPS
from crawler.discovery.discovery import Discovery
from crawler.discovery.own_urls import OwnUrls
from crawler.discovery.url_seen import Seen
from crawler.replay.recordedweb.recorded_pages import RecordedTargets
from crawler.replay.simulation.joint_links import FoundPages, JointLinks
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.outgoing import NOTHING_OUTGOING, Outgoing
from crawler.urls.targets import PageTargets
from sessions.schema import NOFOLLOW


class JointDiscovery(Discovery):
    """Settles by itself only what a rank may need before the superstep ends: own URLs that are news.

    The rest is left to ``joint``: the rank says at the end of a superstep which pages it has read, and hears what is
    news to it.
    """

    def __init__(self, joint: JointLinks, *given: Any, own: OwnUrls, **parts: Any) -> None:
        own.seen = cast(Seen, joint.seen)
        super().__init__(*given, own=own, **parts)
        self._joint = joint
        self._pages: FoundPages = []
        self._links = 0
        self._settled: list[FoundPages] = []

    def links_of(
        self, source: int, depth: int, links: PageTargets, *, hops: int = 0, domain: int = 0, site: str = ""
    ) -> None:
        """Take a page's links."""
        page = cast(RecordedTargets, links.targets).page
        self._pages.append((page, min(depth, DEEPEST), min(hops, MOST_HOPS)))
        self._links += len(links.flags)
        self._counters.links += len(links.flags)
        if self.unfollowed & NOFOLLOW:
            self._counters.links_nofollow += int(np.count_nonzero(links.flags & NOFOLLOW))
        if self._links >= self._links_per_batch:
            self.settle()

    def settle(self) -> None:
        """Queue own URLs that are news; what others own is left for the end of the superstep."""
        if self._pages:
            self._accept(self._joint.own_news(self._rank, self._pages))
            self._leave_the_rest()

    def outgoing(self) -> Outgoing:
        """Have the rest settled with that of the other ranks, where nothing is left to be sent but by these."""
        self._leave_the_rest()
        self._joint.come(self._rank, self._settled)
        self._settled = []
        return NOTHING_OUTGOING

    def receive(self, batches: Sequence[UrlBatch]) -> None:
        """Accept what is news, each URL once: first what the rank has found itself."""
        self._accept(self._joint.take_own(self._rank))
        batch = joined(batches)
        self._accept(batch.take(batch.depths.argsort(kind="stable")))

    @property
    def is_merging(self) -> bool:
        """There is nothing that merges."""
        return False

    @property
    def undelivered(self) -> int:
        """Links found that have not been settled for all ranks yet, in pages."""
        return len(self._pages) + len(self._settled)

    def _accept(self, news: UrlBatch) -> None:
        if len(news):
            self._own.accept(news, self._rank)

    def _leave_the_rest(self) -> None:
        if self._pages:
            self._settled.append(self._pages)
        self._pages, self._links = [], 0

"""A rank's discovery where the links of all ranks are settled at once, at the end of a superstep."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from crawler.discovery.depth_limits import DEEPEST, MOST_HOPS
from crawler.discovery.discovery import Discovery
from crawler.discovery.own_urls import OwnUrls
from crawler.discovery.url_seen import Seen
from crawler.replay.recordedweb.recorded_pages import RecordedTargets
from crawler.replay.simulation.joint_links import JointLinks
from crawler.urls.batch import UrlBatch
from crawler.urls.outgoing import NOTHING_OUTGOING, Outgoing
from crawler.urls.targets import PageTargets
from sessions.schema import NOFOLLOW


class JointDiscovery(Discovery):
    """Settles by itself only what a rank may need before the superstep ends: own URLs that are news.

    The rest is left to ``joint``, which settles at the end of a superstep what ranks have read: the rank hears of it if
    something is news to it.
    """

    def __init__(self, joint: JointLinks, *given: Any, own: OwnUrls, **parts: Any) -> None:
        own.seen = cast(Seen, joint.seen)
        super().__init__(*given, own=own, **parts)
        self._joint = joint
        self._unsettled = joint.unsettled[self._rank]

    def links_of(
        self, source: int, depth: int, links: PageTargets, *, hops: int = 0, domain: int = 0, site: str = ""
    ) -> None:
        """Take a page's links."""
        page = cast(RecordedTargets, links.targets).page
        unsettled = self._unsettled
        unsettled.pages.append((page, min(depth, DEEPEST), min(hops, MOST_HOPS)))
        unsettled.links += len(links.flags)
        self._counters.links += len(links.flags)
        if self.unfollowed & NOFOLLOW:
            self._counters.links_nofollow += int(np.count_nonzero(links.flags & NOFOLLOW))
        if unsettled.links >= self._links_per_batch:
            self.settle()

    def settle(self) -> None:
        """Queue own URLs that are news; what others own is left for the end of the superstep."""
        if self._unsettled.pages:
            self.receive([self._joint.own_news(self._rank)])

    def outgoing(self) -> Outgoing:
        """Nothing is left for a rank to send."""
        return NOTHING_OUTGOING

    def receive(self, batches: Sequence[UrlBatch]) -> None:
        """Accept what is news, in each batch distinct URLs."""
        for news in batches:
            if len(news):
                self._own.accept(news, self._rank)

    @property
    def is_merging(self) -> bool:
        """There is nothing that merges."""
        return False

    def merges_early(self) -> bool:
        """There is nothing that merges."""
        return False

    @property
    def undelivered(self) -> int:
        """Links found that have not been settled yet, in pages."""
        return len(self._unsettled.pages)

"""The links of a recording that lead on, and how far from the seeds what they lead to lies."""

import numpy as np

from crawler.discovery.depth_limits import one_step_further
from crawler.replay.course import Ranks
from crawler.replay.estimation.url_rows import Findings
from crawler.replay.recording import Numbers, Recording
from crawler.urls.batch import Depths, Hops
from sessions.hash_arrays import concatenated_ranges
from sessions.schema import REDIRECT


class FollowedLinks:
    """The links of a recording that lead on, as CSR over its pages.

    A page whose first link is flagged as a redirect is one: what it leads to lies as deep as itself, a hop further.
    """

    def __init__(self, recording: Recording) -> None:
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(recording.is_followed, dtype=np.int64)])
        starts = before[recording.starts]
        self._starts, self._counts = starts[:-1], np.diff(starts)
        self._targets = recording.targets[recording.is_followed]
        self._flags = recording.flags[recording.is_followed]
        self._is_redirect = np.diff(recording.starts) > 0
        firsts = recording.starts[:-1][self._is_redirect]
        self._is_redirect[self._is_redirect] = (recording.flags[firsts] & REDIRECT) != 0

    def counts(self, pages: Numbers) -> Numbers:
        """How many links of each page lead on: int64[n]."""
        counts: Numbers = self._counts[pages]
        return counts

    def targets_of(self, page: int) -> Numbers:
        """What the links of a page that lead on lead to: int64[n]."""
        start = self._starts.item(page)
        targets: Numbers = self._targets[start : start + self._counts.item(page)]
        return targets

    def of(self, ranks: Ranks, pages: Numbers, depths: Depths, hops: Hops) -> Findings:
        """What ``ranks`` int32[n] find in ``pages`` int64[n] that lie at these depths and hops, page by page."""
        return self.leading(ranks, pages, *one_step_further(depths, hops, self._is_redirect[pages]))

    def leading(self, ranks: Ranks, pages: Numbers, depths: Depths, hops: Hops) -> Findings:
        """What ``ranks`` int32[n] find in ``pages`` int64[n] if it lies at these depths and hops, page by page."""
        counts = self.counts(pages)
        places = concatenated_ranges(self._starts[pages], counts)
        return Findings(
            np.repeat(ranks, counts),
            self._targets[places],
            np.repeat(depths, counts),
            np.repeat(hops, counts),
            self._flags[places],
        )

"""The naive way to keep budgets, which BEAST is compared with: one queue that is read, one that waits.

Source: Lee, Leonard, Wang, Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 6.2.
"""

from pathlib import Path

import numpy as np

from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.queue_pool import QueuePool
from crawler.frontier.budgets.ring_placement import NOWHERE, Budgets, RingPlacement
from crawler.frontier.url_files import FileTraffic
from crawler.urls.batch import UrlBatch, empty_batch

_BATCH = 1 << 13


class TwoQueues:
    """Q and QF.  What is added goes to QF.

    When Q is empty, all of QF is read: the first B(x) URLs of each domain x are the new Q, the others the new QF.
    """

    queues = 1

    def __init__(self, folder: Path, memory: int) -> None:
        self._pool = QueuePool(folder, memory)
        self._queue, self._failed = self._pool.open("queue"), self._pool.open("failed")
        self._budgets: Budgets = lambda domains: np.ones(len(domains), np.int64)

    @property
    def traffic(self) -> FileTraffic:
        """What was read from disk and written to it so far."""
        return self._pool.traffic

    def add(self, batch: UrlBatch) -> None:
        """Accept newly seen URLs."""
        self._failed.add(batch)
        self._pool.relieve()

    def place(self, budgets: Budgets) -> None:
        """Use these budgets from now on."""
        self._budgets = budgets

    def take(self, count: int) -> UrlBatch:
        """Up to ``count`` URLs of one pass; none only if there are none at all."""
        if not len(self._queue):
            self._pass()
        return self._queue.take(count) if len(self._queue) else empty_batch()

    def _pass(self) -> None:
        stretch, remaining = RingPlacement(), len(self._failed)
        while remaining:
            batch = self._failed.take(min(remaining, _BATCH))
            remaining -= len(batch)
            is_within = stretch.place(domain_hashes(batch.urls), self._budgets, 1, 1) != NOWHERE
            self._queue.add(batch.where(is_within))
            self._failed.add(batch.where(~is_within))
            self._pool.relieve()

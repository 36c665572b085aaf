"""BEAST, "budget enforcement with anti-spam tactics": URLs beyond their domain's budget are delayed, never dropped.

Source: H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008,
section 6.3.  There are j queues in a ring, of which one, the *current* one, is read.  Of each domain's newly seen URLs
the first B go to the queue after it, the next B to the one after that, and so on, and what fits in none to a further
queue, QF.  When all j have been read, QF is read once and spread over j new ones, and then there are 2j.

Queues are numbered as they are read: a queue that is emptied comes back at the ring's end under the next free number.
Some things are decided here that the paper leaves open.

*When the number of queues is doubled.*  If QF holds more URLs than the last round served.  Doubling each time, as the
paper does, reaches the 2^(ceil(log2(a + 1)) - 1) queues of its Theorem 5, because a page brings several new URLs, so
that QF outgrows each round; then this rule doubles each time, too.  A smaller QF is spread over the ring as it is, by
what is left of the budgets: reading it costs at most one reading and writing for each URL that was served, which is
what doubling is there to keep.  So a QF that is small or empty never makes the ring larger, nor does a round that
served nothing.

*Where the doubling ends.*  When the ring has so many queues that each has only a few kilobytes of the memory.

*When QF is spread.*  Little by little, as many for each URL taken as it needs to be done when the URLs that were in
the ring at that moment are taken: reading tens of millions of URLs at once would hold up the rank for minutes.  The new
queues are read later than that.  If nothing else is in the ring, at once.

*Where newly seen URLs go after a doubling.*  A domain can have room in the old queues while its URLs of QF lie in the
new ones.  Newly seen URLs go to the old ones first, so that no budget is left unused.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crawler.frontier.budgets.budget_functions import B0
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.queue_pool import QueuePool
from crawler.frontier.budgets.ring_placement import NOWHERE, Budgeted, Budgets, Counts, RingPlacement
from crawler.frontier.budgets.waiting import WaitingUrls
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.url_files import FileTraffic
from crawler.frontier.url_queue import BYTES_BESIDE_TEXT, UrlQueue
from crawler.urls.batch import UrlBatch, empty_batch
from crawler.urls.hash_table import HashTable
from sessions.hash_arrays import distinct
from sessions.url import Hashes

QUEUES = 2
"""j at the beginning."""
_LEAST_BYTES_PER_QUEUE = 16 << 10
_QUEUES_ALWAYS_ALLOWED = 64
_SHARE_OF_A_BATCH = 1 / 16
_LEAST_BATCH, _MOST_BATCH = 64, 1 << 13
_USUAL_URL = BYTES_BESIDE_TEXT + 60


class Beast:
    """The ordering by budgets.  What is added is staged, until `place` says the budgets of its domains.

    The URLs in memory take about ``memory`` bytes, whatever the number of queues, the rest is in files in ``folder``;
    beside them a MiB, and 40 to 80 bytes are kept for each domain that has URLs in the ring.  ``queues`` is the j to
    begin with.
    """

    def __init__(
        self, folder: Path, memory: int, _settings: OrderSettings = DEFAULT_SETTINGS, *, queues: int = QUEUES
    ) -> None:
        self._pool = QueuePool(folder, memory)
        self._most_queues = max(queues, memory // _LEAST_BYTES_PER_QUEUE, _QUEUES_ALWAYS_ALLOWED)
        self._batch = min(max(round(memory * _SHARE_OF_A_BATCH) // _USUAL_URL, _LEAST_BATCH), _MOST_BATCH)
        self._budgets: Budgets = _least_budgets
        self._staged = self._pool.open("staged")
        self._staged_domains = HashTable()
        self._waiting = WaitingUrls()
        self._ring: dict[int, UrlQueue] = {}
        self._in_ring = 0
        self._failed = self._pool.open("failed")
        self._queues = queues
        self._current = 1
        self._last_of_round = queues
        self._served = 0
        self._to_spread = self._pace = 0
        self._near = RingPlacement()
        self._far: RingPlacement | None = None
        self._far_begins = 0

    def __len__(self) -> int:
        return len(self._staged) + self.ready

    @property
    def ready(self) -> int:
        """URLs in the ring and in QF: all but the staged ones."""
        return self._in_ring + len(self._failed)

    @property
    def current(self) -> int:
        """URLs in the current queue."""
        queue = self._ring.get(self._current)
        return 0 if queue is None else len(queue)

    def move_on(self) -> None:
        """The next queue that is not empty becomes current; QF is spread when there are no others."""
        while self.ready and self._current not in self._ring:
            self._move_on()

    @property
    def queues(self) -> int:
        """j, the number of queues in the ring, empty ones included."""
        return self._queues

    @property
    def failed(self) -> int:
        """URLs in QF."""
        return len(self._failed)

    @property
    def domain_bytes(self) -> int:
        """Memory, in bytes, that is taken by what is kept of domains."""
        stretches = [self._near] if self._far is None else [self._near, self._far]
        return self._staged_domains.nbytes + sum(stretch.nbytes for stretch in stretches)

    @property
    def traffic(self) -> FileTraffic:
        """What was read from disk and written to it so far."""
        return self._pool.traffic

    def add(self, batch: UrlBatch) -> None:
        """Stage newly seen URLs, or such as are to be fetched again."""
        self._staged.add(batch)
        domain_of_each = domain_hashes(batch.urls)
        self._waiting.add(domain_of_each)
        domains = distinct(domain_of_each)
        self._staged_domains.insert(domains[~self._staged_domains.contains(domains)])
        self._pool.relieve()

    def staged_domains(self) -> Hashes:
        """The distinct domains of what is staged, by their hashes (`crawler.frontier.budgets`): uint64[m]."""
        return self._staged_domains.keys(self._staged_domains.occupied())

    def waiting(self, domains: Hashes) -> Counts:
        """How many URLs of each domain wait here, staged ones too: int64[n] for uint64[n]."""
        return self._waiting.of(domains)

    def place(self, budgets: Budgets) -> None:
        """Give all that is staged its place.  QF is spread by the same ``budgets`` when it comes to that."""
        self._budgets = budgets
        while len(self._staged):
            self._distribute(self._staged.take(self._batch))
        self._staged_domains = HashTable()

    @property
    def budgeted(self) -> "Beast":
        """Its own URLs."""
        return self

    @property
    def back_links(self) -> None:
        return None

    def take(self, count: int) -> UrlBatch:
        """Remove and return the next URLs of the current queue, up to ``count``."""
        queue = self._ring.get(self._current)
        if queue is None:
            return empty_batch()
        batch = queue.take(count)
        self._in_ring -= len(batch)
        self._waiting.remove(domain_hashes(batch.urls))
        self._served += len(batch)
        if not len(queue):
            self._pool.close(self._ring.pop(self._current))
        self._spread(min(self._to_spread, self._pace * len(batch)), self._current + self._queues - 1)
        return batch

    def drain(self) -> Iterator[UrlBatch]:
        """Remove and return all URLs, staged ones too, queue by queue."""
        for queue in (*self._ring.values(), self._failed, self._staged):
            yield from queue.drain()
        self._in_ring = self._to_spread = 0
        self._waiting = WaitingUrls()
        self._ring.clear()

    def _move_on(self) -> None:
        """The current queue is empty, and the next becomes current."""
        if not self._ring:
            self._go_to(self._last_of_round)
        if self._current == self._last_of_round:
            self._end_round()
        self._go_to(self._current + 1)

    def _go_to(self, number: int) -> None:
        self._current = number
        if self._far is not None and number >= self._far_begins:
            self._near, self._far = self._far, None

    def _end_round(self) -> None:
        """All queues have been read once: double their number if that is worth it, and begin to spread QF."""
        if 0 < self._served < len(self._failed) and 2 * self._queues <= self._most_queues:
            self._far, self._far_begins = RingPlacement(), self._current + self._queues + 1
            self._queues *= 2
        self._last_of_round = self._current + self._queues
        self._served = 0
        self._to_spread = len(self._failed)
        if self._in_ring:
            self._pace = -(-self._to_spread // self._in_ring)
        else:
            self._spread(self._to_spread, self._last_of_round)

    def _spread(self, count: int, last: int) -> None:
        """Read so many URLs of QF; those that do not fit in queues up to ``last`` are of the new QF."""
        self._to_spread -= count
        while count:
            batch = self._failed.take(min(count, self._batch))
            count -= len(batch)
            stretch, first = (self._near, self._current + 1) if self._far is None else (self._far, self._far_begins)
            budgets = self._budgets if self._in_ring else self._whole_budgets
            self._scatter(batch, stretch.place(domain_hashes(batch.urls), budgets, first, last))

    def _whole_budgets(self, domains: Hashes) -> Budgeted:
        """At least a URL of each domain: where nothing else waits nobody would have what a fraction holds back."""
        return np.maximum(self._budgets(domains), 1)

    def _distribute(self, batch: UrlBatch) -> None:
        """Have newly seen URLs in the queues after the current one."""
        domains = domain_hashes(batch.urls)
        first, last = self._current + 1, self._current + self._queues - 1
        if self._far is None:
            numbers = self._near.place(domains, self._budgets, first, last)
        else:
            numbers = self._near.place(domains, self._budgets, first, self._far_begins - 1)
            is_left = numbers == NOWHERE
            numbers[is_left] = self._far.place(domains[is_left], self._budgets, self._far_begins, last)
        self._scatter(batch, numbers)

    def _scatter(self, batch: UrlBatch, numbers: Counts) -> None:
        """Add each URL to the queue of its number, or to QF, in order of arrival."""
        order = np.argsort(numbers, kind="stable")
        batch, numbers = batch.take(order), numbers[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1)).tolist()
        for start, stop in zip(starts, [*starts[1:], len(batch)], strict=True):
            self._queue(int(numbers[start])).add(batch.between(start, stop))
        self._in_ring += int((numbers != NOWHERE).sum())
        self._pool.relieve()

    def _queue(self, number: int) -> UrlQueue:
        if number == NOWHERE:
            return self._failed
        queue = self._ring.get(number)
        if queue is None:
            queue = self._ring[number] = self._pool.open(f"ring-{number:06d}")
        return queue


def _least_budgets(domains: Hashes) -> Counts:
    return np.full(len(domains), B0, np.int64)

"""Which of several successive queues each URL goes to, so that none takes more of a domain than its budget.

A budget may be a fraction, since ranks divide a domain's among them: a rank with a quarter of a URL has one in every
fourth queue.  What queue q may have is the whole numbers between q x budget and (q + 1) x budget, so that n successive
queues have n x budget together, and no rounding adds up.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from crawler.urls.hash_table import HashTable
from sessions.url import Hashes

Counts = npt.NDArray[np.int64]
Budgeted = npt.NDArray[np.float64] | Counts
Budgets = Callable[[Hashes], Budgeted]
"""How many URLs a queue may have of each of these domains, for distinct uint64[n]; rounded to a 1,024th, which is the
least."""

NOWHERE = -1
_FRACTION_BITS = 10
_ONE = 1 << _FRACTION_BITS
_FORGOTTEN_AT_ONCE = 4096


class RingPlacement:
    """Queues with successive numbers, and how far each domain has got in them: which queue is its last, how full.

    So much is kept for a domain however many queues there are, and nothing once its last queue is behind.
    """

    def __init__(self) -> None:
        self._domains = _table()
        self._kept = 0

    @property
    def domains(self) -> int:
        """Domains of which something is kept."""
        return len(self._domains)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that they take."""
        return self._domains.nbytes

    def place(self, domains: Hashes, budgets: Budgets, first: int, last: int) -> Counts:
        """The queue of each URL, from ``first`` to ``last``, `NOWHERE` if its domain has used up its budget in all.

        ``domains`` is uint64[n], by order of arrival; answers int64[n].  A domain's URLs go to the queue in which the
        one before lies until its present budget for it is used up, then to the next.
        """
        if first > last or not len(domains):
            return np.full(len(domains), NOWHERE, np.int64)
        self._forget_before(first)
        distinct, domain_of_each, counts = np.unique(domains, return_inverse=True, return_counts=True)
        budget = np.maximum(np.rint(_ONE * budgets(distinct)).astype(np.int64), 1)
        slots = self._domains.find(distinct)
        queue, used = self._standing(slots, first)
        is_full = used >= _given_before(queue + 1, budget) - _given_before(queue, budget)
        queue[is_full] += 1
        used[is_full] = 0
        before = _given_before(queue, budget) + used
        room = np.maximum(_given_before(np.maximum(last + 1, queue), budget) - before, 0)
        placed = np.minimum(counts, room)
        last_queue = _queue_of(before + placed - 1, budget)
        self._note(distinct, slots, placed, last_queue, before + placed - _given_before(last_queue, budget))
        ordinal = _ordinals(domain_of_each, counts)
        queue_of_each = _queue_of(before[domain_of_each] + ordinal, budget[domain_of_each])
        return np.where(ordinal < placed[domain_of_each], queue_of_each, NOWHERE)

    def _standing(self, slots: Counts, first: int) -> tuple[Counts, Counts]:
        """Where each domain is, and what it has used there."""
        is_known = slots >= 0
        queue = np.full(len(slots), first, np.int64)
        used = np.zeros(len(slots), np.int64)
        queue[is_known] = self._domains.values["queue"][slots[is_known]]
        used[is_known] = self._domains.values["used"][slots[is_known]]
        is_behind = queue < first
        queue[is_behind] = first
        used[is_behind] = 0
        return queue, used

    def _note(self, distinct: Hashes, slots: Counts, placed: Counts, queue: Counts, used: Counts) -> None:
        is_old, is_new = (placed > 0) & (slots >= 0), (placed > 0) & (slots < 0)
        self._domains.values["queue"][slots[is_old]] = queue[is_old]
        self._domains.values["used"][slots[is_old]] = used[is_old]
        self._domains.insert(distinct[is_new], {"queue": queue[is_new], "used": used[is_new]})

    def _forget_before(self, first: int) -> None:
        """Drop domains whose last queue is behind, when they may be more than half of all."""
        if len(self._domains) <= 2 * self._kept + _FORGOTTEN_AT_ONCE:
            return
        slots = self._domains.occupied()
        slots = slots[self._domains.values["queue"][slots] >= first]
        keys = self._domains.keys(slots)
        values = {name: column[slots] for name, column in self._domains.values.items()}
        self._domains = _table()
        self._domains.insert(keys, values)
        self._kept = len(keys)


def _given_before(queue: Counts, budget: Counts) -> Counts:
    """How many URLs all queues before this one may have together; ``budget`` is in 1,024ths."""
    return (queue * budget) >> _FRACTION_BITS


def _queue_of(given: Counts, budget: Counts) -> Counts:
    """The queue of the URL before which so many are given."""
    return ((given + 1 << _FRACTION_BITS) + budget - 1) // budget - 1


def _table() -> HashTable:
    return HashTable({"queue": np.int64, "used": np.uint32})


def _ordinals(domain_of_each: npt.NDArray[np.intp], counts: Counts) -> Counts:
    """How many URLs of its domain came before each: int64[n]."""
    ordinals = np.empty(len(domain_of_each), np.int64)
    before = np.cumsum(counts) - counts
    ordinals[np.argsort(domain_of_each, kind="stable")] = np.arange(len(ordinals)) - np.repeat(before, counts)
    return ordinals

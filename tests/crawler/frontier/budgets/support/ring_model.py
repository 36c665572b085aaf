"""BEAST as the paper tells it, in plain lists, one URL at a time: what the real one is compared with."""

from collections import Counter
from collections.abc import Callable
from math import ceil

Url = str
BudgetOf = Callable[[str], int]


class ModelQueue:
    """URLs, and how many of each domain were ever put here.  ``is_new``: made in the last doubling, or later."""

    def __init__(self, *, is_new: bool = False) -> None:
        self.urls: list[Url] = []
        self.used: Counter[str] = Counter()
        self.is_new = is_new


class RingModel:
    """The queues in the order in which they will be read, the current one first, and QF.

    ``most`` is how many queues there may be; ``domain_of`` tells a URL's domain.
    """

    def __init__(self, queues: int, most: int, domain_of: Callable[[Url], str]) -> None:
        self.ring = [ModelQueue() for _ in range(queues)]
        self.failed: list[Url] = []
        self.staged: list[Url] = []
        self.most = most
        self.domain_of = domain_of
        self.budget_of: BudgetOf = lambda _: 10
        self.left_in_round = queues
        self.served = 0
        self.to_spread = 0
        self.pace = 0

    @property
    def ready(self) -> int:
        return len(self.failed) + sum(len(queue.urls) for queue in self.ring)

    def place(self, budget_of: BudgetOf) -> None:
        self.budget_of = budget_of
        for url in self.staged:
            old = [queue for queue in self.ring[1:] if not queue.is_new]
            new = [queue for queue in self.ring[1:] if queue.is_new]
            if not self.put(url, old) and not self.put(url, new):
                self.failed.append(url)
        self.staged = []

    def put(self, url: Url, queues: list[ModelQueue]) -> bool:
        """Put a URL into the first of the queues that has budget left, none before one with URLs of its domain."""
        domain = self.domain_of(url)
        begun = [place for place, queue in enumerate(queues) if queue.used[domain]]
        for queue in queues[begun[-1] if begun else 0 :]:
            if queue.used[domain] < self.budget_of(domain):
                queue.used[domain] += 1
                queue.urls.append(url)
                return True
        return False

    def take(self, count: int) -> list[Url]:
        taken: list[Url] = []
        while len(taken) < count and self.ready:
            if not self.ring[0].urls:
                self.move_on()
                continue
            taken.append(self.ring[0].urls.pop(0))
            self.served += 1
            self.spread(self.pace)
        return taken

    def move_on(self) -> None:
        fresh = ModelQueue(is_new=any(queue.is_new for queue in self.ring))
        self.ring.append(fresh)
        self.left_in_round -= 1
        if not self.left_in_round:
            self.end_round()
        del self.ring[0]
        if self.ring[1:] and all(queue.is_new for queue in self.ring[1:]):
            for queue in self.ring:
                queue.is_new = False

    def end_round(self) -> None:
        queues = self.ring[1:]
        for queue in queues:
            queue.is_new = False
        if 0 < self.served < len(self.failed) and 2 * len(queues) <= self.most:
            self.ring += [ModelQueue(is_new=True) for _ in queues]
        self.left_in_round = len(self.ring) - 1
        self.served = 0
        self.to_spread = len(self.failed)
        in_ring = self.ready - len(self.failed)
        self.pace = ceil(self.to_spread / in_ring) if in_ring else 0
        if not in_ring:
            self.spread(self.to_spread)

    def spread(self, count: int) -> None:
        for _ in range(min(count, self.to_spread)):
            url = self.failed.pop(0)
            self.to_spread -= 1
            new = [queue for queue in self.ring[1:] if queue.is_new]
            if not self.put(url, new or self.ring[1:]):
                self.failed.append(url)

"""Streams of links between domains, what is to come of them, and an ordering that waits for budgets."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.frontier.budgets.ring_placement import Budgets
from sessions.url import Hashes, url_hashes

Links = list[tuple[int, int]]


def hashes(numbers: npt.ArrayLike) -> Hashes:
    """A hash for each number: uint64[n]."""
    return url_hashes(list(map(str, np.array(numbers, np.int64).reshape(-1).tolist())))


def columns(links: Links) -> tuple[Hashes, Hashes]:
    """The two ends of each link, as hashes of domains."""
    sources, domains = np.array(links, np.int64).reshape(-1, 2).T
    return hashes(sources), hashes(domains)


def in_degree(links: Links, domain: int) -> int:
    """How many other domains link to a domain, by its definition."""
    return len({source for source, target in links if target == domain != source})


class Placed(NamedTuple):
    """What an ordering was told when it placed its URLs."""

    domains: list[int]
    budgets: list[float]


class FakeStaging:
    """URLs that wait for their budgets, by domain; ``ready`` is what the test says."""

    def __init__(self, ready: int = 0) -> None:
        self.ready = ready
        self.staged: list[int] = []
        self.placed: list[Placed] = []
        self.counts: dict[int, int] = {}

    def __len__(self) -> int:
        return self.ready + len(self.staged)

    def staged_domains(self) -> Hashes:
        """The domains that wait, each once."""
        return np.unique(hashes(self.staged))

    def waiting(self, domains: Hashes) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """What the test says of each domain in ``counts``; if that is nothing, budgets are not divided."""
        counts = dict(zip(hashes(list(self.counts)).tolist(), self.counts.values(), strict=True))
        return np.array([counts.get(domain, 0) for domain in domains.tolist()], np.int64)

    def place(self, budgets: Budgets) -> None:
        """Note what the budgets are."""
        domains = sorted(set(self.staged))
        self.placed.append(Placed(domains, budgets(hashes(domains)).tolist()))
        self.staged = []

"""A crawl one page at a time, of a web given as links, in any of the orders of docs/ranking.md."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, pairwise

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class Web:
    """Pages 0 to n - 1 and the links of each: page i has ``targets[starts[i]:starts[i + 1]]``, of numbers below U.

    ``sites`` tells the site of each of U URLs, by whatever tells sites apart and orders equal ones.
    """

    def __init__(self, starts: Numbers, targets: Numbers, seeds: Sequence[int], sites: Sequence[int]) -> None:
        self.links = [targets[first:last].tolist() for first, last in pairwise(starts)]
        self.seeds = seeds
        self.sites = sites


def breadth_first(web: Web) -> list[int]:
    """Return the pages in the order in which they are found."""
    known, waiting = set(web.seeds), deque(web.seeds)
    fetched = []
    while waiting:
        fetched.append(waiting.popleft())
        for target in web.links[fetched[-1]]:
            if target not in known:
                known.add(target)
                if target < len(web.links):
                    waiting.append(target)
    return fetched


def by_keys(web: Web, keys: Sequence[float]) -> list[int]:
    """Return the pages in order of their keys, the least of those known first, equal ones as they were found."""
    return list(_best_first(web, keys.__getitem__, is_rising=False))


def by_page(web: Web) -> list[int]:
    """Return the pages by back-links of those known, most first."""
    counts = [0] * len(web.sites)

    def key(url: int) -> int:
        return -counts[url]

    return list(_best_first(web, key, is_rising=True, counts=counts))


def _best_first(
    web: Web, key: Callable[[int], float], *, is_rising: bool, counts: list[int] | None = None
) -> Iterator[int]:
    turns = count()
    turn_of: dict[int, int] = {}
    heap: list[tuple[float, int, int]] = []
    done = set()

    def wait(url: int) -> None:
        if url not in turn_of:
            turn_of[url] = next(turns)
        elif not is_rising:
            return
        if url < len(web.links):
            heappush(heap, (key(url), turn_of[url], url))

    for seed in web.seeds:
        wait(seed)
    while heap:
        _, _, page = heappop(heap)
        if page in done:
            continue
        done.add(page)
        yield page
        for target in web.links[page]:
            if counts is not None:
                counts[target] += 1
            if target not in done:
                wait(target)


def by_site(web: Web) -> list[int]:
    """Return the pages by back-links of their sites, most first, and within a site as they were found."""
    queues: dict[int, deque[int]] = {site: deque() for site in set(web.sites)}
    counts = dict.fromkeys(queues, 0)
    known = set()
    fetched = []

    def find(url: int) -> None:
        if url not in known:
            known.add(url)
            if url < len(web.links):
                queues[web.sites[url]].append(url)

    for seed in web.seeds:
        find(seed)
    while waiting := [site for site, queue in queues.items() if queue]:
        page = queues[min(waiting, key=lambda site: (-counts[site], site))].popleft()
        fetched.append(page)
        for target in web.links[page]:
            counts[web.sites[target]] += 1
            find(target)
    return fetched

"""A web whose pages link at random, crawled breadth first: how many URLs wait after each fetch."""

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled


def pending_of(pages: int, links: int, seed: int) -> npt.NDArray[np.int64]:
    """URLs that are known and not fetched after 1, 2, ... fetches, until none is left: int64[fetches].

    Each of ``pages`` pages links to ``links`` distinct others; the crawl begins with one page.
    """
    return _crawled(pages, links, seed)


@compiled
def _crawled(pages: int, links: int, seed: int) -> npt.NDArray[np.int64]:
    np.random.seed(seed)
    order = np.zeros(pages, np.int64)
    is_known = np.zeros(pages, np.bool_)
    linked_by = np.full(pages, -1, np.int64)
    pending = np.zeros(pages, np.int64)
    is_known[0] = True
    known, fetched = 1, 0
    while fetched < known:
        page = order[fetched]
        linked_by[page] = page
        drawn = 0
        while drawn < links:
            target = np.random.randint(0, pages)
            if linked_by[target] == page:
                continue
            linked_by[target] = page
            drawn += 1
            if not is_known[target]:
                is_known[target] = True
                order[known] = target
                known += 1
        pending[fetched] = known - fetched - 1
        fetched += 1
    return pending[:fetched]

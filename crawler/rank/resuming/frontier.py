"""URL-seen and the frontier: what was discovered is known, and what was not settled is queued again, in its order.

A URL is settled once it has a page or an outcome.  To find out which are, without a bound on how many there are, some
millions of discovered URLs at a time are compared with all settled ones, of which some are in memory at a time.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from crawler.discovery.own_urls import SETTLED
from crawler.rank.resuming.rows import Rows, column
from crawler.urls.batch import Depths, Flags, Hops, Mask, UrlBatch
from crawler.urls.shortest_ways import shortest_ways
from sessions.hash_arrays import are_among, places
from sessions.url import Hashes

_WAY = ("hash", "depth", "hops")
MOST_AT_ONCE = 1 << 23
"""So many URLs are compared at once with so many others: some 300 MB."""

IsMine = Callable[[int, Hashes, Sequence[str]], Mask]
"""Which URLs in a folder's tables this rank owns now: bool[n], by folder, hash and canonical form."""

AreListed = Callable[[Hashes], Mask]
"""Which URLs are in the worklist that a crawl keeps to: bool[n], by hash."""


class _Standing(NamedTuple):
    """What the tables say of n URLs beside themselves: `SETTLED` or 0 of each, and the shortest way to what is not."""

    flags: Flags
    depths: Depths
    hops: Hops


def discovered(
    rows: Rows, is_mine: IsMine | None = None, most: int = MOST_AT_ONCE, *, are_listed: AreListed | None = None
) -> Iterator[UrlBatch]:
    """The URLs that were discovered, in order, each on its shortest way; those that need no visit are `SETTLED`, at 0.

    ``is_mine`` None takes all of them.  Those that ``are_listed`` are `SETTLED`, too: they are queued in an order of
    their own.
    """
    texts = rows.read_by_folder("urls", ["hash", "url"])
    for group in rows.groups("urls", _WAY, most):
        standing = _standing(rows, group, most)
        if are_listed is not None:
            standing.flags[are_listed(column(group, "hash"))] = SETTLED
        start = 0
        for size in map(len, group):
            folder, batch = next(texts)
            cut = slice(start, start := start + size)
            urls, hashes = batch.column("url").to_pylist(), column([batch], "hash")
            its = UrlBatch(urls, hashes, standing.depths[cut], standing.hops[cut], standing.flags[cut])
            yield its if is_mine is None else its.where(is_mine(folder, hashes, urls))


def _standing(rows: Rows, batches: Sequence[pa.RecordBatch], most: int) -> _Standing:
    hashes, depths, hops = (column(batches, name) for name in _WAY)
    is_settled = are_settled(rows, hashes, most)
    for group in rows.groups("nearer", _WAY, most):
        _draw_nearer(hashes, depths, hops, *(column(group, name) for name in _WAY))
    # No way is short enough to revive what is settled, and no limit so low that it lies beyond.
    depths[is_settled], hops[is_settled] = 0, 0
    return _Standing(is_settled * np.uint8(SETTLED), depths, hops)


def are_settled(rows: Rows, hashes: Hashes, most: int = MOST_AT_ONCE) -> Mask:
    """Which URLs have a page or an outcome in a rank's rows: bool[n]; ``most`` settled ones are compared at once."""
    settled = np.zeros(len(hashes), bool)
    for table in ("pages", "outcomes"):
        for group in rows.groups(table, ["hash"], most):
            settled |= are_among(hashes, np.sort(column(group, "hash")))
    return settled


def _draw_nearer(
    hashes: Hashes, depths: Depths, hops: Hops, near: Hashes, near_depths: Depths, near_hops: Hops
) -> None:
    """Lower the ways of those of the URLs to which shorter ones were found."""
    if not len(near):
        return
    ways = shortest_ways(near, near_depths, near_hops)
    if ways is not None:
        near, near_depths, near_hops = near[ways.firsts], ways.depths, ways.hops
    found = places(hashes, near, np.argsort(near))
    its, found = np.flatnonzero(found >= 0), found[found >= 0]
    depths[its] = np.minimum(depths[its], near_depths[found])
    hops[its] = np.minimum(hops[its], near_hops[found])

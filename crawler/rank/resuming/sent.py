"""What a rank has sent: the targets of links are known to their owners, so they need not be sent again.

Every link of a committed page has been delivered before its epoch closed.  So any rank may take any of them as sent;
what a rank does not read is sent once more and found to be known.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from crawler.discovery.depth_limits import one_step_further
from crawler.rank.resuming.rows import Rows, column
from crawler.urls.batch import Depths, Hops
from sessions.hash_arrays import places
from sessions.schema import REDIRECT
from sessions.session import CommittedTable
from sessions.url import Hashes

_ROWS_PER_BATCH = 1 << 17


class Delivered(NamedTuple):
    """Targets of n links, with the ways on which they were found: uint64[n], uint16[n], uint8[n]."""

    hashes: Hashes
    depths: Depths
    hops: Hops


def delivered(rows: Rows, unfollowed: int) -> Iterator[Delivered]:
    """The targets of all links but those with one of the flags ``unfollowed``."""
    pages = {(file.epoch, file.rank): file for file in rows.files("pages")}
    for file in rows.files("links"):
        its_pages = pages.get((file.epoch, file.rank))
        if its_pages is not None:  # links are recorded with their pages
            yield from _delivered(file, its_pages, unfollowed)


def _delivered(file: CommittedTable, its_pages: CommittedTable, unfollowed: int) -> Iterator[Delivered]:
    with pq.ParquetFile(its_pages.path) as parquet:
        batches = list(parquet.iter_batches(columns=["hash", "depth", "hops"]))
    hashes, depths, hops = (column(batches, name) for name in ("hash", "depth", "hops"))
    order = np.argsort(hashes)
    hashes, depths, hops = hashes[order], depths[order], hops[order]
    with pq.ParquetFile(file.path) as parquet:
        for batch in parquet.iter_batches(_ROWS_PER_BATCH):
            sources, targets, flags = (column([batch], name) for name in ("source", "target", "flags"))
            its = places(sources, hashes)
            is_told = (its >= 0) & ((flags & np.uint8(unfollowed)) == 0)
            its = its[is_told]
            is_redirect = (flags[is_told] & REDIRECT) != 0
            yield Delivered(targets[is_told], *one_step_further(depths[its], hops[its], is_redirect))

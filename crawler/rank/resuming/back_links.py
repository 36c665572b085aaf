"""Back-links: what was counted over all ranks, counted again from the links that were recorded.

Links say of a target no more than its hash, and who counts it follows from its URL.  So counts take two steps: each
link is told to the rank at its target's hash modulo K, which adds up; and whoever owns a URL asks for its count, and
tells it to the rank that counts for the ordering.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crawler.discovery.own_urls import SETTLED
from crawler.frontier.back_link_counts import BackLinkCounts, added_up
from crawler.frontier.back_links import BackLinks
from crawler.frontier.budgets.star import Exchange
from crawler.rank.resuming.rows import Rows, column
from crawler.urls.batch import UrlBatch
from sessions.hash_arrays import grouped
from sessions.url import Hashes

_LINKS_AT_ONCE = 1 << 20
_NONE = np.empty(0, np.uint64)
_HASH, _COUNT = np.dtype("<u8"), np.dtype("<u4")
_GOES_ON = b"\1"
"""Before what a rank has to say: none has anything more once all questions are empty."""


class Recounting(NamedTuple):
    """What it takes: what counts, the ranks' exchange, and about so many bytes of memory, with a folder for more."""

    back_links: BackLinks
    exchange: Exchange
    folder: Path
    memory: int


def recount(rows: Rows, unfollowed: int, recounting: Recounting) -> BackLinkCounts:
    """Count the links of these rows that lead on, with all other ranks, which call it together.

    The counts that come to this rank are those of the targets whose hash modulo K it is.
    """
    exchange = recounting.exchange
    counts = BackLinkCounts(recounting.folder, "recounted", recounting.memory)

    def add(told: Sequence[memoryview]) -> list[bytes]:
        targets = np.concatenate([np.frombuffer(its, _HASH, -1, 1) for its in told if len(its)]).astype(np.uint64)
        counts.add(*added_up(targets, np.ones(len(targets), np.uint32)))
        return [b""] * len(told)

    for targets in _targets(rows, unfollowed):
        exchange.ask(_dealt(targets, exchange.ranks), add)
    while exchange.ask([b""] * exchange.ranks, add) is not None:
        pass
    counts.flush()
    return counts


def counted_before(batches: Iterable[UrlBatch], counts: BackLinkCounts, recounting: Recounting) -> Iterator[UrlBatch]:
    """Yield batches of URLs that this rank owns, once their back-links are counted anew by who counts them.

    All ranks must take theirs to the end: they do it together.
    """
    back_links, exchange = recounting.back_links, recounting.exchange

    def answer(asked: Sequence[memoryview]) -> list[bytes]:
        units = [np.frombuffer(question, _HASH, -1, 1).astype(np.uint64) if question else _NONE for question in asked]
        return [counts.of(its).astype(_COUNT).tobytes() for its in units]

    for batch in batches:
        order, bounds = grouped(batch.hashes % np.uint64(exchange.ranks), exchange.ranks)
        hashes = batch.hashes[order]
        answers = exchange.ask(_questions(hashes, bounds), answer) or []
        of_each = np.empty(len(batch), np.uint32)
        of_each[order] = np.concatenate([np.frombuffer(its, _COUNT) for its in answers])
        is_told = of_each > 0
        if back_links.is_of_urls:
            is_told &= batch.flags != SETTLED  # nobody asks any more how many links lead to those
        back_links.note(batch.where(is_told), of_each[is_told])
        back_links.tell(exchange)
        yield batch
    while exchange.ask([b""] * exchange.ranks, answer) is not None:
        back_links.tell(exchange)
    counts.close()


def _targets(rows: Rows, unfollowed: int) -> Iterator[Hashes]:
    """The targets of links that lead on, once for each link."""
    for group in rows.groups("links", ("target", "flags"), _LINKS_AT_ONCE):
        is_followed = (column(group, "flags") & np.uint8(unfollowed)) == 0
        yield column(group, "target")[is_followed]


def _dealt(targets: Hashes, ranks: int) -> list[bytes]:
    order, bounds = grouped(targets % np.uint64(ranks), ranks)
    return _questions(targets[order], bounds)


def _questions(hashes: Hashes, bounds: Sequence[int]) -> list[bytes]:
    return [_GOES_ON + hashes[start:stop].astype(_HASH).tobytes() for start, stop in pairwise(bounds)]

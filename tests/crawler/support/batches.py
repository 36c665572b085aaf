"""Batches of URLs to test with."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from crawler.urls.batch import UrlBatch, empty_batch, joined
from crawler.urls.outgoing import Outgoing
from sessions.url import url_hashes


def batch_of(
    urls: Sequence[str],
    depths: Sequence[int] | None = None,
    hops: Sequence[int] | None = None,
    flags: Sequence[int] | None = None,
) -> UrlBatch:
    """The URLs as a batch; what is not given is 0."""
    zeros = [0] * len(urls)
    return UrlBatch(
        list(urls),
        url_hashes(urls),
        np.array(depths or zeros, np.uint16),
        np.array(hops or zeros, np.uint8),
        np.array(flags or zeros, np.uint8),
    )


def rows_of(batch: UrlBatch) -> list[tuple[str, int, int, int, int]]:
    """A batch as a list of rows: URL, hash, depth, hops, flags."""
    columns = (batch.hashes, batch.depths, batch.hops, batch.flags)
    return list(zip(batch.urls, *(column.tolist() for column in columns), strict=True))


def bounds_of(batches: Sequence[UrlBatch]) -> list[int]:
    """Where each of the batches begins and ends once they are joined."""
    return [0, *accumulate(map(len, batches))]


def outgoing_of(batches: Sequence[UrlBatch]) -> Outgoing:
    """What goes to each rank, by rank, on its way."""
    receivers = [rank for rank, batch in enumerate(batches) if len(batch)]
    return Outgoing(joined(batches), receivers, bounds_of([batches[rank] for rank in receivers]))


def by_rank(outgoing: Outgoing, ranks: int) -> list[UrlBatch]:
    """What is on its way to each rank."""
    batches = [empty_batch()] * ranks
    for rank, (start, stop) in zip(outgoing.receivers, pairwise(outgoing.bounds), strict=True):
        batches[rank] = outgoing.batch.between(start, stop)
    return batches

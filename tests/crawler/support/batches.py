"""Batches of URLs to test with."""

from collections.abc import Sequence

import numpy as np

from crawler.urls.batch import UrlBatch
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

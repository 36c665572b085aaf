"""What waits for a visit to its site: URLs, and robots.txt files to be fetched."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crawler.urls.batch import Depths, Hops
from sessions.url import Hashes


class Entry(NamedTuple):
    """A URL that waits to be fetched, queued with ``depth`` and redirect ``hops``.

    ``tries`` is the number of requests that brought no response, to the HEAD or, once it ``is_verified``, to the GET.
    ``kind`` is a number of `crawler.urls.kinds`.
    """

    url: str
    hash: int
    depth: int = 0
    hops: int = 0
    tries: int = 0
    is_verified: bool = False
    kind: int = 0


def entry_columns(entries: Sequence[Entry]) -> tuple[Hashes, Depths, Hops]:
    """Hashes, depths and hops of entries: uint64[n], uint16[n], uint8[n]."""
    return (
        np.array([entry.hash for entry in entries], np.uint64),
        np.array([entry.depth for entry in entries], np.uint16),
        np.array([entry.hops for entry in entries], np.uint8),
    )


class Errand(NamedTuple):
    """A robots.txt to be fetched: that of ``origin``, which after so many ``redirects`` lies at ``url``.

    ``crawl_delay`` is what another site, on which it lies, asks for, in seconds, as far as that is known.
    """

    origin: str
    url: str
    redirects: int = 0
    crawl_delay: float = 0.0

"""A batch of URLs as it moves through a rank: found, handed over, queued."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress

import numpy as np
import numpy.typing as npt

from sessions.url import Hashes

Depths = npt.NDArray[np.uint16]
Hops = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class UrlBatch:
    """n URLs with what travels beside each: hash, depth, redirect hops so far, flags of the link that found it.

    ``urls`` are canonical; ``hashes`` uint64[n], ``depths`` uint16[n], ``hops`` and ``flags`` uint8[n].
    """

    urls: list[str]
    hashes: Hashes
    depths: Depths
    hops: Hops
    flags: Flags

    def __len__(self) -> int:
        return len(self.urls)

    def where(self, mask: Mask) -> "UrlBatch":
        """The URLs for which ``mask`` holds, in order."""
        if np.count_nonzero(mask) == len(mask):
            return self
        return UrlBatch(
            list(compress(self.urls, mask.tolist())),
            self.hashes[mask],
            self.depths[mask],
            self.hops[mask],
            self.flags[mask],
        )

    def take(self, order: npt.NDArray[np.intp]) -> "UrlBatch":
        """The URLs at the positions ``order``, in that order."""
        urls = self.urls
        return UrlBatch(
            [urls[position] for position in order.tolist()],
            self.hashes[order],
            self.depths[order],
            self.hops[order],
            self.flags[order],
        )

    def between(self, start: int, stop: int) -> "UrlBatch":
        """The URLs from position ``start`` up to ``stop``, that one not included."""
        cut = slice(start, stop)
        return UrlBatch(self.urls[cut], self.hashes[cut], self.depths[cut], self.hops[cut], self.flags[cut])


_EMPTY = UrlBatch([], np.empty(0, np.uint64), np.empty(0, np.uint16), np.empty(0, np.uint8), np.empty(0, np.uint8))


def empty_batch() -> UrlBatch:
    """A batch of no URLs; since nobody changes a batch, the same one each time."""
    return _EMPTY


def joined(batches: Sequence[UrlBatch]) -> UrlBatch:
    """Several batches as one, in order."""
    batches = [batch for batch in batches if batch.urls]
    if not batches:
        return empty_batch()
    if len(batches) == 1:
        return batches[0]
    return UrlBatch(
        list(chain.from_iterable(batch.urls for batch in batches)),
        np.concatenate([batch.hashes for batch in batches]),
        np.concatenate([batch.depths for batch in batches]),
        np.concatenate([batch.hops for batch in batches]),
        np.concatenate([batch.flags for batch in batches]),
    )

"""Many batches of URLs as columns, to be encoded at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Depths, Flags, Hops, Mask, UrlBatch

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BatchColumns:
    """m batches of URLs one after the other, n URLs in all.

    Batch j is ``bounds[j]`` to ``bounds[j + 1]``, int64[m + 1].  The UTF-8 of URL i stands in ``text``, uint8, from
    ``starts[i]``, ``lengths[i]`` bytes long, int64[n] both; texts may stand there in any order.  ``depths`` uint16[n],
    ``hops`` and ``flags`` uint8[n] are those of `crawler.urls.batch.UrlBatch`.
    """

    text: npt.NDArray[np.uint8]
    starts: Places
    lengths: Places
    depths: Depths
    hops: Hops
    flags: Flags
    bounds: Places

    @classmethod
    def of(cls, batch: UrlBatch, bounds: Sequence[int] | Places | None = None) -> "BatchColumns":
        """The columns of a batch that is cut at these ``bounds``, or of the one batch that it is."""
        texts = [url.encode() for url in batch.urls]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        return cls(
            np.frombuffer(b"".join(texts), np.uint8),
            np.cumsum(lengths) - lengths,
            lengths,
            batch.depths,
            batch.hops,
            batch.flags,
            np.array((0, len(batch)) if bounds is None else bounds, np.int64),
        )

    def __len__(self) -> int:
        """m, the number of batches."""
        return len(self.bounds) - 1

    @property
    def batch_of_each(self) -> Places:
        """The batch that each URL is in: int64[n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def where(self, mask: Mask) -> "BatchColumns":
        """As many batches, of the URLs for which ``mask`` holds, in order."""
        return BatchColumns(
            self.text,
            self.starts[mask],
            self.lengths[mask],
            self.depths[mask],
            self.hops[mask],
            self.flags[mask],
            kept_bounds(self.bounds, mask),
        )


def kept_bounds(bounds: Places, mask: Mask) -> Places:
    """Where batches begin and end of which only the rows under ``mask`` are left."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(mask, dtype=np.int64)])[bounds]

"""How many URLs of each domain wait on this rank, in a fixed amount of memory.

The domains share cells by their hashes: what is added and removed cancels out exactly, and two domains that meet in a
cell have what both have.  A rank divides nothing by these counts that lies on it alone
(`crawler.frontier.budgets.star`), so that a meeting moves a little of a domain's budget from one rank to another, and
no more.
"""

import numpy as np
import numpy.typing as npt

from sessions.url import Hashes

CELLS = 1 << 18
"""1 MiB of 4 bytes each; a power of two."""
_UNUSED_BITS = 16
"""The last 16 bits of a domain's hash say who counts it, and are no help in telling domains apart."""


class WaitingUrls:
    """Counts by domain."""

    def __init__(self, cells: int = CELLS) -> None:
        self._counts = np.zeros(cells, np.int32)
        self._last = np.uint64(cells - 1)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return self._counts.nbytes

    def add(self, domains: Hashes) -> None:
        """A URL of each of these domains has come: uint64[n], a domain once for each URL."""
        np.add.at(self._counts, self._cells(domains), 1)

    def remove(self, domains: Hashes) -> None:
        """A URL of each of these domains has left."""
        np.subtract.at(self._counts, self._cells(domains), 1)

    def of(self, domains: Hashes) -> npt.NDArray[np.int64]:
        """How many wait of each domain: int64[n] for uint64[n]."""
        return self._counts[self._cells(domains)].astype(np.int64)

    def _cells(self, domains: Hashes) -> npt.NDArray[np.int64]:
        return ((domains >> np.uint64(_UNUSED_BITS)) & self._last).astype(np.int64)

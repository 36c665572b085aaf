"""Who changes owners from one partition to the next: what is fetched again or carried between ranks."""

from dataclasses import dataclass

import numpy as np

from partition.assignment.assignment import Owners
from partition.graphs.link_graph import Numbers


@dataclass(frozen=True)
class Moves:
    """Pages that had an owner before, their bytes, and those of them that have another one now.

    Pages that had none, since the earlier partition did not hold them, do not move.
    """

    pages: int
    bytes: int
    moved_pages: int
    moved_bytes: int

    @property
    def share_of_pages(self) -> float:
        """Moved pages of all that had an owner, in [0, 1]; 0 if none had."""
        return self.moved_pages / max(1, self.pages)

    @property
    def share_of_bytes(self) -> float:
        """Moved bytes of all that had an owner, in [0, 1]; 0 if there are none."""
        return self.moved_bytes / max(1, self.bytes)


def moves(old: Owners, new: Owners, sizes: Numbers) -> Moves:
    """The moves of n pages from the parts ``old``, int32[n], -1 where there was none, to ``new``, int32[n].

    ``sizes``, int64[n], are their bytes.  Parts are told by number: the same number is the same rank.
    """
    has_old = old >= 0
    has_moved = has_old & (old != new)
    return Moves(
        int(np.count_nonzero(has_old)),
        int(sizes[has_old].sum()),
        int(np.count_nonzero(has_moved)),
        int(sizes[has_moved].sum()),
    )

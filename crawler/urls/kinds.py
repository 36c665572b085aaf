"""What kind of row of a worklist a URL is: new, never fetched; old, fetched before; or none, for it is not listed.

The kind travels among the flags of a batch, and in a number of its own where a URL waits for its visit.
"""

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Flags, Mask
from crawler.worklist.rows import NEW, OLD

KINDS = ("", NEW, OLD)
"""The kinds by number."""

_SHIFT = 4
_BITS = 0b11 << _SHIFT


def flag_of(kind: str) -> int:
    """The flag that the URLs of a kind bear."""
    return KINDS.index(kind) << _SHIFT


def kind_numbers(flags: Flags) -> npt.NDArray[np.uint8]:
    """The number of each URL's kind: uint8[n]."""
    numbers: npt.NDArray[np.uint8] = (flags & np.uint8(_BITS)) >> np.uint8(_SHIFT)
    return numbers


def are_of_kind(flags: Flags, kind: str) -> Mask:
    """Which URLs are of a kind: bool[n]."""
    are: Mask = kind_numbers(flags) == KINDS.index(kind)
    return are

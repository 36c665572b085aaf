"""How far from the seeds a URL lies, and may lie."""

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Depths, Hops, Mask

DEEPEST = 0xFFFF
MOST_HOPS = 0xFF


class Limits:
    """How far from the seeds a URL may lie: link ``depth`` (None for no limit) and redirect ``hops``."""

    def __init__(self, depth: int | None, hops: int) -> None:
        self.depth = DEEPEST if depth is None else min(depth, DEEPEST)
        self.hops = min(hops, MOST_HOPS - 1)

    def allow(self, depths: npt.NDArray[np.uint16], hops: npt.NDArray[np.uint8]) -> Mask:
        """Which of these are near enough: bool[n]."""
        return (depths <= self.depth) & (hops <= self.hops)


def one_step_further(depths: Depths, hops: Hops, is_redirect: Mask) -> tuple[Depths, Hops]:
    """Return how far lies what n pages lead to: a link deeper, or as deep and a hop further where a page redirects.

    What lies as far as can be told leads no further.
    """
    deeper = np.minimum(depths, DEEPEST - 1) + np.uint16(1)
    further = np.minimum(hops, MOST_HOPS - 1) + np.uint8(1)
    return np.where(is_redirect, depths, deeper), np.where(is_redirect, further, np.uint8(0))

"""How far from the seeds a URL may lie."""

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Mask

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

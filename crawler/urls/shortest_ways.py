"""URLs that were found on several ways: each once, on its shortest."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Depths, Hops
from sessions.hash_arrays import are_first


class ShortestWays(NamedTuple):
    """The places at which distinct URLs stand first, ascending, with the least depths and hops: intp, uint16, uint8."""

    firsts: npt.NDArray[np.intp]
    depths: Depths
    hops: Hops


def shortest_ways(keys: npt.NDArray[Any], depths: Depths, hops: Hops) -> ShortestWays | None:
    """Return each URL's first place, with the least depth and hops it stands with anywhere; None if all are distinct.

    ``keys`` are whole numbers that tell the URLs apart.
    """
    if len(keys) < 2:
        return None
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    is_first = are_first(in_order)
    if np.count_nonzero(is_first) == len(is_first):
        return None
    starts = np.flatnonzero(is_first)
    firsts = order[starts]
    in_place = np.argsort(firsts)
    return ShortestWays(
        firsts[in_place],
        np.minimum.reduceat(depths[order], starts)[in_place],
        np.minimum.reduceat(hops[order], starts)[in_place],
    )

"""The order of pairs of hashes, of which there are two sorts' worth for each link."""

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled
from sessions.url import Hashes

_PAIRS_PER_BUCKET = 8
_FEW = 64


def pair_order(first: Hashes, second: Hashes) -> npt.NDArray[np.int64]:
    """Return what puts n pairs into ascending order, by their first hash and then by their second: int64[n].

    Hashes are spread evenly over any interval of them, so one pass puts each pair into a bucket of a few neighbours
    (Knuth, "The Art of Computer Programming", volume 3, section 5.2.5, "distribution sorting"), which are then sorted
    by insertion.  Only a page with very many links makes a large bucket, and that is sorted by merging.
    """
    order = np.empty(len(first), np.int64)
    if len(first):
        _order_pairs(np.ascontiguousarray(first), np.ascontiguousarray(second), order)
    return order


@compiled
def _order_pairs(first: Hashes, second: Hashes, order: npt.NDArray[np.int64]) -> None:
    least, span = first.min(), first.max() - first.min()
    shift = np.uint64(0)
    most = np.uint64(max(1, len(first) // _PAIRS_PER_BUCKET))
    while (span >> shift) > most:
        shift += np.uint64(1)
    ends = np.zeros(np.int64(span >> shift) + 2, np.int64)
    for place in range(len(first)):
        ends[np.int64((first[place] - least) >> shift) + 1] += 1
    for bucket in range(1, len(ends)):
        ends[bucket] += ends[bucket - 1]
    for place in range(len(first)):
        at = np.int64((first[place] - least) >> shift)
        order[ends[at]] = place
        ends[at] += 1
    begin = 0
    for bucket in range(len(ends) - 1):
        _sort_bucket(first, second, order[begin : ends[bucket]])
        begin = ends[bucket]


@compiled
def _sort_bucket(first: Hashes, second: Hashes, order: npt.NDArray[np.int64]) -> None:
    if len(order) > _FEW:
        order[:] = order[np.argsort(second[order], kind="mergesort")]
        order[:] = order[np.argsort(first[order], kind="mergesort")]
        return
    for end in range(1, len(order)):
        place = order[end]
        at = end
        while at > 0 and (
            first[order[at - 1]] > first[place]
            or (first[order[at - 1]] == first[place] and second[order[at - 1]] > second[place])
        ):
            order[at] = order[at - 1]
            at -= 1
        order[at] = place

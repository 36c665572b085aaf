"""A tour through parts on which neighbours exchange much: rows and columns of a matrix are best read in its order."""

import numpy as np

from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled


def tour(weights: Numbers) -> Numbers:
    """Return an order of k things, int64[k], in which those that stand side by side have much weight between them.

    ``weights``, int64[k, k], are what lies between two, in either direction.  The tour is open: its ends are no
    neighbours.  It starts with the heaviest pair and grows at either end by whatever weighs most there (nearest
    neighbour), and is then mended by 2-opt (Croes, "A Method for Solving Traveling-Salesman Problems", Operations
    Research 6, 1958): the best reversal of a stretch is made until none gains, or k have been made.  Takes O(k^3) time.
    """
    both = weights + weights.T
    np.fill_diagonal(both, 0)
    order = np.arange(len(both))
    return _mended(both, _grown(both)) if len(both) > 2 else order


@compiled
def _grown(weights: Numbers) -> Numbers:
    """The tour of the nearest neighbours, from both ends of the heaviest pair."""
    k = len(weights)
    heaviest = np.argmax(weights)
    places = np.empty(2 * k, np.int64)
    left, right = k - 1, k
    places[left], places[right] = heaviest // k, heaviest % k
    if places[left] == places[right]:  # nothing lies between any two
        return np.arange(k)
    is_free = np.ones(k, np.bool_)
    is_free[places[left]] = is_free[places[right]] = False
    for _ in range(k - 2):
        nearest, weight, at_right = -1, -1, True
        for thing in range(k):
            if not is_free[thing]:
                continue
            if weights[places[right], thing] > weight:
                nearest, weight, at_right = thing, weights[places[right], thing], True
            if weights[places[left], thing] > weight:
                nearest, weight, at_right = thing, weights[places[left], thing], False
        is_free[nearest] = False
        if at_right:
            right += 1
            places[right] = nearest
        else:
            left -= 1
            places[left] = nearest
    return places[left : right + 1].copy()


@compiled
def _mended(weights: Numbers, order: Numbers) -> Numbers:
    """The tour after the best reversals, k at most."""
    k = len(order)
    for _ in range(k):
        most, first, last = 0, 0, 0
        for start in range(k):
            for end in range(start + 1, k):
                gain = 0
                if start > 0:
                    before = order[start - 1]
                    gain += weights[before, order[end]] - weights[before, order[start]]
                if end < k - 1:
                    after = order[end + 1]
                    gain += weights[order[start], after] - weights[order[end], after]
                if gain > most:
                    most, first, last = gain, start, end
        if most == 0:
            break
        order[first : last + 1] = order[first : last + 1][::-1].copy()
    return order

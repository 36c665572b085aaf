"""Questions to large arrays of hashes: what stands in them twice, what is missing.

The usual answer is "nothing", so that is what is quick: values are sorted (numpy sorts 64-bit integers fast, but not
their positions), and positions are looked up only when there is something to tell.
"""

import numpy as np
import numpy.typing as npt

from sessions.hash_arrays import SPREADING, are_among
from sessions.url import Hashes

RowNumbers = npt.NDArray[np.intp]

_NONE: RowNumbers = np.empty(0, dtype=np.intp)


def repeated(values: Hashes) -> RowNumbers:
    """The rows whose value stands in an earlier row already, ascending."""
    ordered = np.sort(values)
    if not (ordered[1:] == ordered[:-1]).any():
        return _NONE
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    return np.sort(order[1:][ordered[1:] == ordered[:-1]])


def repeated_pairs(first: Hashes, second: Hashes) -> RowNumbers:
    """The rows whose pair of values stands in an earlier row already, ascending."""
    # a pair's key is the same wherever it stands; different pairs with one key are told apart afterwards
    keys = first * SPREADING + second
    ordered = np.sort(keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return _NONE
    rows = np.flatnonzero(np.isin(keys, twice))
    order = rows[np.lexsort((rows, second[rows], first[rows]))]
    same = (first[order][1:] == first[order][:-1]) & (second[order][1:] == second[order][:-1])
    return np.sort(order[1:][same])


def absent(values: Hashes, known: Hashes) -> RowNumbers:
    """The rows whose value is not in ``known``, which is sorted; ascending."""
    ordered = np.sort(values)
    # sorted needles walk through ``known`` once, so this is far from a random search each
    if are_among(ordered, known).all():
        return _NONE
    return np.flatnonzero(~are_among(values, known))


def present(values: Hashes, known: Hashes) -> RowNumbers:
    """The rows whose value is in ``known``, which is sorted; ascending."""
    return np.flatnonzero(are_among(values, known))


def where(mask: npt.NDArray[np.bool_]) -> list[int]:
    """The rows at which a mask is true, ascending."""
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows

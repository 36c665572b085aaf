"""Hashes and their places in arrays: some bytes for each, where Python's set takes a hundred."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.url import Hashes

Number = TypeVar("Number", bound=np.number[Any])
SPREADING = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 divided by the golden ratio: multiplied by it, neighbours are far apart in the leading bits.

Knuth, "The Art of Computer Programming", volume 3, section 6.4."""


def hashes_of(table: pa.Table | pa.RecordBatch, column: str) -> Hashes:
    """A table's column of hashes, uint64[n].  Raises ValueError if one is missing."""
    if table[column].null_count:
        raise ValueError(f"rows without {column}")
    hashes: Hashes = table[column].to_numpy()
    return hashes


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The values, numbers in any order, ascending and each once.

    (np.unique puts whole numbers into a hash table, which takes several times as long.)
    """
    ascending = np.sort(values)
    return ascending[are_first(ascending)]


def are_first(ordered: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where another value stands than just before: bool[n]; of what is sorted, the first of each value."""
    mask = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=mask[1:])
    return mask


def are_last(ordered: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where another value stands than just behind: bool[n]; of what is sorted, the last of each value."""
    mask = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=mask[:-1])
    return mask


def places(
    wanted: npt.NDArray[Number], values: npt.NDArray[Number], order: npt.NDArray[np.integer[Any]] | None = None
) -> npt.NDArray[np.int64]:
    """Return where each wanted number stands among the values, int64[len(wanted)], or -1 where it does not.

    ``order`` is what puts the values into ascending order, int64[len(values)]; None if they are.  Of a value that
    stands there several times the place that is first in that order counts.
    """
    if not len(values):
        return np.full(len(wanted), -1, np.int64)
    nearest = np.minimum(np.searchsorted(values, wanted, sorter=order), len(values) - 1)
    found = nearest if order is None else order[nearest]
    return np.where(values[found] == wanted, found, -1).astype(np.int64, copy=False)


def are_among(wanted: npt.NDArray[Number], ascending: npt.NDArray[Number]) -> npt.NDArray[np.bool_]:
    """Return which of the wanted numbers stand in the ascending array: bool[len(wanted)]."""
    if not len(ascending):
        return np.zeros(len(wanted), np.bool_)
    nearest = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    found: npt.NDArray[np.bool_] = ascending[nearest] == wanted
    return found


def place_of(wanted: int, ascending: Hashes) -> int | None:
    """Return the first place of one hash in the ascending array, None if it is not there."""
    place = int(np.searchsorted(ascending, np.uint64(wanted)))
    return place if place < len(ascending) and int(ascending[place]) == wanted else None


def firsts(values: npt.NDArray[Number]) -> npt.NDArray[np.int64]:
    """Positions at which a value stands for the first time, ascending."""
    _, first = np.unique(values, return_index=True)
    return np.sort(first).astype(np.int64, copy=False)


def concatenated_ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the places in n spans of an array, span by span: int64[sum of lengths]."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)


def grouped(numbers: npt.NDArray[np.integer[Any]], count: int) -> tuple[npt.NDArray[np.intp], list[int]]:
    """Return the order that brings equal numbers together, and where each of 0 to ``count`` - 1 begins in it.

    Equal ones stay in order.  The last of the ``count`` + 1 beginnings is the end.
    """
    order = np.argsort(numbers, kind="stable")
    return order, np.searchsorted(numbers[order], np.arange(count + 1)).tolist()

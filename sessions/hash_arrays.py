"""Hashes and their places in arrays: some bytes for each, where Python's set takes a hundred."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.url import Hashes

Number = TypeVar("Number", bound=np.number[Any])


def hashes_of(table: pa.Table, column: str) -> Hashes:
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
    is_first = np.ones(len(ascending), bool)
    is_first[1:] = ascending[1:] != ascending[:-1]
    return ascending[is_first]


def places(wanted: Hashes, hashes: Hashes, by_hash: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
    """Where each wanted hash stands among these, which are distinct: int64[len(wanted)], or -1.

    ``by_hash`` is what puts them into ascending order, int64[len(hashes)]; None if they are.
    """
    if not len(hashes):
        return np.full(len(wanted), -1, np.int64)
    nearest = np.minimum(np.searchsorted(hashes, wanted, sorter=by_hash), len(hashes) - 1)
    found = nearest if by_hash is None else by_hash[nearest]
    return np.where(hashes[found] == wanted, found, -1).astype(np.int64, copy=False)


def firsts(values: npt.NDArray[Number]) -> npt.NDArray[np.int64]:
    """Positions at which a value stands for the first time, ascending."""
    _, first = np.unique(values, return_index=True)
    return np.sort(first).astype(np.int64, copy=False)


def concatenated_ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the places in n spans of an array, span by span: int64[sum of lengths]."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)

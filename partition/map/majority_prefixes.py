"""The parts of places: a site or directory belongs to the part that holds most of its pages."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import directories_of_key, shared_prefixes
from partition.map.url_texts import Bounds, Bytes, text_and_bounds
from sessions.compiled import compiled

Keys: TypeAlias = "Sequence[str] | pa.Array"
"""n keys (`partition.assignment.url_prefixes`), in any order: strings, or large_string[n]."""

_LAST = chr(0x10FFFF)  # after every character that a URL may have
_SLASH, _MARK = ord("/"), ord("?")
_NOTHING_SETTLED: Mapping[str, int] = {}


def majority_prefixes(
    keys: Keys,
    parts: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    settled: Mapping[str, int] = _NOTHING_SETTLED,
) -> tuple[list[str], Owners]:
    """A table of prefixes that says of most keys, and of unknown ones near them, where they belong.

    For each directory that a key lies in (it ends with a slash of the path, or with the question mark) there is the
    part that holds most of the weight under it, the lowest of several; a directory is in the table only where its
    part is not that of the directory around it.  Each site is in the table.

    ``parts`` is int[n], ``weights`` a number >= 0 for each key (1 if not given); of some directories it is ``settled``
    what their part is. Returns the prefixes, distinct and sorted by depth, then by text, and their parts, int32[m].
    """
    nested = _Directories(keys, parts, weights, settled)
    above = np.full(len(keys), -1, np.int64)
    prefixes: list[str] = []
    kept_parts = [np.empty(0, np.int64)]
    for depth in range(nested.depth):
        members, groups, own = nested.at(depth)
        firsts = members[np.flatnonzero(np.diff(groups, prepend=-1))]
        differs = own != above[firsts]
        prefixes += [nested.prefix(first, depth) for first in firsts[differs].tolist()]
        kept_parts.append(own[differs])
        above[members] = own[groups]
    return prefixes, np.concatenate(kept_parts).astype(np.int32)


def majority_sites(
    keys: Keys,
    parts: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    settled: Mapping[str, int] = _NOTHING_SETTLED,
) -> dict[str, int]:
    """The part that holds most of each site, the lowest of several; arguments as above."""
    if not len(keys):
        return {}
    nested = _Directories(keys, parts, weights, settled)
    members, groups, own = nested.at(0)
    firsts = members[np.flatnonzero(np.diff(groups, prepend=-1))]
    return {nested.prefix(first, 0)[:-1]: part for first, part in zip(firsts.tolist(), own.tolist(), strict=True)}


def majority(
    groups: npt.NDArray[np.int64], parts: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """The part with most weight in each group, the lowest of several: int64[m] for groups numbered 0 to m - 1.

    ``groups``, ``parts`` and ``weights`` have one entry per page; no group is empty.
    """
    if not len(groups):
        return np.empty(0, np.int64)
    most = int(parts.max()) + 1
    pairs = groups * most + parts
    order = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    totals = np.add.reduceat(weights[order], starts)
    pairs = pairs[order[starts]]
    best_first = np.lexsort((pairs, -totals, pairs // most))
    pairs = pairs[best_first]
    winners: npt.NDArray[np.int64] = pairs[np.diff(pairs // most, prepend=-1) > 0] % most
    return winners


class _Directories:
    """The directories of keys, from outside to inside: at each depth, runs of sorted keys that lie in one of them.

    Since the keys are sorted, a directory's keys are neighbours; it begins where a key does not share its prefix with
    the key before.
    """

    def __init__(
        self, keys: Keys, parts: npt.ArrayLike, weights: npt.ArrayLike | None, settled: Mapping[str, int]
    ) -> None:
        texts = keys if isinstance(keys, pa.Array) else pa.array(keys, pa.large_string())
        order = pc.sort_indices(texts)
        places = order.to_numpy()
        self._parts = np.asarray(parts, np.int64)[places]
        self._weights = np.ones(len(texts)) if weights is None else np.asarray(weights, np.float64)[places]
        self._text, self._bounds = text_and_bounds(texts.take(order))
        self._shared = shared_prefixes(self._text, self._bounds[:-1], np.diff(self._bounds))
        self._first_end, self._ends = _directory_ends(self._text, self._bounds)
        self._depths = np.diff(self._first_end)
        self.depth = int(self._depths.max(initial=0))
        self._members = np.arange(len(texts))
        self._settled = [
            (bisect_left(range(len(texts)), prefix, key=self._key), len(directories_of_key(prefix)) - 1, part)
            for prefix, part in settled.items()
        ]

    def at(self, depth: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The keys in directories of this depth, the number of each one's directory, and each directory's part.

        To be asked from 0 up.
        """
        self._members = self._members[self._depths[self._members] > depth]
        ends = self._ends[self._first_end[self._members] + depth]
        # If the key before is not so deep it is no neighbour here, but then it does not share the prefix either.
        begins = self._shared[self._members] < ends
        begins[:1] = True
        groups = np.cumsum(begins) - 1
        own = majority(groups, self._parts[self._members], self._weights[self._members])
        for key, its_depth, part in self._settled:
            if its_depth == depth:
                own[groups[np.searchsorted(self._members, key)]] = part
        return self._members, groups, own

    def prefix(self, key: int, depth: int) -> str:
        """A key's directory of this depth."""
        begin, end = int(self._bounds[key]), int(self._ends[self._first_end[key] + depth])
        return bytes(self._text[begin : begin + end]).decode()

    def _key(self, number: int) -> str:
        return bytes(self._text[self._bounds[number] : self._bounds[number + 1]]).decode()


@compiled
def _directory_ends(text: Bytes, bounds: Bounds) -> tuple[Bounds, Bounds]:
    """The lengths of the prefixes of each key that are directories, ascending, and where in them each key's begin."""
    count = len(bounds) - 1
    firsts = np.zeros(count + 1, np.int64)
    for key in range(count):
        found = 0
        for place in range(bounds[key], bounds[key + 1]):
            is_mark = text[place] == _MARK
            found += is_mark or text[place] == _SLASH
            if is_mark:
                break
        firsts[key + 1] = firsts[key] + found
    ends = np.empty(firsts[count], np.int64)
    for key in range(count):
        place, number = bounds[key], firsts[key]
        while number < firsts[key + 1]:
            if text[place] == _SLASH or text[place] == _MARK:
                ends[number] = place + 1 - bounds[key]
                number += 1
            place += 1
    return firsts, ends


def majority_beneath(keys: Sequence[str], parts: Owners, prefixes: Sequence[str]) -> Owners:
    """The part of most keys that begin with each prefix, the lowest of several: int32[m]; each begins one at least.

    ``keys`` are the n pages' keys (`partition.assignment.url_prefixes`), ``parts`` int32[n] theirs.
    """
    order = sorted(range(len(keys)), key=keys.__getitem__)
    in_order, parts_in_order = [keys[page] for page in order], parts[order]
    found = np.empty(len(prefixes), np.int32)
    for number, prefix in enumerate(prefixes):
        begin = bisect_left(in_order, prefix)
        end = bisect_left(in_order, prefix + _LAST, begin)
        found[number] = np.bincount(parts_in_order[begin:end]).argmax()
    return found

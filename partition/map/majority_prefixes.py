"""The parts of places: a site or directory belongs to the part that holds most of its pages."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import shared_prefixes, site_of_key

_LAST = chr(0x10FFFF)  # after every character that a URL may have


def majority_prefixes(
    keys: Sequence[str], parts: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> tuple[list[str], Owners]:
    """A table of prefixes that says of most keys, and of unknown ones near them, where they belong.

    For each directory that a key lies in (it ends with a slash of the path, or with the question mark) there is the
    part that holds most of the weight under it, the lowest of several; a directory is in the table only where its
    part is not that of the directory around it.  Each site is in the table.

    ``keys`` are n keys (`partition.assignment.url_prefixes`), ``parts`` int[n], ``weights`` a number >= 0 for each (1
    if not given). Returns the prefixes, distinct and sorted by depth, then by text, and their parts, int32[m].
    """
    order = sorted(range(len(keys)), key=keys.__getitem__)
    texts = [keys[position].encode() for position in order]
    in_order = np.asarray(parts, np.int64)[order]
    weighed = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)[order]
    nested = _Directories(texts)
    above = np.full(len(keys), -1, np.int64)
    prefixes: list[bytes] = []
    kept_parts = [np.empty(0, np.int64)]
    for depth in range(nested.depth):
        members, groups = nested.at(depth)
        firsts = members[np.flatnonzero(np.diff(groups, prepend=-1))]
        own = majority(groups, in_order[members], weighed[members])
        differs = own != above[firsts]
        prefixes += [texts[first][: nested.length(first, depth)] for first in firsts[differs].tolist()]
        kept_parts.append(own[differs])
        above[members] = own[groups]
    return [prefix.decode() for prefix in prefixes], np.concatenate(kept_parts).astype(np.int32)


def majority_sites(keys: Sequence[str], parts: npt.ArrayLike) -> dict[str, int]:
    """The part that holds most pages of each site, the lowest of several; ``keys`` and ``parts`` int[n] as above."""
    numbers: dict[str, int] = {}
    groups = np.fromiter((numbers.setdefault(site_of_key(key), len(numbers)) for key in keys), np.int64, len(keys))
    own = majority(groups, np.asarray(parts, np.int64), np.ones(len(keys)))
    return dict(zip(numbers, own.tolist(), strict=True))


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
    """The directories of sorted keys, from outside to inside: at each depth, runs of keys that lie in one of them.

    Since the keys are sorted, a directory's keys are neighbours; it begins where a key does not share its prefix with
    the key before.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        starts = np.cumsum(lengths) - lengths
        buffer = np.frombuffer(b"".join(texts), np.uint8)
        ends = [_directory_lengths(text) for text in texts]
        self._depths = np.fromiter(map(len, ends), np.int64, len(texts))
        self._first_end = np.cumsum(self._depths) - self._depths
        self._ends = np.fromiter(chain.from_iterable(ends), np.int64, int(self._depths.sum()))
        self._shared = shared_prefixes(buffer, starts, lengths)
        self.depth = int(self._depths.max(initial=0))
        self._members = np.arange(len(texts))

    def at(self, depth: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The keys in directories of this depth, and the number of each one's directory.  To be asked from 0 up."""
        self._members = self._members[self._depths[self._members] > depth]
        ends = self._ends[self._first_end[self._members] + depth]
        # If the key before is not so deep it is no neighbour here, but then it does not share the prefix either.
        begins = self._shared[self._members] < ends
        begins[:1] = True
        return self._members, np.cumsum(begins) - 1

    def length(self, key: int, depth: int) -> int:
        """The length in bytes of the prefix that a key's directory of this depth is."""
        return int(self._ends[self._first_end[key] + depth])


def _directory_lengths(text: bytes) -> list[int]:
    """The lengths of the prefixes of a key that are directories, ascending."""
    path, mark, _ = text.partition(b"?")
    ends = []
    end = path.find(b"/")
    while end >= 0:
        ends.append(end + 1)
        end = path.find(b"/", end + 1)
    if mark:
        ends.append(len(path) + 1)
    return ends


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

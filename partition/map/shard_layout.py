"""Where in shards.bin everything stands: shard after shard, and in each the same sections, each at a multiple of 8.

What a rank looks up by hash it looks up in place, in all shards at once: a binary search among the shard's groups, and
one among the hashes of the group.  A group is a site, or a directory where a large site has pages of several parts; a
shard has its groups in the order of the parts that hold most of them.  So a rank that asks for the URLs of its own part
touches little other memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from partition.map.key_ranges import Groups
from partition.map.manifest import ShardEntry, parts_dtype
from partition.map.packed_integers import width_for
from sessions.compiled import compiled
from sessions.url import Hashes

Places = npt.NDArray[np.int64]

ALIGNMENT = 8
_GROUP_BYTES, _HASH_BYTES = 4, 8


@dataclass(frozen=True)
class ShardLayout:
    """Where the sections of a shard begin, as bytes of the file, and where the shard ends.

    Attributes:
        urls, prefixes, sites: tries.
        groups: uint32[g] ascending (`partition.map.key_ranges`).
        begins, ends: uint32[g], where the URLs of each of these groups begin and end.
        hashes: uint64[n], ascending in each group.
        numbers: the number of each URL in its trie, in ``number_width`` bytes each.
        parts, prefix_parts, site_parts: the part of each URL, prefix and site.
    """

    urls: int
    groups: int
    begins: int
    ends: int
    hashes: int
    numbers: int
    parts: int
    prefixes: int
    prefix_parts: int
    sites: int
    site_parts: int
    end: int
    number_width: int

    @classmethod
    def of(cls, entry: ShardEntry, k: int, begin: int = 0) -> "ShardLayout":
        """The layout of a shard of a map of ``k`` parts whose bytes begin at ``begin``."""
        width, part = width_for(max(0, entry.urls - 1)), parts_dtype(k).itemsize
        urls, prefixes, sites = entry.tries
        sizes = (
            urls,
            entry.groups * _GROUP_BYTES,
            entry.groups * _GROUP_BYTES,
            entry.groups * _GROUP_BYTES,
            entry.urls * _HASH_BYTES,
            entry.urls * width,
            entry.urls * part,
            prefixes,
            entry.prefixes * part,
            sites,
            entry.sites * part,
        )
        begins = [begin]
        for size in sizes:
            begins.append(begins[-1] + padded(size))
        return cls(*(*begins, width))


def padded(size: int) -> int:
    """A number of bytes, up to the next multiple of `ALIGNMENT`."""
    return -(-size // ALIGNMENT) * ALIGNMENT


class UrlTables:
    """The sections of all shards in which URLs are looked up by hash, read in place.

    ``content`` is all of shards.bin, uint8, which may be a mapped file.
    """

    def __init__(
        self, content: npt.NDArray[np.uint8], entries: Sequence[ShardEntry], layouts: Sequence[ShardLayout], k: int
    ) -> None:
        self._bytes, self._halves, self._words = content, content.view("<u4"), content.view("<u8")
        self._counts = np.array([entry.urls for entry in entries], np.int64)
        self._group_counts = np.array([entry.groups for entry in entries], np.int64)
        self._groups = np.array([layout.groups // _GROUP_BYTES for layout in layouts], np.int64)
        self._begins = np.array([layout.begins // _GROUP_BYTES for layout in layouts], np.int64)
        self._ends = np.array([layout.ends // _GROUP_BYTES for layout in layouts], np.int64)
        self._hashes = np.array([layout.hashes // _HASH_BYTES for layout in layouts], np.int64)
        self._numbers = np.array([layout.numbers for layout in layouts], np.int64)
        self._widths = np.array([layout.number_width for layout in layouts], np.int64)
        self._parts = np.array([layout.parts for layout in layouts], np.int64)
        self._part_width = parts_dtype(k).itemsize

    def find(self, shards: Places, sites: Groups, directories: Groups, hashes: Hashes) -> Places:
        """Where in its shard each URL stands, -1 if it does not: int64[n] for each one's shard, groups and hash."""
        of_shards = (self._group_counts, self._groups, self._begins, self._ends, self._counts, self._hashes)
        return _found(self._halves, self._words, *of_shards, shards, sites, directories, hashes)

    def parts(self, shards: Places, places: Places) -> npt.NDArray[np.int64]:
        """The part of each URL that stands at a place of its shard, -1 for place -1: int64[n]."""
        widths = np.full(len(self._parts), self._part_width, np.int64)
        return _integers(self._bytes, self._parts, widths, shards, places)

    def numbers(self, shards: Places, places: Places) -> npt.NDArray[np.int64]:
        """Each one's number in the trie of its shard, -1 for place -1: int64[n]."""
        return _integers(self._bytes, self._numbers, self._widths, shards, places)


@compiled
def _found(
    halves: npt.NDArray[np.uint32],
    words: npt.NDArray[np.uint64],
    group_counts: Places,
    group_starts: Places,
    begin_starts: Places,
    end_starts: Places,
    counts: Places,
    hash_starts: Places,
    shards: Places,
    sites: Groups,
    directories: Groups,
    hashes: Hashes,
) -> Places:
    places = np.empty(len(hashes), np.int64)
    for url in range(len(hashes)):
        shard, wanted = shards[url], hashes[url]
        place = np.int64(-1)
        for group_wanted in (sites[url], directories[url]):
            first = group_starts[shard]
            group = _lower_bound(halves, first, first + group_counts[shard], group_wanted) - first
            if group == group_counts[shard] or halves[first + group] != group_wanted:
                continue
            # No index leaves the file, whatever is in it.
            begin = min(np.int64(halves[begin_starts[shard] + group]), counts[shard])
            end = min(np.int64(halves[end_starts[shard] + group]), counts[shard])
            found = _lower_bound(words, hash_starts[shard] + begin, hash_starts[shard] + end, wanted)
            if found < hash_starts[shard] + end and words[found] == wanted:
                place = found - hash_starts[shard]
                break
        places[url] = place
    return places


@compiled
def _lower_bound(values: npt.NDArray[np.unsignedinteger[Any]], low: int, high: int, wanted: int) -> int:
    """The first place from ``low`` on at which a value is not below the one wanted; ``high`` if there is none."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _integers(
    content: npt.NDArray[np.uint8], starts: Places, widths: Places, shards: Places, places: Places
) -> npt.NDArray[np.int64]:
    found = np.empty(len(places), np.int64)
    for row in range(len(places)):
        if places[row] < 0:
            found[row] = -1
            continue
        width = widths[shards[row]]
        begin = starts[shards[row]] + places[row] * width
        value = np.int64(0)
        for byte in range(width):
            value |= np.int64(content[begin + byte]) << (8 * byte)
        found[row] = value
    return found

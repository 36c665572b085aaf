"""Which shard of a map a URL belongs to: its key lies between the first key of that shard and the first of the next.

Shards are stretches of the keys in order (`partition.assignment.url_prefixes`), so the URLs of a site, and of a
directory, lie together, and a site too large for a shard goes on in the next one: no site makes a shard larger than
others.  The hashes of a URL's site and directory, by which a shard orders its URLs, are read in the same pass.
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from partition.assignment.url_prefixes import directories_of_key
from partition.map.url_texts import Bounds, Bytes, key_start, text_and_bounds
from sessions.compiled import compiled

Shards = npt.NDArray[np.int64]
Groups = npt.NDArray[np.uint32]

_LAST = chr(0x10FFFF)
"""After every character that a URL may have."""
_FNV_OFFSET, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SLASH, _MARK = ord("/"), ord("?")
_GROUP_SHIFT = np.uint64(32)


class KeyRanges:
    """S shards, each of which has the keys from its first on and below the first of the next.

    ``firsts`` are S different keys in ascending order; the first of them is empty.
    """

    def __init__(self, firsts: Sequence[str]) -> None:
        self.firsts = list(firsts)
        self._text, self._bounds = text_and_bounds(self.firsts)

    def __len__(self) -> int:
        return len(self.firsts)

    def shards_and_groups(self, urls: Sequence[str] | pa.Array) -> tuple[Shards, Groups, Groups]:
        """The shard of each of n URLs, and the groups of its site and its directory: int64[n], uint32[n], uint32[n].

        A group is the leading 32 bits of a hash: FNV-1a (64 bits) of the site, or of the key up to the last slash of
        the path, times the golden ratio's 64 bits, so that the leading bits are mixed.
        """
        text, bounds = text_and_bounds(urls)
        return _shards_and_groups(text, bounds, self._text, self._bounds)

    def shard_of(self, key: str) -> int:
        """The shard in which a key lies."""
        return bisect_right(self.firsts, key) - 1

    def shards_below(self, prefix: str) -> range:
        """The shards in which keys that begin with ``prefix`` lie."""
        return range(self.shard_of(prefix), self.shard_of(prefix + _LAST) + 1)

    def open_directories(self, shard: int) -> list[str]:
        """The directories that begin in an earlier shard or go on in a later one, from outside to inside."""
        around = [self.firsts[shard], *self.firsts[shard + 1 : shard + 2]]
        return sorted({directory for key in around for directory in directories_of_key(key)})


@compiled
def _shards_and_groups(
    text: Bytes, bounds: Bounds, firsts: Bytes, first_bounds: Bounds
) -> tuple[Shards, Groups, Groups]:
    count = len(bounds) - 1
    shards = np.zeros(count, np.int64)
    sites, directories = np.empty(count, np.uint32), np.empty(count, np.uint32)
    for url in range(count):
        end = bounds[url + 1]
        start, site_end = key_start(text, bounds[url], end)
        state = _FNV_OFFSET
        for place in range(start, site_end):
            state = (state ^ np.uint64(text[place])) * _FNV_PRIME
        sites[url] = directories[url] = np.uint32(state * _GOLDEN >> _GROUP_SHIFT)
        for place in range(site_end, end):
            letter = text[place]
            if letter == _MARK:
                break
            state = (state ^ np.uint64(letter)) * _FNV_PRIME
            if letter == _SLASH:
                directories[url] = np.uint32(state * _GOLDEN >> _GROUP_SHIFT)
        low, high = 0, len(first_bounds) - 1
        while high - low > 1:  # the key is not below the first of ``low``, and below that of ``high``
            middle = (low + high) // 2
            if _is_below(text, start, end, firsts, first_bounds[middle], first_bounds[middle + 1]):
                high = middle
            else:
                low = middle
        shards[url] = low
    return shards, sites, directories


@compiled
def _is_below(text: Bytes, start: int, end: int, other: Bytes, other_start: int, other_end: int) -> bool:
    """Does a text come before another?"""
    common = min(end - start, other_end - other_start)
    for place in range(common):
        left, right = text[start + place], other[other_start + place]
        if left != right:
            return bool(left < right)
    return end - start < other_end - other_start

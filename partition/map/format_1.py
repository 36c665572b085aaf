"""Maps of format 1, as versions before shards wrote them: one table of all hashes, one trie, eight files.  Only read.

The hashes of all known URLs stand in ascending order.  The leading bits of a hash name its bucket; only the other bits
are stored, in whole bytes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from partition.map.manifest import FORMAT_1_FILES, Manifest, MapError, parts_dtype
from partition.map.mapped_files import mapped
from partition.map.packed_integers import PackedIntegers, packed_bytes, width_for
from partition.map.prefix_table import PrefixTable, Trie
from partition.map.url_numbers import Numbers
from sessions.url import Hashes

Positions = npt.NDArray[np.int64]

_HASH_BITS = 64
_OFFSET_BYTES = 4


class Format1Tables:
    """The files of a map of format 1, mapped into memory.  Raises MapError if one has not the length that it must."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        assert manifest.bucket_bits is not None
        dtype, count, bits = parts_dtype(manifest.parts), manifest.urls, manifest.bucket_bits
        width = width_for(max(0, count - 1))
        urls, hashes, numbers, parts, prefixes, prefix_parts, sites, site_parts = (
            folder / name for name in FORMAT_1_FILES
        )
        self._order = HashOrder(_file(hashes, np.dtype(np.uint8), order_bytes(count, bits)), count, bits)
        self._numbers = PackedIntegers(_file(numbers, np.dtype(np.uint8), packed_bytes(count, width)), count, width)
        self._parts = _file(parts, dtype, count)
        self._trie = _trie(urls, count)
        self._prefixes = PrefixTable(_trie(prefixes, manifest.prefixes), _file(prefix_parts, dtype, manifest.prefixes))
        self._sites = PrefixTable(_trie(sites, manifest.sites), _file(site_parts, dtype, manifest.sites))

    def parts_of(self, hashes: Hashes, _urls: Sequence[str]) -> Numbers:
        """The part of each URL, -1 if it is not known: int64[n]."""
        places = self._order.find(hashes)
        return _where_found(places, self._parts[places[places >= 0]])

    def numbers(self, hashes: Hashes, _urls: Sequence[str]) -> Numbers:
        """The number of each URL, -1 if it is not known: int64[n]."""
        places = self._order.find(hashes)
        return _where_found(places, self._numbers.take(places[places >= 0]))

    def urls_of(self, numbers: Numbers) -> list[str]:
        """The URLs that have these numbers.  Raises KeyError for a number that none has."""
        return list(map(self._trie.restore_key, numbers.tolist()))

    def urls_below(self, prefix: str) -> Iterator[str]:
        """The known URLs that begin with ``prefix``."""
        urls: Iterator[str] = self._trie.iterkeys(prefix)
        return urls

    def part_of_longest_prefix(self, key: str) -> int:
        """The part of the longest prefix of a key that the map has, -1 if it has none."""
        return self._prefixes.longest_match(key)

    def part_of_site(self, site: str) -> int:
        """The part that holds most of a site's pages, -1 if the map knows none."""
        part = self._sites.part_of(site)
        return part if part >= 0 else self._prefixes.part_of(site + "/")


def order_bytes(count: int, bucket_bits: int) -> int:
    """The bytes that ``count`` hashes take with so many bucket bits."""
    return _offsets_bytes(bucket_bits) + packed_bytes(count, _rest_bytes(bucket_bits))


class HashOrder:
    """``count`` hashes in order: where each bucket begins (uint32), then the packed rests.

    Nothing of a hash is lost: a hash is found if and only if it was put in.  ``buffer`` is not copied.
    """

    def __init__(self, buffer: Any, count: int, bucket_bits: int) -> None:
        view = memoryview(buffer)
        begin = _offsets_bytes(bucket_bits)
        self._offsets = np.frombuffer(view[:begin], "<u4")
        self._rests = PackedIntegers(view[begin:], count, _rest_bytes(bucket_bits))
        self._shift = np.uint64(_HASH_BITS - bucket_bits)
        self._rest_mask = np.uint64((1 << (_HASH_BITS - bucket_bits)) - 1)

    def __len__(self) -> int:
        return len(self._rests)

    def find(self, hashes: Hashes) -> Positions:
        """Where each hash stands in the order, -1 if it does not: int64[n] for uint64[n]."""
        if not len(self) or not len(hashes):
            return np.full(len(hashes), -1, np.int64)
        buckets = (hashes >> self._shift).astype(np.intp)
        positions, ends = self._offsets[buckets].astype(np.int64), self._offsets[buckets + 1].astype(np.int64)
        wanted = hashes & self._rest_mask
        # A binary search in all buckets at once: as many rests as a step is long are passed if the last is too small.
        step = (1 << int((ends - positions).max()).bit_length()) >> 1
        last = len(self) - 1
        while step:
            further = positions + step
            passes = further <= ends
            passes &= self._rests.take(np.minimum(further - 1, last)) < wanted
            positions = np.where(passes, further, positions)
            step >>= 1
        is_there = positions < ends
        is_there &= self._rests.take(np.minimum(positions, last)) == wanted
        return np.where(is_there, positions, -1)


def _where_found(places: Positions, values: npt.NDArray[np.unsignedinteger[Any]]) -> Numbers:
    found = np.full(len(places), -1, np.int64)
    found[places >= 0] = values
    return found


def _offsets_bytes(bucket_bits: int) -> int:
    return _OFFSET_BYTES * ((1 << bucket_bits) + 1)


def _rest_bytes(bucket_bits: int) -> int:
    return (_HASH_BITS - bucket_bits) // 8


def _file(path: Path, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    """A file of ``count`` numbers, mapped; a file without content cannot be, and need not."""
    if not count:
        return np.empty(0, dtype)
    array = mapped(path, dtype)
    if len(array) != count:
        raise MapError(f"{path}: holds {len(array):,} numbers, not {count:,}")
    return array


def _trie(path: Path, count: int) -> Trie:
    trie = Trie()
    try:
        trie.mmap(str(path))
    except (OSError, RuntimeError, ValueError) as error:
        raise MapError(f"{path}: {error}") from error
    if len(trie) != count:
        raise MapError(f"{path}: holds {len(trie):,} strings, not {count:,}")
    return trie

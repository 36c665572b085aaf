"""A partition map opened: its files mapped into memory, so that all ranks of a machine share one copy."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import marisa_trie
import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.map.hash_index import HashOrder, order_bytes
from partition.map.manifest import (
    HASHES,
    MAPPED,
    NUMBERS,
    PREFIX_PARTS,
    PREFIXES,
    SITE_PARTS,
    SITES,
    URL_PARTS,
    URLS,
    Manifest,
    MapError,
    parts_dtype,
    read_manifest,
)
from partition.map.packed_integers import PackedIntegers, packed_bytes, width_for
from partition.map.prefix_table import PrefixTable, open_trie
from partition.map.url_numbers import Numbers
from sessions.url import Hashes, site_of


@dataclass(frozen=True)
class PartitionMap:
    """Which part each URL of a session belongs to, and what number it has in this map.

    ``prefixes`` and ``sites`` say it of URLs that the map does not hold; ``sites`` only where a site's pages lie
    mostly in another part than its prefix.
    """

    folder: Path
    manifest: Manifest
    prefixes: PrefixTable
    sites: PrefixTable
    _order: HashOrder
    _parts: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
    _numbers: PackedIntegers
    _trie: marisa_trie.Trie

    @classmethod
    def open(cls, folder: Path | str, *, verify: bool = True) -> "PartitionMap":
        """Open a map's folder, with ``verify`` reading its files once to see whether they are whole.

        Raises MapError if it is no map, damaged, or of a format that this version does not read.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        if verify:
            manifest.check_files(folder, MAPPED)
        dtype, count = parts_dtype(manifest.parts), manifest.urls
        width = width_for(max(0, count - 1))
        order = _mapped(folder / HASHES, np.dtype(np.uint8), order_bytes(count, manifest.bucket_bits))
        numbers = _mapped(folder / NUMBERS, np.dtype(np.uint8), packed_bytes(count, width))
        prefixes = _mapped(folder / PREFIX_PARTS, dtype, manifest.prefixes)
        sites = _mapped(folder / SITE_PARTS, dtype, manifest.sites)
        return cls(
            folder,
            manifest,
            PrefixTable(_mapped_trie(folder / PREFIXES, manifest.prefixes), prefixes),
            PrefixTable(_mapped_trie(folder / SITES, manifest.sites), sites),
            HashOrder(order, count, manifest.bucket_bits),
            _mapped(folder / URL_PARTS, dtype, count),
            PackedIntegers(numbers, count, width),
            _mapped_trie(folder / URLS, count),
        )

    def __repr__(self) -> str:
        """One line: the fields are whole files."""
        return f"PartitionMap({str(self.folder)!r}, {self.parts} parts, {len(self)} URLs)"

    def __len__(self) -> int:
        return len(self._order)

    @property
    def parts(self) -> int:
        """K, the number of parts."""
        return self.manifest.parts

    def parts_of(self, hashes: Hashes) -> Owners:
        """The part of each URL, -1 if the map does not hold it: int32[n] for uint64[n]."""
        places = self._order.find(hashes)
        is_known = places >= 0
        if is_known.all():
            return self._parts[places].astype(np.int32)
        parts = np.full(len(hashes), -1, np.int32)
        parts[is_known] = self._parts[places[is_known]]
        return parts

    def numbers(self, hashes: Hashes) -> Numbers:
        """The number of each URL in this map, in [0, len), -1 if the map does not hold it: int64[n] for uint64[n]."""
        places = self._order.find(hashes)
        is_known = places >= 0
        numbers = np.full(len(hashes), -1, np.int64)
        numbers[is_known] = self._numbers.take(places[is_known])
        return numbers

    def urls_of(self, numbers: Numbers) -> list[str]:
        """The URLs that have these numbers.  Raises KeyError for a number that none has."""
        restore = self._trie.restore_key
        return [restore(number) for number in numbers.tolist()]

    def urls_below(self, prefix: str) -> Iterator[str]:
        """The URLs in this map that begin with ``prefix``, in no order that counts."""
        urls: Iterator[str] = self._trie.iterkeys(prefix)
        return urls

    def part_of_site(self, url: str) -> int:
        """The part that holds most pages of a URL's site, -1 if the map holds none."""
        site = site_of(url)
        part = self.sites.part_of(site)
        return part if part >= 0 else self.prefixes.part_of(site + "/")


def _mapped(path: Path, dtype: Any, count: int) -> npt.NDArray[Any]:
    """A file of ``count`` numbers, mapped; a file without content cannot be, and need not."""
    if not count:
        return np.empty(0, dtype)
    try:
        array = np.memmap(path, dtype, mode="r")
    except (OSError, ValueError) as error:
        raise MapError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if len(array) != count:
        raise MapError(f"{path}: holds {len(array):,} numbers, not {count:,}")
    return np.asarray(array)


def _mapped_trie(path: Path, count: int) -> marisa_trie.Trie:
    try:
        trie = open_trie(path)
    except (OSError, RuntimeError, ValueError) as error:
        raise MapError(f"{path}: {error}") from error
    if len(trie) != count:
        raise MapError(f"{path}: holds {len(trie):,} strings, not {count:,}")
    return trie

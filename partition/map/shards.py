"""The shards of a map, read in place: tables of URLs by hash, and a trie of texts that is opened when it is asked."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from partition.assignment.url_prefixes import url_key
from partition.map.key_ranges import KeyRanges
from partition.map.manifest import SHARDS, Manifest, MapError, parts_dtype
from partition.map.mapped_files import mapped
from partition.map.prefix_table import PrefixTable, Trie, open_trie
from partition.map.shard_layout import ShardLayout, UrlTables
from partition.map.url_numbers import Numbers
from sessions.url import Hashes


class ShardTables:
    """shards.bin of a map, mapped into memory.  Raises MapError if it has not the length that it must.

    A URL's number is how many URLs the shards before its own hold, and its number in the trie of its shard.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._path = folder / SHARDS
        self._entries = manifest.shards
        self._dtype = parts_dtype(manifest.parts)
        begins = np.cumsum([0, *(entry.bytes for entry in manifest.shards)]).tolist()
        self._layouts = [
            ShardLayout.of(entry, manifest.parts, begin) for entry, begin in zip(self._entries, begins, strict=False)
        ]
        self._content: npt.NDArray[np.uint8] = mapped(self._path, np.dtype(np.uint8))
        if [layout.end for layout in self._layouts] != begins[1:] or len(self._content) != begins[-1]:
            raise MapError(f"{self._path}: is {len(self._content):,} bytes long, which is not what its shards take")
        self._ranges = KeyRanges([entry.first for entry in self._entries])
        self._urls = UrlTables(self._content, self._entries, self._layouts, manifest.parts)
        self._first_numbers = np.cumsum([0, *(entry.urls for entry in self._entries)])
        self._tries: dict[int, Trie] = {}
        self._prefixes: dict[int, PrefixTable] = {}
        self._sites: dict[int, PrefixTable] = {}

    def parts_of(self, hashes: Hashes, urls: Sequence[str]) -> Numbers:
        """The part of each URL, -1 if it is not known: int64[n]."""
        shards, sites, directories = self._ranges.shards_and_groups(urls)
        return self._urls.parts(shards, self._urls.find(shards, sites, directories, hashes))

    def numbers(self, hashes: Hashes, urls: Sequence[str]) -> Numbers:
        """The number of each URL, -1 if it is not known: int64[n]."""
        shards, sites, directories = self._ranges.shards_and_groups(urls)
        in_shard = self._urls.numbers(shards, self._urls.find(shards, sites, directories, hashes))
        return np.where(in_shard < 0, -1, in_shard + self._first_numbers[shards])

    def urls_of(self, numbers: Numbers) -> list[str]:
        """The URLs that have these numbers.  Raises KeyError for a number that none has."""
        shards = np.searchsorted(self._first_numbers, numbers, side="right") - 1
        if len(numbers) and not 0 <= shards.min() <= shards.max() < len(self._entries):
            raise KeyError(f"no URL has the number {int(numbers[np.argmax(shards * (numbers >= 0))])}")
        in_shard = numbers - self._first_numbers[shards]
        tries = {shard: self._trie(shard).restore_key for shard in np.unique(shards).tolist()}
        return [tries[shard](number) for shard, number in zip(shards.tolist(), in_shard.tolist(), strict=True)]

    def urls_below(self, prefix: str) -> Iterator[str]:
        """The known URLs that begin with ``prefix``, which has a scheme and at least a host and a slash."""
        for shard in self._ranges.shards_below(url_key(prefix)):
            yield from self._trie(shard).iterkeys(prefix)

    def part_of_longest_prefix(self, key: str) -> int:
        """The part of the longest prefix of a key that the map has, -1 if it has none."""
        return self._prefixes_of(self._ranges.shard_of(key)).longest_match(key)

    def part_of_site(self, site: str) -> int:
        """The part that holds most of a site's pages, -1 if the map knows none."""
        prefix = site + "/"
        shard = self._ranges.shard_of(prefix)
        part = self._sites_of(shard).part_of(site)
        return part if part >= 0 else self._prefixes_of(shard).part_of(prefix)

    def _trie(self, shard: int) -> Trie:
        if shard not in self._tries:
            self._tries[shard] = self._opened(shard, "urls")
        return self._tries[shard]

    def _prefixes_of(self, shard: int) -> PrefixTable:
        if shard not in self._prefixes:
            self._prefixes[shard] = self._prefix_table(shard, "prefixes", "prefix_parts")
        return self._prefixes[shard]

    def _sites_of(self, shard: int) -> PrefixTable:
        if shard not in self._sites:
            self._sites[shard] = self._prefix_table(shard, "sites", "site_parts")
        return self._sites[shard]

    def _prefix_table(self, shard: int, name: str, parts_name: str) -> PrefixTable:
        trie = self._opened(shard, name)
        begin = getattr(self._layouts[shard], parts_name)
        return PrefixTable(trie, self._content[begin : begin + len(trie) * self._dtype.itemsize].view(self._dtype))

    def _opened(self, shard: int, name: str) -> Trie:
        begin, count = getattr(self._layouts[shard], name), getattr(self._entries[shard], name)
        size = self._entries[shard].tries[("urls", "prefixes", "sites").index(name)]
        try:
            trie = open_trie(self._content[begin : begin + size])
        except (RuntimeError, ValueError) as error:
            raise MapError(f"{self._path}: {name} of shard {shard}: {error}") from error
        if len(trie) != count:
            raise MapError(f"{self._path}: shard {shard} holds {len(trie):,} {name}, not {count:,}")
        return trie

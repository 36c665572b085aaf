"""A partition map opened: its files mapped into memory, so that all ranks of a machine share one copy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import url_key
from partition.map.format_1 import Format1Tables
from partition.map.manifest import Manifest, read_manifest
from partition.map.url_numbers import Numbers
from sessions.url import Hashes, site_of

if TYPE_CHECKING:
    from partition.map.shards import ShardTables


@dataclass(frozen=True)
class PartitionMap:
    """Which part each URL of a session belongs to, and what number it has in this map.

    Of URLs that the map does not hold its prefixes and sites say where they belong.  A URL is asked for by its hash
    and its text: where the map is large, the text tells in which part of the files to look.
    """

    folder: Path
    manifest: Manifest
    _tables: "ShardTables | Format1Tables" = field(repr=False)

    @classmethod
    def open(cls, folder: Path | str, *, verify: bool = True) -> "PartitionMap":
        """Open a map's folder, with ``verify`` reading its files once to see whether they are whole.

        What is not verified is read when it is asked for.  Raises MapError if it is no map, damaged, or of a format
        that this version does not read.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        if verify:
            manifest.check_files(folder)
        if manifest.bucket_bits is not None:
            return cls(folder, manifest, Format1Tables(folder, manifest))
        # Only here, since it loads the compiler, which a rank that crawls without a map need not wait for.
        from partition.map.shards import ShardTables

        return cls(folder, manifest, ShardTables(folder, manifest))

    def __repr__(self) -> str:
        return f"PartitionMap({str(self.folder)!r}, {self.parts} parts, {len(self)} URLs)"

    def __len__(self) -> int:
        return self.manifest.urls

    @property
    def parts(self) -> int:
        """K, the number of parts."""
        return self.manifest.parts

    def parts_of(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        """The part of each URL, -1 if the map does not hold it: int32[n] for uint64[n] and their n canonical URLs."""
        return self._tables.parts_of(hashes, urls).astype(np.int32)

    def numbers(self, hashes: Hashes, urls: Sequence[str]) -> Numbers:
        """The number of each URL in this map, in [0, len), -1 if the map does not hold it: int64[n]."""
        return self._tables.numbers(hashes, urls)

    def urls_of(self, numbers: Numbers) -> list[str]:
        """The URLs that have these numbers.  Raises KeyError for a number that none has."""
        return self._tables.urls_of(numbers)

    def urls_below(self, prefix: str) -> Iterator[str]:
        """The URLs in this map that begin with ``prefix`` (scheme, host, slash, ...), in no order that counts."""
        return self._tables.urls_below(prefix)

    def part_by_prefix(self, url: str) -> int:
        """The part of the longest prefix in the map that a URL begins with, -1 if there is none."""
        return self._tables.part_of_longest_prefix(url_key(url))

    def part_of_site(self, url: str) -> int:
        """The part that holds most pages of a URL's site, -1 if the map holds none."""
        return self._tables.part_of_site(site_of(url))

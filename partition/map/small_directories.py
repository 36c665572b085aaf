"""The rule ``directory``: new pages of small directories that the map knows stay there, all others go by their hash.

A page that is born in a directory links to its neighbours, so it belongs to their part; but new pages also come by the
thousand, in new directories and in large ones, and whoever got those would have most of the next crawl
(docs/foresight.md has both measured).
"""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from partition.assignment.assignment import Owners
from partition.assignment.hashing import PageHash
from partition.map.partition_map import PartitionMap
from partition.map.unknown_rules import UnknownRule
from sessions.url import Hashes, url_hashes

_SHARE = 4
"""A directory is small if it has less than one in so many of an average part's pages, those of what lies in it too."""
_MOST_PAGES = 4096
_MOST_REMEMBERED = 1 << 16
_NOWHERE = -1


class _Directories:
    """The part of each directory of a map whose pages are few."""

    def __init__(self, table: PartitionMap) -> None:
        self._table = table
        self._most = min(len(table) // (_SHARE * table.parts), _MOST_PAGES)
        self._by_hash = PageHash(table.parts)
        self._known: dict[str, int] = {}

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        """The owner of each unknown URL: int32[n]."""
        parts = np.array([self._part_of(_directory_of(url)) for url in urls], np.int32)
        return np.where(parts >= 0, parts, self._by_hash.owners(hashes, urls))

    def _part_of(self, directory: str) -> int:
        part = self._known.get(directory)
        if part is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            part = self._known[directory] = self._counted(directory)
        return part

    def _counted(self, directory: str) -> int:
        """The part with most pages of a small directory, the lowest of several; -1 if it is large, or not known."""
        pages = list(islice(self._table.urls_below(directory), self._most + 1))
        if not pages or len(pages) > self._most:
            return _NOWHERE
        return int(np.bincount(self._table.parts_of(url_hashes(pages), pages)).argmax())


def _directory_of(url: str) -> str:
    path = url.partition("?")[0]
    return path[: path.rindex("/") + 1]


BY_DIRECTORY = UnknownRule(lambda table, _rank: _Directories(table).owners)

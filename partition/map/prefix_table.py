"""Strings with a part each: the prefixes, or the sites, that own URLs which the map does not hold."""

from collections.abc import Sequence

import marisa_trie
import numpy as np
import numpy.typing as npt

Trie = marisa_trie.Trie

_NOWHERE = -1


class PrefixTable:
    """The part of a string, and of the longest stored prefix of a string.

    ``parts`` has the part of each string by its number in the trie; both may be mapped files.
    """

    def __init__(self, trie: marisa_trie.Trie, parts: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]) -> None:
        self._trie = trie
        self._parts = parts

    def __len__(self) -> int:
        return len(self._trie)

    def part_of(self, text: str) -> int:
        """The part of exactly this string, -1 if it is not in the table."""
        number = self._trie.get(text)
        return _NOWHERE if number is None else int(self._parts[number])

    def longest_match(self, text: str) -> int:
        """The part of the longest string in the table that ``text`` begins with, -1 if there is none."""
        number = _NOWHERE
        for _, number in self._trie.iter_prefixes_with_ids(text):  # noqa: B007 - they come from short to long
            pass
        return _NOWHERE if number == _NOWHERE else int(self._parts[number])


def make_trie(texts: Sequence[str]) -> marisa_trie.Trie:
    """A trie of distinct strings in as few bytes as the default nesting gives."""
    return marisa_trie.Trie(texts, cache_size=marisa_trie.TINY_CACHE)


def open_trie(content: npt.NDArray[np.uint8]) -> marisa_trie.Trie:
    """A trie read in place from its bytes, which begin at a multiple of 8 and must be kept as long as the trie is."""
    trie = marisa_trie.Trie()
    trie.map(content)
    return trie


def numbers_in(trie: marisa_trie.Trie, texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """The number of each of these strings, all of which are in the trie: int64[n]."""
    return np.fromiter(map(trie.key_id, texts), np.int64, len(texts))

"""The targets of a page's links: their hashes, and their URLs for those who ask.

Most links lead to URLs that are known, so that nobody asks for their strings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sessions.url import Hashes, url_hashes

_STRING_BYTES = 64


class Targets(Protocol):
    """n distinct URLs in document order, all canonical."""

    @property
    def hashes(self) -> Hashes:
        """The hash of each: uint64[n]."""
        ...

    @property
    def nbytes(self) -> int:
        """About so many bytes of memory they take."""
        ...

    def urls(self, places: Sequence[int]) -> list[str]:
        """The URLs at these places."""
        ...


class ListedTargets:
    """Targets that are there as strings."""

    def __init__(self, urls: list[str]) -> None:
        self._urls = urls

    @cached_property
    def hashes(self) -> Hashes:
        """The hash of each: uint64[n]."""
        return url_hashes(self._urls)

    @property
    def nbytes(self) -> int:
        """About so many bytes of memory they take."""
        return sum(map(len, self._urls)) + _STRING_BYTES * len(self._urls)

    def urls(self, places: Sequence[int]) -> list[str]:
        """The URLs at these places."""
        return [self._urls[place] for place in places]


@dataclass(frozen=True, slots=True)
class PackedTargets:
    """Targets in ASCII, one after the other in ``text``; ``ends``, int32[n + 1], is where each begins and ends."""

    hashes: Hashes
    text: bytes
    ends: npt.NDArray[np.int32]

    @property
    def nbytes(self) -> int:
        """About so many bytes of memory they take."""
        return len(self.text) + self.hashes.nbytes + self.ends.nbytes

    def urls(self, places: Sequence[int]) -> list[str]:
        """The URLs at these places."""
        item, text = self.ends.item, self.text
        return [text[item(place) : item(place + 1)].decode() for place in places]

    def first(self, count: int) -> "PackedTargets":
        """The first ``count`` targets."""
        return PackedTargets(self.hashes[:count], self.text, self.ends[: count + 1])


class PageTargets(NamedTuple):
    """The distinct targets of a page's links with their flags, uint8[n]; ``dropped`` more were left out."""

    targets: Targets
    flags: npt.NDArray[np.uint8]
    dropped: int = 0


def listed(urls: list[str], flags: list[int], dropped: int = 0) -> PageTargets:
    """Targets that are there as strings, with a flag of each."""
    return PageTargets(ListedTargets(urls), np.array(flags, np.uint8), dropped)

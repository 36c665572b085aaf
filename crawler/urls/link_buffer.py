"""Links that wait until there are enough of them to be settled at once."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Links(NamedTuple):
    """Some pages' links: the n targets, a flag of each, and of each column what the link's page has in it, [n]."""

    urls: list[str]
    flags: npt.NDArray[np.uint8]
    columns: list[npt.NDArray[Any]]


class LinkBuffer:
    """One list of URLs, and once a page what its links have in common: a number in each of the columns ``types``."""

    def __init__(self, *types: npt.DTypeLike) -> None:
        self._types = types
        self._clear()

    def _clear(self) -> None:
        self._urls: list[str] = []
        self._flags: list[int] = []
        self._counts: list[int] = []
        self._pages: list[tuple[int, ...]] = []

    def __len__(self) -> int:
        return len(self._urls)

    def add(self, page: tuple[int, ...], urls: list[str], flags: list[int]) -> None:
        """Put in a page's links, with a number for each column."""
        self._urls += urls
        self._flags += flags
        self._counts.append(len(urls))
        self._pages.append(page)

    def take(self) -> Links:
        """Take all links out, in the order in which they came."""
        columns = list(zip(*self._pages, strict=True)) or [()] * len(self._types)
        links = Links(
            self._urls,
            np.array(self._flags, np.uint8),
            [
                np.repeat(np.array(column, dtype), self._counts)
                for column, dtype in zip(columns, self._types, strict=True)
            ],
        )
        self._clear()
        return links

"""Links that wait until there are enough of them to be settled at once."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Mask
from crawler.urls.targets import PageTargets, Targets
from sessions.url import Hashes

_NO_HASHES, _NO_FLAGS = np.empty(0, np.uint64), np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Links:
    """Some pages' links: of the n targets hash and flags, and of each column what the link's page has in it.

    ``hashes`` uint64[n], ``flags`` uint8[n], ``columns`` [n] each.  ``places`` intp[n] are those of the links among all
    links of ``pages``, ascending; ``ends`` intp says where those of each page end.
    """

    hashes: Hashes
    flags: npt.NDArray[np.uint8]
    columns: list[npt.NDArray[Any]]
    places: npt.NDArray[np.intp]
    pages: list[Targets]
    ends: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.hashes)

    def where(self, mask: Mask) -> "Links":
        """The links for which ``mask`` holds, in order."""
        if np.count_nonzero(mask) == len(mask):
            return self
        columns = [column[mask] for column in self.columns]
        return replace(
            self, hashes=self.hashes[mask], flags=self.flags[mask], columns=columns, places=self.places[mask]
        )

    def urls(self) -> list[str]:
        """The targets as strings."""
        if len(self.pages) == 1:
            return self.pages[0].urls(self.places.tolist())
        of_page = np.searchsorted(self.ends, self.places, "right").tolist()
        urls: list[str] = []
        for page, links in groupby(zip(of_page, self.places.tolist(), strict=True), lambda link: link[0]):
            targets = self.pages[page]
            start = self.ends.item(page) - len(targets.hashes)
            urls += targets.urls([place - start for _, place in links])
        return urls


class LinkBuffer:
    """Pages' targets, and once a page what its links have in common: a number in each of the columns ``types``."""

    def __init__(self, *types: npt.DTypeLike) -> None:
        self._types = types
        self._clear()

    def _clear(self) -> None:
        self._targets: list[Targets] = []
        self._flags: list[npt.NDArray[np.uint8]] = []
        self._pages: list[tuple[int, ...]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, page: tuple[int, ...], links: PageTargets) -> None:
        """Put in a page's links, with a number for each column."""
        self._targets.append(links.targets)
        self._flags.append(links.flags)
        self._pages.append(page)
        self._count += len(links.flags)

    def take(self) -> Links:
        """Take all links out, in the order in which they came."""
        counts = np.array([len(flags) for flags in self._flags], np.intp)
        columns = list(zip(*self._pages, strict=True)) or [()] * len(self._types)
        links = Links(
            np.concatenate([_NO_HASHES, *(targets.hashes for targets in self._targets)]),
            np.concatenate([_NO_FLAGS, *self._flags]),
            [np.array(column, dtype).repeat(counts) for column, dtype in zip(columns, self._types, strict=True)],
            np.arange(self._count),
            self._targets,
            counts.cumsum(),
        )
        self._clear()
        return links

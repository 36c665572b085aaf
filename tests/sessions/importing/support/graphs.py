"""Graphs given at once, as the importers take them in pieces."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sessions.importing.graph import Graph
from sessions.importing.page_list import PageList
from sessions.url import url_hashes

Numbers = npt.NDArray[np.integer[Any]]


def graph_of(urls: list[str], sizes: Iterable[int], pairs: Iterable[tuple[int, int]], batch: int = 1 << 16) -> Graph:
    """A graph of these pages and links, which come in batches of this size."""
    starts = range(0, len(urls), batch)
    pages = PageList(
        url_hashes(urls), np.array(list(sizes), np.int64), lambda: (urls[start : start + batch] for start in starts)
    )
    ends = np.array(list(pairs), np.int64).reshape(-1, 2)
    links = ((ends[at : at + batch, 0], ends[at : at + batch, 1]) for at in range(0, len(ends), batch))
    return Graph(pages, links)


def urls_of(pages: PageList) -> list[str]:
    """All URLs of a list."""
    return [url for batch in pages.urls() for url in batch]


def whole(batches: Iterable[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Sources and targets of all batches."""
    pairs = [(np.empty(0, np.int64), np.empty(0, np.int64)), *batches]
    return np.concatenate([sources for sources, _ in pairs]), np.concatenate([targets for _, targets in pairs])

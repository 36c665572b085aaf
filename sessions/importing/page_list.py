"""What the pages of a graph are called and what they weigh: line i of a list, from 0, is page i."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sessions.importing.gzip_files import lines
from sessions.importing.source import SourceError, in_line
from sessions.url import LONGEST_URL, Hashes, canonical, url_hashes

Numbers = npt.NDArray[np.int64]
Sizes = npt.NDArray[np.int64]

UNKNOWN = -1
"""Stands for the bytes of a page whose row does not tell them."""
PLAIN_BYTES = 1
"""What a page weighs when nothing tells."""
_MOST_BYTES = 1 << 53
INVENTED = "http://pages.invalid/"
"""What the URLs of pages begin with of which only the numbers are known."""
_SHOWN = 100
_URLS_PER_BATCH = 1 << 16
_URL_FILE = "urls"


@dataclass(frozen=True)
class PageList:
    """n pages by number, of which two may have one URL; the URLs themselves are not held in memory.

    Attributes:
        hashes: of the canonical URLs, uint64[n].
        sizes: int64[n] bytes, `UNKNOWN` where the list does not tell them.
        urls: gives all canonical URLs in order, a batch of at most `_URLS_PER_BATCH` at a time, whenever it is called.
    """

    hashes: Hashes
    sizes: Sizes
    urls: Callable[[], Iterator[list[str]]]

    def __len__(self) -> int:
        return len(self.hashes)


def invented_url(number: int) -> str:
    """The URL of a page of which only the number is known, in canonical form; nothing answers there (RFC 6761)."""
    return f"{INVENTED}{number}"


def numbered_pages(numbers: Numbers, sizes: Sizes | None = None) -> PageList:
    """Pages of which only the numbers are known, int64[n], and perhaps their bytes, int64[n]."""
    urls = partial(_invented_urls, numbers)
    return PageList(_hashes(urls()), np.full(len(numbers), UNKNOWN) if sizes is None else sizes, urls)


def _invented_urls(numbers: Numbers) -> Iterator[list[str]]:
    for first in range(0, len(numbers), _URLS_PER_BATCH):
        yield [invented_url(number) for number in numbers[first : first + _URLS_PER_BATCH].tolist()]


def _hashes(batches: Iterable[list[str]]) -> Hashes:
    return np.concatenate([np.empty(0, np.uint64), *map(url_hashes, batches)])


def read_pages(urls: Path | None, sizes: Path | None, folder: Path) -> PageList | None:
    """The pages as these two files tell them; None if neither is given.

    ``urls`` has a URL a line, or lines ``url<TAB>bytes``, with or without a heading line; ``sizes`` has the bytes of a
    page a line and takes precedence.  Raises SourceError for a line that says something else.  The URLs are kept in a
    file in ``folder`` for as long as the pages are used.
    """
    if urls is None:
        if sizes is None:
            return None
        weights = read_sizes(sizes)
        return numbered_pages(np.arange(len(weights)), weights)
    pages = read_urls(urls, folder)
    if sizes is None:
        return pages
    weights = read_sizes(sizes)
    if len(weights) != len(pages):
        raise SourceError(f"{sizes}: has the bytes of {len(weights):,} pages; {urls} has {len(pages):,} URLs")
    return replace(pages, sizes=weights)


def read_sizes(path: Path) -> Sizes:
    """The bytes of pages: int64[n].  Raises SourceError for a line that is not a number of bytes."""
    sizes = array("q")
    for number, line in _filled(path):
        size = _number(line)
        if size is None:
            raise in_line(path, number, f"{_shown(line)} is not a number of bytes")
        sizes.append(size)
    return np.array(sizes, np.int64)


def read_urls(path: Path, folder: Path) -> PageList:
    """Pages from a list of URLs, which are kept in a file in ``folder``.

    Raises SourceError for a line that has no http or https URL.
    """
    kept = folder / _URL_FILE
    sizes = array("q")
    with open(kept, "w", encoding="ascii") as file:
        for url, size in _urls_and_sizes(path):
            file.write(f"{url}\n")
            sizes.append(size)
    urls = partial(_urls_in, kept)
    return PageList(_hashes(urls()), np.array(sizes, np.int64), urls)


def _urls_in(path: Path) -> Iterator[list[str]]:
    with open(path, encoding="ascii") as file:
        while batch := [line[:-1] for line in islice(file, _URLS_PER_BATCH)]:
            yield batch


def _urls_and_sizes(path: Path) -> Iterator[tuple[str, int]]:
    for number, line in _filled(path):
        text, tab, rest = line.partition(b"\t")
        cell = rest.partition(b"\t")[0].strip()
        url = _canonical(text)
        if url is None:
            if number == 1 and tab and _number(cell) is None:
                continue  # a heading
            raise in_line(
                path, number, f"{_shown(text)} is not an http or https URL of at most {LONGEST_URL:,} characters"
            )
        size = _number(cell) if cell else UNKNOWN
        if size is None:
            raise in_line(path, number, f"{_shown(cell)} is not a number of bytes")
        yield url, size


def _filled(path: Path) -> Iterator[tuple[int, bytes]]:
    """A file's lines up to the empty ones at its end; an empty one in between is handed on as it is."""
    empty: list[tuple[int, bytes]] = []
    for number, line in lines(path):
        if not line.strip():
            if len(empty) < 2:  # the first is what there is to complain of
                empty.append((number, line))
            continue
        yield from empty
        empty.clear()
        yield number, line


def _canonical(text: bytes) -> str | None:
    try:
        return canonical(text.decode())
    except UnicodeDecodeError:
        return None


def _number(text: bytes) -> int | None:
    text = text.strip()
    if not text.isdigit() or len(text) > 16:
        return None
    return size if (size := int(text)) <= _MOST_BYTES else None


def _shown(text: bytes) -> str:
    return repr(text[:_SHOWN].decode("utf-8", "replace") + ("..." if len(text) > _SHOWN else ""))

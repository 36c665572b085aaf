"""What the pages of a graph are called and what they weigh: line i of a list, from 0, is page i."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sessions.importing.gzip_files import lines
from sessions.importing.source import SourceError, in_line
from sessions.url import LONGEST_URL, canonical

Sizes = npt.NDArray[np.int64]

UNKNOWN = -1
"""Stands for the bytes of a page whose row does not tell them."""
PLAIN_BYTES = 1
"""What a page weighs when nothing tells."""
_MOST_BYTES = 1 << 53
_SHOWN = 100


class PageList(NamedTuple):
    """Pages by number: canonical URLs, and int64[n] bytes, `UNKNOWN` where the list does not tell them.

    Two pages may have one URL.
    """

    urls: list[str]
    sizes: Sizes


def invented_url(number: int) -> str:
    """The URL of a page of which only the number is known, in canonical form; nothing answers there (RFC 6761)."""
    return f"http://pages.invalid/{number}"


def read_pages(urls: Path | None, sizes: Path | None) -> PageList | None:
    """The pages as these two files tell them; None if neither is given.

    ``urls`` has a URL a line, or lines ``url<TAB>bytes``, with or without a heading line; ``sizes`` has the bytes of a
    page a line and takes precedence.  Raises SourceError for a line that says something else.
    """
    if urls is None:
        if sizes is None:
            return None
        weights = read_sizes(sizes)
        return PageList([invented_url(number) for number in range(len(weights))], weights)
    pages = read_urls(urls)
    if sizes is None:
        return pages
    weights = read_sizes(sizes)
    if len(weights) != len(pages.urls):
        raise SourceError(f"{sizes}: has the bytes of {len(weights):,} pages; {urls} has {len(pages.urls):,} URLs")
    return pages._replace(sizes=weights)


def read_sizes(path: Path) -> Sizes:
    """The bytes of pages: int64[n].  Raises SourceError for a line that is not a number of bytes."""
    sizes = []
    for number, line in _filled(path):
        size = _number(line)
        if size is None:
            raise in_line(path, number, f"{_shown(line)} is not a number of bytes")
        sizes.append(size)
    return np.array(sizes, np.int64)


def read_urls(path: Path) -> PageList:
    """Pages from a list of URLs.  Raises SourceError for a line that has no http or https URL."""
    urls: list[str] = []
    sizes: list[int] = []
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
        urls.append(url)
        sizes.append(size)
    return PageList(urls, np.array(sizes, np.int64))


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

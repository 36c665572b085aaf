"""The links of a page the quick way: scanned (`link_scan`), and joined (`plain_links`) as far as they are plain.

Importing this loads compiled code, which takes a rank half a second; `link_finder` does so when it pays.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.pages.attribute_text import attribute_text
from crawler.pages.html_suspects import needs_masking
from crawler.pages.html_tokens import Bytes
from crawler.pages.link_scan import COLUMNS, MATH, MOST_LINKS, MOST_OPEN, MOST_OTHERS, SVG, scan
from crawler.pages.links import MOST_METAS, IsOver, never
from crawler.pages.plain_links import distinct, join_plain
from crawler.pages.web_codecs import with_encoded_queries
from crawler.urls.targets import PackedTargets, PageTargets
from sessions.schema import NOFOLLOW
from sessions.url import Hashes, join, url_hashes
from sessions.url_hash import LONGEST

_LONGEST_DOCUMENT = 1 << 18
"""Bytes of a document that are looked at in one go, without asking whether the time of a page is over."""

Metas = list[tuple[str, str]]
Others = tuple[Hashes, Bytes, npt.NDArray[np.int32]]
"""URLs one after the other: their hashes, their characters, and where each begins and ends."""

_NO_OTHERS: Others = (np.zeros(0, np.uint64), np.zeros(0, np.uint8), np.zeros(1, np.int32))


class ScannedReferences(NamedTuple):
    """What was found in a page, like `crawler.pages.links.References`; here the targets are known already."""

    base: str
    found: PackedTargets
    flags: npt.NDArray[np.uint8]
    metas: Metas
    is_cut: bool = False

    def targets(self, *, nofollow: bool = False, most: int | None = None, is_over: IsOver = never) -> PageTargets:
        """The first ``most`` targets; ``nofollow``: the page asks that of all its links."""
        flags = self.flags | np.uint8(NOFOLLOW) if nofollow else self.flags
        if most is None or len(flags) <= most:
            return PageTargets(self.found, flags)
        return PageTargets(self.found.first(most), flags[:most], len(flags) - most)


class PageScanner:
    """Finds the links of one page after the other."""

    def __init__(self) -> None:
        self._links = np.zeros((MOST_LINKS + 1, COLUMNS), np.int32)
        self._others = np.zeros((MOST_OTHERS + 1, COLUMNS), np.int32)
        self._opened = np.zeros(MOST_OPEN, np.int64)
        self._unknown = np.zeros((MOST_LINKS + 1, 2), np.int32)
        self._urls = np.zeros((MOST_LINKS + 1) * LONGEST, np.uint8)
        self._packed = np.zeros((MOST_LINKS + 1) * LONGEST, np.uint8)
        self._ends = np.zeros(MOST_LINKS + 2, np.int32)
        self._hashes = np.zeros(MOST_LINKS + 1, np.uint64)
        self._flags = np.zeros(MOST_LINKS + 1, np.uint8)
        self._slots = np.zeros(4 * MOST_LINKS, np.int16)

    def references(self, url: str, document: bytes, encoding: str) -> ScannedReferences | None:
        """The links of a document in valid UTF-8 that was in ``encoding``; None if it is not understood.

        ``url`` is canonical.
        """
        if len(document) > _LONGEST_DOCUMENT or b"\0" in document:
            return None
        text = np.frombuffer(document, np.uint8)
        count, more, foreign = scan(text, self._links, self._others, self._opened)
        if count < 0 or (foreign and needs_masking(document, _roots(foreign))):
            return None
        base, metas = _base_and_metas(url, document, encoding, self._others[:more].tolist())
        hashes, ends, flags = self._hashes, self._ends, self._flags
        base_bytes = np.frombuffer(base.encode(), np.uint8)
        unknown = join_plain(text, self._links, count, base_bytes, self._urls, ends, hashes, self._unknown)
        others = self._others_joined(document, unknown, base, encoding) if unknown else _NO_OTHERS
        slots = self._slots[: 1 << (2 * count + 2).bit_length()]
        longest = ends.item(count) + len(others[1])
        packed = self._packed if longest <= len(self._packed) else np.zeros(longest, np.uint8)
        size = distinct(self._links, count, hashes, self._urls, ends, *others, packed, slots, flags)
        targets = PackedTargets(hashes[:size].copy(), packed[: ends.item(size)].tobytes(), ends[: size + 1].copy())
        return ScannedReferences(base, targets, flags[:size].copy(), metas)

    def _others_joined(self, document: bytes, count: int, base: str, encoding: str) -> Others:
        """The URLs of the ``count`` links of a page that are not plain, by ada; empty where one leads nowhere."""
        texts = [attribute_text(document[start:stop]) for start, stop in self._unknown[:count].tolist()]
        urls = [url or "" for url in join(base, with_encoded_queries(texts, encoding))]
        ends = np.fromiter(accumulate(map(len, urls), initial=0), np.int32, count + 1)
        return url_hashes(urls), np.frombuffer(bytearray("".join(urls).encode()), np.uint8), ends


def _base_and_metas(url: str, document: bytes, encoding: str, items: list[list[int]]) -> tuple[str, Metas]:
    """What a page's links start from, and its meta elements."""
    base: str | None = None
    metas: Metas = []
    for start, stop, _, name_start, name_stop in items:
        text = attribute_text(document[start:stop])
        if not name_stop:
            base = text if base is None else base
        elif len(metas) < MOST_METAS:
            metas.append((attribute_text(document[name_start:name_stop]).strip(), text))
    if base is not None:
        url = join(url, with_encoded_queries([base], encoding))[0] or url
    return url, metas


def _roots(foreign: int) -> set[str]:
    return {name for name, bit in (("svg", SVG), ("math", MATH)) if foreign & bit}

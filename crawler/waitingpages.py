"""Pages that wait to be told whether their document came before, within a budget of memory.

A waiting page is there as it will be written if its document is new: its row, and its WARC records ready to be
appended.  So little is left to be done in the exchange, when all ranks wait for each other.
"""

from collections.abc import Iterator
from typing import NamedTuple

from crawler.contentseen import Asking, ContentSeen, First, Question
from sessions.schema import Page
from sessions.warc import Exchange, Members

_FIXED_BYTES, _LINK_BYTES = 2048, 64


class FoundLinks(NamedTuple):
    """The distinct links of a page, by its hash; ``depth`` and ``hops`` are those of the targets."""

    source: int
    depth: int
    hops: int
    urls: list[str]
    flags: list[int]


class WaitingPage(NamedTuple):
    """A page that waits: its row without a place, its HTTP exchange without the body, and its records.

    Row and exchange have the digests of the document and of the body.  ``links`` are those that are followed only if
    the document is new.
    """

    row: Page
    exchange: Exchange
    members: Members | None
    links: FoundLinks | None


class WaitingPages:
    """The pages of this superstep whose documents may have come before.

    At most ``budget`` bytes wait.  A page for which there is no room is written at once by who asks; that it had its
    document is noted, again for at most ``budget`` bytes.
    """

    def __init__(self, content_seen: ContentSeen, budget: int) -> None:
        self._content_seen = content_seen
        self._budget = budget
        self._clear()

    def _clear(self) -> None:
        self._pages: list[WaitingPage] = []
        self._questions: list[Question] = []
        self._noted: list[Question] = []
        self._waiting_bytes = self._noted_bytes = 0

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, page: WaitingPage) -> bool:
        """Let a page wait; False if there is no room, and it is only noted that it has its document."""
        size, question = _bytes_of(page), _question(page)
        if self._waiting_bytes + size <= self._budget:
            self._pages.append(page)
            self._questions.append(question)
            self._waiting_bytes += size
            return True
        if self._noted_bytes + _FIXED_BYTES <= self._budget:
            self._noted.append(question)
            self._noted_bytes += _FIXED_BYTES
        return False

    def settle(self, exchange: Asking) -> Iterator[tuple[WaitingPage, First | None]]:
        """Each page that waits, with the first one that had its document; afterwards none waits.

        All ranks call this together.
        """
        firsts = self._content_seen.ask(exchange, self._questions + self._noted)
        pages = self._pages
        self._clear()
        return zip(pages, firsts, strict=False)


def _question(page: WaitingPage) -> Question:
    row, exchange = page.row, page.exchange
    assert row.content_digest is not None
    assert exchange.payload_digest is not None
    return Question(row.content_digest, exchange.payload_digest, row.hash, row.url, exchange.fetched)


def _bytes_of(page: WaitingPage) -> int:
    """What a page takes while it waits, its Python objects estimated."""
    size = _FIXED_BYTES + len(page.exchange.response_head) + len(page.exchange.request_head)
    if page.members is not None:
        size += page.members.nbytes
    if page.links is not None:
        size += sum(map(len, page.links.urls)) + len(page.links.urls) * _LINK_BYTES
    return size

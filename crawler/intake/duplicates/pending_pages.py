"""Pages that wait to be told whether their document came before.

While what is known of documents fits in memory they wait for the end of the superstep; later, until the owner of
their digest has been through what it has on disk.
"""

from collections.abc import Iterator, Sequence

from crawler.drum.disk_phase import NOT_MERGING
from crawler.exchange.asking import Asking
from crawler.intake.duplicates.content_messages import ContentQuestion, First, Wanted
from crawler.intake.duplicates.content_seen import ContentSeen, Settled
from crawler.intake.duplicates.page_spool import PageSpool, PendingPage

SPOOL_BYTES = 1 << 30
"""Bytes on disk for the pages that wait; for few documents."""
SPOOL_BYTES_OF_A_DOCUMENT = 256
"""A merge rewrites all documents that are remembered, so the more these are, the more pages wait for one."""
_MOST_NOTED = 4096
_MERGE_FROM, _MERGED_BY, _ALL_FROM = 0.25, 0.4, 0.5
"""With so much of the spool taken a rank wants a merge, that goes on in pieces; wants it to be over; and wants all
answers now."""


class PendingPages:
    """The pages of a rank whose documents may have come before, in order of arrival.

    The ``spool`` has the more room on disk, the more documents are remembered.  When a quarter of it is taken, the rank
    wants a merge for its answers, which goes on by `merge_on`; when half of it is, it wants them at once.  A page for
    which there is no room is written at once by who asks; that it had its document is noted, for a bounded number of
    pages of a superstep.
    """

    def __init__(self, content_seen: ContentSeen, spool: PageSpool) -> None:
        self._content_seen = content_seen
        self._spool = spool
        self._questions: list[ContentQuestion] = []
        self._noted: list[ContentQuestion] = []

    def __len__(self) -> int:
        return len(self._spool)

    def add(self, page: PendingPage) -> bool:
        """Let a page wait; False if there is no room, and it is only noted that it has its document."""
        if self._spool.append(page):
            self._questions.append(_question(page))
            return True
        if len(self._noted) < _MOST_NOTED:
            self._noted.append(_question(page))
        return False

    def tell(self, exchange: Asking, pages: Sequence[ContentQuestion]) -> bool:
        """As `crawler.intake.duplicates.content_seen.ContentSeen.tell`, of pages that are recorded already."""
        return self._content_seen.tell(exchange, pages)

    def settle(self, exchange: Asking, *, wants_all: bool) -> Iterator[tuple[PendingPage, First | None]]:
        """Each page that need not wait any longer, in order of arrival, with the first one that had its document.

        All ranks call this together; if one of them ``wants_all``, no page waits afterwards on any.  The pages are
        taken as they are looped over: to the end, before another is added.
        """
        self._spool.extend(SPOOL_BYTES_OF_A_DOCUMENT * len(self._content_seen))
        taken = self._spool.taken
        wants = Wanted.MERGE if taken >= _MERGE_FROM else Wanted.ANSWERS
        if wants_all or taken >= _ALL_FROM:
            wants = Wanted.ALL_NOW
        questions, noted, self._questions, self._noted = self._questions, self._noted, [], []
        answers = self._content_seen.ask(exchange, questions, noted, wants=wants)
        return self._told(answers)

    @property
    def is_merging(self) -> bool:
        """Is there a merge to go on with, of what this rank remembers for all?"""
        return self._content_seen.is_merging

    @property
    def merge_lag(self) -> float:
        """How far it is behind the questions that came since, or behind the spool, which is not to become half full.

        As `crawler.drum.drum.Drum` has it; all ranks' spools are taken to be as full as this one's.
        """
        content_seen = self._content_seen
        if not content_seen.is_merging:
            return NOT_MERGING
        has_come = (self._spool.taken - _MERGE_FROM) / (_MERGED_BY - _MERGE_FROM)
        return max(content_seen.merge_lag, has_come - content_seen.merge_done)

    def merge_on(self) -> None:
        """Do a piece of the merge that was begun."""
        self._content_seen.merge_on()

    def close(self) -> None:
        """The crawl has ended: let go of what is known of documents."""
        self._content_seen.close()

    def _told(self, answers: Settled) -> Iterator[tuple[PendingPage, First | None]]:
        for page, known in zip(self._spool.take(len(answers)), answers, strict=True):
            yield page, known.first_with(_question(page)) if known is not None else None


def _question(page: PendingPage) -> ContentQuestion:
    row, exchange = page.row, page.exchange
    assert row.content_digest is not None
    assert exchange.payload_digest is not None
    return ContentQuestion(row.content_digest, exchange.payload_digest, row.hash, row.url, exchange.fetched)

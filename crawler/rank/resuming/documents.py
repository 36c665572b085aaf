"""Which documents have come: a page with one that an earlier run has stored is a duplicate, and not stored again."""

from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from crawler.exchange.asking import Asking
from crawler.intake.duplicates.content_messages import ContentQuestion

COLUMNS = (
    "url",
    "hash",
    "status",
    "content_digest",
    "payload_digest",
    "fetched",
    "truncated",
    "error",
    "warc_file",
    "duplicate_of",
)
"""Those of the pages table that have to be read."""
PAGES_AT_ONCE = 1 << 14
"""So many pages are told of in one exchange, or some more."""
_OK = 200
_MICROSECONDS = 1e6


class Telling(Protocol):
    """Who passes on which documents have come: `crawler.intake.duplicates.pending_pages`, or what it asks."""

    def tell(self, exchange: Asking, pages: list[ContentQuestion]) -> bool:
        """As `crawler.intake.duplicates.content_seen.ContentSeen.tell`."""
        ...


def tell_of_documents(
    batches: Iterable[pa.RecordBatch], telling: Telling, exchange: Asking, *, stores_bodies: bool
) -> None:
    """Tell those who remember documents of all that stand in rows of the pages table.

    All ranks call this together, each with rows that no other has, or with none, before any page has come.
    """
    for pages in chain(_in_lots(batches, stores_bodies), repeat([])):
        if not telling.tell(exchange, pages):
            return


def _in_lots(batches: Iterable[pa.RecordBatch], stores_bodies: bool) -> Iterator[list[ContentQuestion]]:
    pages: list[ContentQuestion] = []
    for batch in batches:
        pages += _compared(batch, stores_bodies)
        if len(pages) >= PAGES_AT_ONCE:
            yield pages
            pages = []
    if pages:  # no lot is empty: where all ranks had one, that would be the end
        yield pages


def _compared(batch: pa.RecordBatch, stores_bodies: bool) -> Iterator[ContentQuestion]:
    """The pages that were the first with their documents, or were not compared for want of room."""
    of = batch.column
    is_whole = pc.and_(pc.equal(of("status"), _OK), pc.is_valid(of("content_digest")))
    for name in ("truncated", "error", "duplicate_of"):
        is_whole = pc.and_(is_whole, pc.is_null(of(name)))
    if stores_bodies:  # what is not kept is not compared
        is_whole = pc.and_(is_whole, pc.is_valid(of("warc_file")))
    its = pa.Table.from_batches([batch.filter(is_whole)])
    payloads = pc.coalesce(its["payload_digest"], its["content_digest"])
    dates = its["fetched"].cast(pa.int64()).to_numpy() / _MICROSECONDS
    columns = [column.to_pylist() for column in (its["content_digest"], payloads, its["hash"], its["url"])]
    return map(ContentQuestion, *columns, dates.tolist())

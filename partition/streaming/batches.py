"""A session's pages and links in batches on disk, of which one at a time is read.

A link lies with the batch of its source, and once more with that of its target if that is another.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from partition.graphs.link_graph import Numbers
from partition.map.spilled_batches import SpilledBatches
from partition.streaming.ordered_pages import OrderedPages, ordered_pages
from sessions.hash_arrays import distinct, grouped, places
from sessions.session import Session, damage_told

BATCH_PAGES = 1 << 16
"""Pages of a batch, about: larger ones are cut better and take more memory."""

_MOST_PENDING = 1 << 22
_SCHEMA = pa.schema([("source", pa.int32()), ("target", pa.int32())])
_NOWHERE = -1


@dataclass(frozen=True)
class Batches:
    """A web in batches: `OrderedPages`, with links as pairs of page numbers, perhaps more than once.

    Attributes:
        pages: the pages.
        leaving: links in the group of their source's batch.
        coming: links between batches in the group of their target's.
    """

    pages: OrderedPages
    leaving: SpilledBatches
    coming: SpilledBatches

    def __len__(self) -> int:
        return len(self.pages.offsets) - 1

    def span(self, batch: int) -> tuple[int, int]:
        """The number of the batch's first page, and how many pages it has."""
        first, end = self.pages.offsets[batch : batch + 2].tolist()
        return first, end - first

    def rows(self, batch: int) -> pa.RecordBatch:
        """URLs, hashes and bytes of the batch's pages."""
        (rows,) = self.pages.spilled.batches(batch)
        return rows

    def bytes(self, batch: int) -> Numbers:
        """How many bytes of each of the batch's pages were received, int64[m]."""
        sizes: Numbers = self.rows(batch)["bytes"].to_numpy()
        return sizes

    def links_from(self, batch: int) -> tuple[Numbers, Numbers]:
        """The distinct links from the batch's pages: source, from 0 in the batch, and target, in all; int64[l]."""
        first, _ = self.span(batch)
        count = len(self.pages)
        keys = distinct_of((sources - first) * count + targets for sources, targets in _ends(self.leaving, batch))
        return keys // count, keys % count

    def inner_links(self, batch: int) -> tuple[Numbers, Numbers]:
        """The distinct links within the batch: source and target, both from 0 in the batch; int64[l]."""
        first, count = self.span(batch)
        sources, targets = self.links_from(batch)
        is_inner = (targets >= first) & (targets < first + count)
        return sources[is_inner], targets[is_inner] - first

    def links_to(self, batch: int) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield links from other batches in pieces, perhaps more than once: source, in all, and target, from 0."""
        first, _ = self.span(batch)
        for sources, targets in _ends(self.coming, batch):
            yield sources, targets - first


@contextmanager
def in_batches(session: Session, folder: Path, batch_pages: int = BATCH_PAGES) -> Iterator[Batches]:
    """Bring a session's pages and links into batches, on files in ``folder`` that are gone at the end.

    In memory are 32 bytes for each page while links are sorted, 12 then.  Raises GraphError if there are no pages,
    SessionError if files are damaged.
    """
    with ExitStack() as files:
        with damage_told(session.path):
            pages = ordered_pages(session, batch_pages, folder, files)
            leaving = files.enter_context(SpilledBatches(folder / "links-leaving", _SCHEMA))
            coming = files.enter_context(SpilledBatches(folder / "links-coming", _SCHEMA))
            _sort_links(session, pages, leaving, coming)
        yield Batches(pages, leaving, coming)


def distinct_of(pieces: Iterable[Numbers]) -> Numbers:
    """The distinct numbers of all pieces, ascending; in memory are about as many as those, not as all."""
    known, pending, waiting = np.empty(0, np.int64), [], 0
    for piece in pieces:
        pending.append(piece)
        waiting += len(piece)
        if waiting > max(_MOST_PENDING, len(known)):
            known, pending, waiting = distinct(np.concatenate([known, *pending])), [], 0
    return distinct(np.concatenate([known, *pending]))


def _ends(spilled: SpilledBatches, batch: int) -> Iterator[tuple[Numbers, Numbers]]:
    for links in spilled.batches(batch):
        yield links["source"].to_numpy().astype(np.int64), links["target"].to_numpy().astype(np.int64)


def _sort_links(session: Session, pages: OrderedPages, leaving: SpilledBatches, coming: SpilledBatches) -> None:
    order = np.argsort(pages.hashes)
    hashes, numbers = pages.hashes[order], order.astype(np.int32)
    del order
    for _, table in session.row_groups("links", ["source", "target"], 0, 1):
        at = places(table["source"].to_numpy(), hashes), places(table["target"].to_numpy(), hashes)
        is_link = (at[0] != _NOWHERE) & (at[1] != _NOWHERE) & (at[0] != at[1])
        sources, targets = (numbers[end[is_link]] for end in at)
        from_batches, to_batches = (
            np.searchsorted(pages.offsets, ends, side="right") - 1 for ends in (sources, targets)
        )
        _put(leaving, from_batches, sources, targets, len(pages.offsets) - 1)
        crosses = from_batches != to_batches
        _put(coming, to_batches[crosses], sources[crosses], targets[crosses], len(pages.offsets) - 1)


def _put(spilled: SpilledBatches, groups: Numbers, sources: Numbers, targets: Numbers, count: int) -> None:
    order, begins = grouped(groups, count)
    for group in np.flatnonzero(np.diff(begins)).tolist():
        some = order[begins[group] : begins[group + 1]]
        spilled.put([sources[some], targets[some]], group)

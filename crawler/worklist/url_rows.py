"""One pass over all URLs, with what is known of each beside it: which are listed, and with what priority.

A URL that was visited is *old*, unless it is gone.  One that was discovered, has no page in any session and was
filtered by none is *new*.  All others are in no list.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.worklist.formulas import Formula, UrlFacts
from crawler.worklist.global_order import descending
from crawler.worklist.rows import KINDS, NEW, OF_OLD, OLD, SCHEMA
from crawler.worklist.sorted_streams import SortedLookup, firsts_of_groups
from crawler.worklist.table_share import TableShare
from partition.assignment.assignment import Assignment
from partition.graphs.link_graph import PLACEHOLDER_HOST
from sessions.schema import FILTERED
from sessions.session import SessionError
from sessions.url import Hashes

URLS = pa.schema([("hash", pa.uint64()), ("url", pa.large_string())])
FILTERED_URLS = pa.schema([("hash", pa.uint64())])
ORDERED_ROWS = pa.schema(
    [
        ("by_priority", pa.uint64()),
        ("by_age", pa.uint64()),
        ("hash", pa.uint64()),
        ("url", pa.large_string()),
        ("in_degree", pa.int64()),
        ("out_degree", pa.int64()),
        ("change", pa.float64()),
        ("age", pa.float64()),
        ("visits", pa.int64()),
        ("last", pa.int64()),
        ("priority", pa.float64()),
        ("part", pa.uint16()),
    ]
)
"""Rows of a worklist with their keys, and zeros where such a row has nulls."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_STAND_IN = f"http://{PLACEHOLDER_HOST}/"

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class RankingRules(Protocol):
    """What is asked of the settings of a worklist."""

    @property
    def now(self) -> datetime:
        """Up to when ages are counted."""
        ...

    @property
    def crawl_seconds(self) -> float:
        """The unit of ages, in seconds."""
        ...

    @property
    def formula(self) -> Formula:
        """What gives priorities."""
        ...


@dataclass
class Figures:
    """What a worklist tells of this rank's URLs: of all, and of the old ones that were visited again."""

    urls: int = 0
    real_urls: int = 0
    visited_again: int = 0
    kept_links: int = 0
    without_links: int = 0


class Beside(NamedTuple):
    """What is known of URLs beside their fetches; where there is nothing, it is 0."""

    link_sums: SortedLookup
    in_degrees: SortedLookup
    page_ranks: SortedLookup
    rates: SortedLookup


@dataclass(frozen=True)
class FetchedUrls:
    """Some URLs by ascending hash; ``facts`` are those of their fetches (`FETCH_FACTS`), zeros where there are none."""

    hashes: Hashes
    urls: pa.Array
    facts: pa.RecordBatch
    is_new: Mask
    is_old: Mask


def read_urls(share: TableShare) -> Iterator[pa.RecordBatch]:
    """Yield this rank's share of the URLs that were discovered."""
    for rows in share.read("urls", ["hash", "url"], ["hash", "url"]):
        columns = [rows.batch["hash"], rows.batch["url"].cast(pa.large_string())]
        yield pa.RecordBatch.from_arrays(columns, schema=URLS)


def read_filtered(share: TableShare) -> Iterator[pa.RecordBatch]:
    """Yield this rank's share of the URLs that were filtered."""
    for rows in share.read("outcomes", ["hash", "state"], ["hash", "state"]):
        is_filtered = pc.equal(rows.batch["state"], FILTERED)
        yield pa.RecordBatch.from_arrays([rows.batch["hash"].filter(is_filtered)], schema=FILTERED_URLS)


class UrlsByHash:
    """All URLs of this rank by ascending hash, each once; ``visited`` is how many of them were.

    Iterating raises SessionError if fewer are there.
    """

    def __init__(
        self, urls: Iterable[pa.RecordBatch], facts: SortedLookup, filtered: SortedLookup, visited: int
    ) -> None:
        self._urls, self._facts, self._filtered, self._visited = urls, facts, filtered, visited

    def __iter__(self) -> Iterator[FetchedUrls]:
        visited = 0
        for batch in firsts_of_groups(self._urls):
            hashes = batch["hash"].to_numpy()
            was_fetched, facts = self._facts.rows(hashes)
            was_filtered, _ = self._filtered.rows(hashes)
            was_visited = facts["visits"].to_numpy() > 0
            visited += int(was_visited.sum())
            yield FetchedUrls(hashes, batch["url"], facts, ~(was_fetched | was_filtered), was_visited)
        if visited < self._visited:
            raise SessionError(
                f"{self._visited - visited:,} pages of the sessions are in no urls table; cutweb check tells more"
            )


def url_rows(
    known: UrlsByHash,
    beside: Beside,
    ranking: RankingRules,
    assignment: Assignment | None,
    figures: Figures,
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield new and old URLs with their priorities, records of `ORDERED_ROWS`, and their kind; count ``figures``."""
    now = (ranking.now - _EPOCH) // _MICROSECOND
    for batch in known:
        figures.urls += len(batch.urls)
        figures.real_urls += len(batch.urls) - pc.sum(pc.starts_with(batch.urls, _STAND_IN), min_count=0).as_py()
        rows, either = _ranked(batch, beside, now, ranking)
        is_listed = {NEW: batch.is_new, OLD: batch.is_old & (batch.facts["is_gone"].to_numpy() == 0)}
        _count(figures, rows, either, is_listed[OLD])
        for kind in KINDS:
            found = rows.filter(pa.array(is_listed[kind]))
            if found.num_rows:
                yield kind, found if assignment is None else _with_parts(found, assignment)


def _ranked(
    batch: FetchedUrls,
    beside: Beside,
    now: int,
    ranking: RankingRules,
) -> tuple[pa.RecordBatch, Numbers]:
    """The rows of all URLs of a batch, listed or not, and how many links each had at either of its last two visits."""
    links, degrees, rank, rate = (lookup.rows(batch.hashes)[1] for lookup in beside)
    either, last = links["either"].to_numpy(), batch.facts["last"].to_numpy()
    facts = UrlFacts(
        in_degree=degrees["in_degree"].to_numpy(),
        out_degree=links["latest"].to_numpy(),
        change=np.where(batch.is_old, _changes(links["both"].to_numpy(), either), 0.0),
        age=np.where(batch.is_old, (now - last) / (ranking.crawl_seconds * 1e6), 0.0),
        page_rank=rank["page_rank"].to_numpy(),
        has_changed=rate["has_changed"].to_numpy(),
        worth=rate["worth"].to_numpy(),
    )
    priority = np.where(batch.is_old, ranking.formula.old(facts), ranking.formula.new(facts))
    columns = {
        "by_priority": descending(priority),
        "by_age": descending(facts.age),
        "hash": batch.hashes,
        "url": batch.urls,
        "in_degree": facts.in_degree,
        "out_degree": facts.out_degree,
        "change": facts.change,
        "age": facts.age,
        "visits": batch.facts["visits"],
        "last": last,
        "priority": priority,
        "part": np.zeros(len(priority), np.uint16),
    }
    arrays = [pa.array(columns[field.name], field.type) for field in ORDERED_ROWS]
    return pa.RecordBatch.from_arrays(arrays, schema=ORDERED_ROWS), either


def _changes(both: Numbers, either: Numbers) -> npt.NDArray[np.float64]:
    """The share of links that are in one of two sets only; 1 if there are none at all."""
    return 1.0 - np.divide(both, either, out=np.zeros(len(both)), where=either > 0)


def _count(figures: Figures, rows: pa.RecordBatch, either: Numbers, is_listed: Mask) -> None:
    is_again = is_listed & (rows["visits"].to_numpy() > 1)
    figures.visited_again += int(is_again.sum())
    figures.kept_links += int((is_again & (rows["change"].to_numpy() == 0)).sum())
    figures.without_links += int((is_again & (either == 0)).sum())


def _with_parts(rows: pa.RecordBatch, assignment: Assignment) -> pa.RecordBatch:
    parts = assignment.owners(rows["hash"].to_numpy(), rows["url"].to_pylist()).astype(np.uint16)
    return rows.set_column(ORDERED_ROWS.get_field_index("part"), "part", pa.array(parts))


def as_rows(batches: Iterable[pa.RecordBatch], kind: str, *, has_parts: bool) -> Iterator[pa.RecordBatch]:
    """Yield records of `ORDERED_ROWS` of one kind as rows of a worklist."""
    for batch in batches:
        count = batch.num_rows
        columns = {name: batch[name] for name in SCHEMA.names if name in batch.schema.names}
        columns |= {"url": batch["url"].cast(pa.string()), "kind": pa.repeat(kind, count)}
        columns["last"] = batch["last"].cast(SCHEMA.field("last").type)
        if kind == NEW:
            columns |= {name: pa.nulls(count, SCHEMA.field(name).type) for name in OF_OLD}
        if not has_parts:
            columns["part"] = pa.nulls(count, pa.uint16())
        yield pa.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)

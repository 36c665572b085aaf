"""What is known of each URL's fetches: how often it was visited, when it was fetched last, whether it is gone.

A *fetch* is a row of a pages table, whatever the answer.  A *visit* is a fetch that brought the page: with status 200,
or with 304 where the crawl had asked whether the page has changed.  Fetches of a URL are told apart by when their
session began, then by their own start.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64_intdigest

from crawler.worklist.sorted_streams import group_starts
from crawler.worklist.table_share import MOST_RANKS, TableRows, TableShare
from sessions.hash_arrays import are_last

FETCHES = pa.schema(
    [
        ("hash", pa.uint64()),
        ("session", pa.uint64()),
        ("start", pa.uint64()),
        ("place", pa.uint64()),
        ("place_of_links", pa.uint32()),
        ("answer", pa.uint8()),
        ("digest", pa.uint64()),
        ("site", pa.uint64()),
    ]
)
"""Fetches.  ``start`` is in microseconds since 1970 plus 2^63, ``place`` the row among all pages tables,
``place_of_links`` names session and folder in which the links of the page stand, ``digest`` is the start of the
content's, 0 if it has none."""
FETCH_KEYS = ("hash", "session", "start", "place")

FETCH_FACTS = pa.schema(
    [
        ("hash", pa.uint64()),
        ("visits", pa.int64()),
        ("last", pa.int64()),
        ("latest", pa.uint32()),
        ("previous", pa.uint32()),
        ("is_gone", pa.int8()),
        ("site", pa.uint64()),
    ]
)
"""What the fetches of a URL amount to.  ``last`` is the start of the last one, in microseconds since 1970; ``latest``
and ``previous`` are the ``place_of_links`` of the last two visits, or `NO_VISIT`."""
NO_VISIT = 0xFFFFFFFF

VISIT, UNCHANGED, GONE, OTHER = range(4)
_COLUMNS = ("hash", "status", "fetched", "unchanged_since", "content_digest", "site", "url")
_DIGEST_BYTES = 8
_SIGN = np.uint64(1 << 63)
"""Flipped, it makes whole numbers of 64 bits ascend where those with a sign do."""


def read_fetches(share: TableShare, *, with_sites: bool) -> Iterator[pa.RecordBatch]:
    """Yield this rank's share of all fetches; sites are 0 unless ``with_sites``.  Raises SessionError if damaged."""
    columns = [name for name in _COLUMNS if name != "url" and (with_sites or name != "site")]
    for rows in share.read("pages", columns, ["hash", "status", "fetched"]):
        yield _fetches(rows, with_sites=with_sites)


def _fetches(rows: TableRows, *, with_sites: bool) -> pa.RecordBatch:
    batch, count = rows.batch, rows.batch.num_rows
    columns = [
        batch["hash"].to_numpy(),
        np.full(count, rows.session, np.uint64),
        batch["fetched"].cast(pa.int64()).to_numpy().view(np.uint64) ^ _SIGN,
        np.arange(rows.first, rows.first + count, dtype=np.uint64),
        np.full(count, rows.session * MOST_RANKS + rows.rank, np.uint32),
        _answers(batch),
        _digests(batch["content_digest"]),
        _site_hashes(batch["site"]) if with_sites else np.zeros(count, np.uint64),
    ]
    return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=FETCHES)


def _answers(batch: pa.RecordBatch) -> npt.NDArray[np.uint8]:
    status = batch["status"].to_numpy()
    was_asked_for = batch["unchanged_since"].is_valid().to_numpy(zero_copy_only=False)
    answers = np.full(len(status), OTHER, np.uint8)
    answers[status == 200] = VISIT
    answers[(status == 304) & was_asked_for] = UNCHANGED
    answers[(status == 404) | (status == 410)] = GONE
    return answers


def _digests(column: pa.Array) -> npt.NDArray[np.uint64]:
    leading = pc.binary_slice(column.cast(pa.binary()), 0, _DIGEST_BYTES).fill_null(bytes(_DIGEST_BYTES))
    return np.frombuffer(b"".join(leading.to_pylist()), np.uint64)


def _site_hashes(column: pa.Array) -> npt.NDArray[np.uint64]:
    names = column.fill_null("").dictionary_encode()
    hashes = np.array([xxh3_64_intdigest(name.encode()) for name in names.dictionary.to_pylist()], np.uint64)
    return hashes[names.indices.to_numpy()] if len(hashes) else np.empty(0, np.uint64)


def start_of(fetches: pa.RecordBatch) -> npt.NDArray[np.int64]:
    """Return when fetches began, in microseconds since 1970: int64[n]."""
    starts: npt.NDArray[np.int64] = (fetches["start"].to_numpy() ^ _SIGN).view(np.int64)
    return starts


def facts_of(batch: pa.RecordBatch, gone: int) -> pa.RecordBatch:
    """Return what the fetches of some URLs amount to, if all of theirs are in one batch, sorted by `FETCH_KEYS`.

    A URL is gone after ``gone`` fetches in a row that were answered so.
    """
    starts = group_starts(batch, "hash")
    ends = np.append(starts[1:], batch.num_rows)
    answers = batch["answer"].to_numpy()
    is_visit = answers <= UNCHANGED
    from_end = np.repeat(ends, ends - starts) - np.arange(batch.num_rows)
    late_gone = np.add.reduceat(((answers == GONE) & (from_end <= gone)).astype(np.int64), starts)
    latest, previous = _last_two_visits(batch, is_visit, len(starts), starts)
    columns = [
        batch["hash"].to_numpy()[starts],
        np.add.reduceat(is_visit.astype(np.int64), starts),
        start_of(batch)[ends - 1],
        latest,
        previous,
        (late_gone == gone).astype(np.int8),
        batch["site"].to_numpy()[ends - 1],
    ]
    return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=FETCH_FACTS)


def _last_two_visits(
    batch: pa.RecordBatch, is_visit: npt.NDArray[np.bool_], count: int, starts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Where the links of the last visit, and of the one before, of each URL stand; `NO_VISIT` without one."""
    urls = np.repeat(np.arange(count), np.diff(np.append(starts, batch.num_rows)))[is_visit]
    places = batch["place_of_links"].to_numpy()[is_visit]
    latest, previous = np.full(count, NO_VISIT, np.uint32), np.full(count, NO_VISIT, np.uint32)
    is_last = are_last(urls)
    latest[urls[is_last]] = places[is_last]
    has_earlier = np.flatnonzero(is_last)
    has_earlier = has_earlier[has_earlier > 0]
    has_earlier = has_earlier[urls[has_earlier - 1] == urls[has_earlier]]
    previous[urls[has_earlier]] = places[has_earlier - 1]
    return latest, previous

"""The pages of a session on disk in the order of `partition.shares.page_order`, in batches, by one sort outside memory.

A sample of the URLs says where batches begin, as in sample sort (Frazer and McKellar, "Samplesort", JACM 1970); each
page goes to the file of its batch, and each batch is sorted by itself.
"""

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.graphs.link_graph import GraphError, Numbers
from partition.map.spilled_batches import SpilledBatches
from partition.shares.page_order import are_stand_ins, order_keys
from sessions.analysis.last_fetches import last_rows
from sessions.hash_arrays import firsts, places
from sessions.session import Session
from sessions.url import Hashes

_EVERY, _LEAST_PER_BATCH = 256, 16
"""One of so many URLs is in the sample, or more where batches are small."""

_SCHEMA = pa.schema([("url", pa.large_string()), ("hash", pa.uint64()), ("bytes", pa.int64())])


@dataclass(frozen=True)
class OrderedPages:
    """n pages, numbered in their order; b batches.

    Attributes:
        offsets: int64[b + 1]; batch i has the pages from number ``offsets[i]`` up to ``offsets[i + 1]``.
        hashes: uint64[n].
        url_bytes: int32[n], what a link to each page costs: the length of its URL, or 1 if it has none of its own.
        has_urls: False if the session's pages were imported as bare numbers.
        spilled: canonical URLs, hashes and bytes as received, in a group for each batch.
    """

    offsets: Numbers
    hashes: Hashes
    url_bytes: npt.NDArray[np.int32]
    has_urls: bool
    spilled: SpilledBatches

    def __len__(self) -> int:
        return len(self.hashes)


def ordered_pages(session: Session, batch_pages: int, folder: Path, files: ExitStack) -> OrderedPages:
    """Sort a session's pages into batches of about ``batch_pages``, on files in ``folder`` that ``files`` closes.

    A page that was fetched more than once is there once, with the bytes of the last fetch.  Raises GraphError if there
    are no pages.
    """
    splitters, has_urls = _splitters(session, batch_pages)
    in_order = files.enter_context(SpilledBatches(folder / "pages", _SCHEMA))
    hashes: list[Hashes] = []
    url_bytes: list[npt.NDArray[np.int32]] = []
    with SpilledBatches(folder / "unordered-pages", _SCHEMA) as unordered:
        for urls, its_hashes, sizes in _rows(session):
            order, begins = _by_batch(order_keys(urls, has_urls=has_urls), splitters)
            for batch in np.flatnonzero(np.diff(begins)).tolist():
                some = order[begins[batch] : begins[batch + 1]]
                unordered.put([urls.take(pa.array(some)), its_hashes[some], sizes[some]], batch)
        for batch in range(len(splitters) + 1):
            urls, its_hashes, sizes = _sorted(list(unordered.batches(batch)), has_urls)
            if len(its_hashes):
                in_order.put([urls, its_hashes, sizes], len(hashes))
                hashes.append(its_hashes)
                lengths = pc.binary_length(urls).to_numpy() if has_urls else np.ones(len(urls))
                url_bytes.append(lengths.astype(np.int32))
    if not hashes:
        raise GraphError(f"{session.path}: no pages were downloaded, so there is nothing to cut")
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in hashes]))).astype(np.int64)
    return OrderedPages(offsets, np.concatenate(hashes), np.concatenate(url_bytes), has_urls, in_order)


def _rows(session: Session) -> Iterator[tuple[pa.Array, Hashes, Numbers]]:
    """Yield URLs, hashes and bytes of the rows of the pages table, in their order."""
    for _, table in session.row_groups("pages", ["url", "hash", "bytes"], 0, 1):
        sizes = np.maximum(pc.fill_null(table["bytes"], 0).to_numpy(), 0)
        yield table["url"].cast(pa.large_string()).combine_chunks(), table["hash"].to_numpy(), sizes


def _splitters(session: Session, batch_pages: int) -> tuple[list[bytes], bool]:
    """The keys at which the second and later batches begin; and whether any page has a URL."""
    count, has_urls, sampled = 0, False, []
    every = max(1, min(_EVERY, batch_pages // _LEAST_PER_BATCH))
    for _, table in session.row_groups("pages", ["url"], 0, 1):
        urls = table["url"].cast(pa.large_string()).combine_chunks()
        has_urls = has_urls or not are_stand_ins(urls)
        sampled.append(urls.take(pa.array(np.arange(0, len(urls), every))))
        count += len(urls)
    batches = -(-count // batch_pages)
    if batches < 2:
        return [], has_urls
    keys = sorted(key.encode() for key in order_keys(pa.concat_arrays(sampled), has_urls=has_urls).to_pylist())
    return [keys[len(keys) * batch // batches] for batch in range(1, batches)], has_urls


def _by_batch(keys: pa.Array, splitters: list[bytes]) -> tuple[Numbers, list[int]]:
    """The order of keys, int64[n], and where in it the keys of each batch begin; one more for the end."""
    order = pc.sort_indices(keys).to_numpy().astype(np.int64)
    first = [
        bisect_left(range(len(order)), splitter, key=lambda place: keys[int(order[place])].as_py().encode())
        for splitter in splitters
    ]
    return order, [0, *first, len(order)]


def _sorted(pieces: list[pa.RecordBatch], has_urls: bool) -> tuple[pa.Array, Hashes, Numbers]:
    """A batch's distinct pages in order, with the bytes of their last rows."""
    table = pa.Table.from_batches(pieces, _SCHEMA).combine_chunks()
    rows = table["hash"].to_numpy()
    first, last = firsts(rows), last_rows(rows)
    urls = table["url"].combine_chunks().take(pa.array(first)) if len(rows) else pa.array([], pa.large_string())
    hashes = rows[first]
    sizes = table["bytes"].to_numpy()[last][places(hashes, rows[last])]
    keyed = pa.table({"key": order_keys(urls, has_urls=has_urls), "hash": hashes})
    order = pc.sort_indices(keyed, [("key", "ascending"), ("hash", "ascending")]).to_numpy()
    return urls.take(pa.array(order)), hashes[order], sizes[order]

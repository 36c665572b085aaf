"""The rows of a session's tables without those of forgotten sites."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sessions.forgetting.bodies import RewrittenWarc
from sessions.forgetting.books import Lost
from sessions.forgetting.gone import Gone, Mask
from sessions.forgetting.heirs import Heirs
from sessions.hash_arrays import places
from sessions.schema import TABLES
from sessions.url import site_of


class RemainingRows:
    """Takes a batch of rows of a table to what is left of it, and tells ``lost`` what is not.

    ``warcs`` are the rank's WARC files, by name.
    """

    def __init__(self, gone: Gone, heirs: Heirs, warcs: Mapping[str, RewrittenWarc], lost: Lost) -> None:
        self._gone = gone
        self._heirs = heirs
        self._warcs = warcs
        self._lost = lost

    def left_of(self, table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
        """What is left of a batch of a table."""
        is_gone = _TELLS[table](self._gone, batch) if table in _TELLS else np.zeros(batch.num_rows, np.bool_)
        self._count(table, batch.filter(pa.array(is_gone)))
        left = batch.filter(pa.array(~is_gone))
        if table == "pages":
            return self._pages(left)
        return self._robots(left) if table == "robots" else left

    def _count(self, table: str, rows: pa.RecordBatch) -> None:
        match table:
            case "pages":
                self._lost.pages(rows)
            case "outcomes":
                self._lost.outcomes(rows)
            case "frontier":
                self._lost.frontier(rows)
            case "urls":
                self._lost.rows("discovered", rows.num_rows)
            case "links":
                self._lost.rows("links", rows.num_rows)
            case "external_sites":
                self._lost.rows("links_out_of_scope", sum(rows["links"].to_pylist()))

    def _pages(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Pages: each knows where its record stands now, and whose duplicate it is."""
        is_duplicate = rows["duplicate_of"].is_valid().to_numpy(zero_copy_only=False)
        firsts = rows["duplicate_of"].fill_null(0).to_numpy()
        now, is_first = self._heirs.duplicate_of(rows["hash"].to_numpy(), firsts)
        self._lost.rows("duplicates", int(np.count_nonzero(is_duplicate & is_first)))
        rows = _with(rows, "duplicate_of", pa.array(now, pa.uint64(), mask=~is_duplicate | is_first))
        redirects = [url if url is None or not self._gone.url(url) else None for url in rows["redirect"].to_pylist()]
        return _with(_with(rows, "redirect", redirects), "warc_offset", self._offsets(rows))

    def _offsets(self, rows: pa.RecordBatch) -> pa.Array:
        files = np.array(rows["warc_file"].to_pylist(), object)
        offsets = rows["warc_offset"].fill_null(-1).to_numpy().copy()
        for name in {name for name in files if name is not None}:
            warc, of_file = self._warcs[name], files == name
            found = places(offsets[of_file], warc.before)
            if (found < 0).any():
                raise ValueError(f"{name}: a page names an offset at which there is no record")
            offsets[of_file] = warc.now[found]
        return pa.array(offsets, pa.int64(), mask=np.array([name is None for name in files], np.bool_))

    def _robots(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        sitemaps = [
            [url for url in urls if not self._gone.url(url)] if urls is not None else None
            for urls in rows["sitemaps"].to_pylist()
        ]
        return _with(rows, "sitemaps", sitemaps)


def _by_hash(gone: Gone, batch: pa.RecordBatch) -> Mask:
    return gone.among(batch["hash"].to_numpy())


def _links(gone: Gone, batch: pa.RecordBatch) -> Mask:
    return gone.among(batch["source"].to_numpy()) | gone.among(batch["target"].to_numpy())


def _sites(*columns: str) -> Callable[[Gone, pa.RecordBatch], Mask]:
    def tells(gone: Gone, batch: pa.RecordBatch) -> Mask:
        rows = zip(*(batch[column].to_pylist() for column in columns), strict=True)
        return np.array([any(map(gone.has_site, row)) for row in rows], np.bool_)

    return tells


def _robots_files(gone: Gone, batch: pa.RecordBatch) -> Mask:
    rows = zip(batch["origin"].to_pylist(), batch["url"].to_pylist(), strict=True)
    return np.array([gone.has_site(site_of(f"{origin}/")) or gone.url(url) for origin, url in rows], np.bool_)


def _external_urls(gone: Gone, batch: pa.RecordBatch) -> Mask:
    return gone.among(batch["source"].to_numpy()) | gone.urls(batch["url"].to_pylist())


_TELLS: dict[str, Callable[[Gone, pa.RecordBatch], Mask]] = {
    "pages": _by_hash,
    "links": _links,
    "urls": _by_hash,
    "nearer": _by_hash,
    "outcomes": _by_hash,
    "frontier": _by_hash,
    "robots": _robots_files,
    "rests": _sites("site"),
    "external_sites": _sites("source_site", "target_site"),
    "external_urls": _external_urls,
}
"""By table, what tells which of its rows are forgotten; of other tables none is."""


def _with(rows: pa.RecordBatch, column: str, values: Any) -> pa.RecordBatch:
    kind = TABLES["robots" if column == "sitemaps" else "pages"].field(column).type
    array = values if isinstance(values, pa.Array) else pa.array(values, kind)
    return rows.set_column(rows.schema.get_field_index(column), rows.schema.field(column), array)

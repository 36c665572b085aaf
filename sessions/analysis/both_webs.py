"""The pages of two sessions of a web side by side, for `sessions.analysis.difference` to count."""

from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.analysis.difference_figures import BINS, Numbers
from sessions.hash_arrays import distinct, hashes_of, places
from sessions.session import Session
from sessions.url import Hashes

Mask = npt.NDArray[np.bool_]


def mask_of(answers: pa.ChunkedArray) -> Mask:
    """Where the answer is yes; null is no."""
    mask: Mask = pc.fill_null(answers, False).to_numpy()
    return mask


class BothWebs:
    """The n pages of either session, by ascending hash, and their sites."""

    def __init__(self, a: pa.Table, b: pa.Table) -> None:
        self.a, self.b = a, b
        in_a, in_b = (hashes_of(table, "hash") for table in (a, b))
        self.hashes = distinct(np.concatenate([in_a, in_b]))
        self._row_in_a, self._row_in_b = places(self.hashes, in_a), places(self.hashes, in_b)
        self.is_in_a, self.is_in_b = self._row_in_a >= 0, self._row_in_b >= 0
        self.is_kept = self.is_in_a & self.is_in_b
        self.site_names, self._sites = self._numbered_sites()

    @cached_property
    def kept(self) -> Numbers:
        """The pages that both sessions have."""
        return np.flatnonzero(self.is_kept)

    @cached_property
    def kept_in_a(self) -> pa.Table:
        """Their rows in a; in the same order as those in b."""
        return self.a.take(pa.array(self._row_in_a[self.kept]))

    @cached_property
    def kept_in_b(self) -> pa.Table:
        """Their rows in b."""
        return self.b.take(pa.array(self._row_in_b[self.kept]))

    def count(self, pages: Mask | Numbers) -> Numbers:
        """How many of these pages each site has."""
        return np.bincount(self._sites[pages], minlength=len(self.site_names))

    def answered(self, session: Literal["a", "b"], status: int) -> Numbers:
        """How many pages of each site a session has whose status is from this one on, less than 100 above it."""
        rows, pages = (self.a, self.is_in_a) if session == "a" else (self.b, self.is_in_b)
        is_such = mask_of(pc.equal(pc.divide(rows["status"], 100), status // 100))
        return self.count(np.flatnonzero(pages)[is_such])

    def sum(self, amounts: Numbers, pages: Numbers | slice = slice(None)) -> Numbers:
        """What these pages of each site, or all, have together; exact up to 2^53."""
        sums = np.bincount(self._sites[pages], weights=amounts, minlength=len(self.site_names))
        return sums.astype(np.int64)

    def histogram(self, pages: Numbers, bins: Numbers) -> Numbers:
        """How many of these pages each site has in each bin, int64[s, 11]."""
        shape = len(self.site_names), len(BINS)
        return np.bincount(self._sites[pages] * len(BINS) + bins, minlength=shape[0] * shape[1]).reshape(shape)

    def links_of(self, session: Session) -> tuple[Numbers, Hashes]:
        """Source page and target hash of a session's links; they may repeat."""
        table = session.read("links", ["source", "target"])
        sources, targets = hashes_of(table, "source"), hashes_of(table, "target")
        pages = places(sources, self.hashes)
        is_link = (pages >= 0) & (sources != targets)
        return pages[is_link], targets[is_link]

    def _numbered_sites(self) -> tuple[list[str], Numbers]:
        columns = [table["site"].combine_chunks() for table in (self.a, self.b)]
        names = [column.dictionary.to_pylist() for column in columns]
        together = sorted({*names[0], *names[1]})
        numbers = {name: number for number, name in enumerate(together)}
        sites = np.zeros(len(self.hashes), np.int64)
        for column, its, rows in zip(columns, names, (self._row_in_a, self._row_in_b), strict=True):
            of_row = np.array([numbers[name] for name in its], np.int64)[column.indices.to_numpy()]
            sites[rows >= 0] = of_row[rows[rows >= 0]]
        return together, sites

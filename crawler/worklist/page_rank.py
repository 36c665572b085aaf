"""PageRank of a link graph that lies on disk, by several ranks, with the same bits whatever the ranks and the memory.

Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (WWW 1998, section 2.1.1), as
`partition.graphs.page_rank` has it in memory: damping 0.85, a surfer goes on from a page without links to any
page, and the rounds end when they change less than 1e-10 in all.

What a page gets from those that link to it is added up in the order of their hashes.  To that end pages fall into
blocks by their hashes, as many as it takes for a block's numbers to fit in memory.  Block by block, in order, the ranks
tell each other what its pages hand out, and each adds it to the sums of its own pages.  Sums over all pages are of
whole numbers, multiples of 2^-60, for which order does not matter.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.link_sums import IN_DEGREES, in_degrees
from crawler.worklist.record_sorter import RecordSorter
from crawler.worklist.sorted_streams import SortedLookup, sums_of_groups
from crawler.worklist.workspace import Workspace
from partition.map.spilled_batches import SpilledBatches
from sessions.compiled import compiled
from sessions.url import Hashes

EDGES = pa.schema([("hash", pa.uint64()), ("source", pa.uint64())])
"""Links by the ``hash`` of their target."""
EDGE_KEYS = ("hash", "source")
NODES = pa.schema([("hash", pa.uint64())])
PAGE_RANKS = pa.schema([("hash", pa.uint64()), ("page_rank", pa.float64())])
_PLACED = pa.schema([("target", pa.int64()), ("place", pa.int64())])

DAMPING = 0.85
_ACCURACY = 1e-10
_MOST_ROUNDS = 1000
_UNITS = float(1 << 60)
_FLOAT_BYTES = 8
_BYTES_PER_PLACE = 24

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


def edges_of(sources: Hashes, targets: Hashes) -> pa.RecordBatch:
    """Return links as records of `EDGES`, in any order."""
    return pa.RecordBatch.from_arrays([pa.array(targets), pa.array(sources)], schema=EDGES)


class _Vector:
    """A number for each of this rank's pages, float64, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch(exist_ok=False)

    def read(self, begin: int, end: int) -> Floats:
        return np.fromfile(self._path, np.float64, end - begin, offset=begin * _FLOAT_BYTES)

    def write(self, begin: int, numbers: Floats) -> None:
        with self._path.open("r+b") as file:
            file.seek(begin * _FLOAT_BYTES)
            file.write(np.ascontiguousarray(numbers).data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._path.unlink(missing_ok=True)


class PageRank:
    """PageRank of the pages of ``nodes``, sorted by hash, by the links in ``edges``, sorted by `EDGE_KEYS`.

    Both hold what falls to this rank by the hash of the page and of the target; links from and to what is no page do
    not count.  Collective.
    """

    def __init__(self, workspace: Workspace, nodes: SpilledBatches, edges: RecordSorter) -> None:
        self._workspace, self._ranks, self._nodes, self._edges = workspace, workspace.ranks, nodes, edges
        self._count = sum(batch.num_rows for batch in nodes.batches(0))
        self._all = self._ranks.total(self._count)
        self._chunk = max(1024, workspace.memory // (4 * _FLOAT_BYTES))
        self._blocks = 1 + self._all * _BYTES_PER_PLACE // workspace.memory

    def computed(self) -> Iterator[pa.RecordBatch]:
        """Yield the PageRank of this rank's pages, records of `PAGE_RANKS`, sorted by hash."""
        with ExitStack() as stack:
            values, sums, shares, degrees = (
                stack.enter_context(_Vector(self._workspace.place(name))) for name in _VECTORS
            )
            placed = self._workspace.kept("placed-links", _PLACED)
            begins = self._place_edges(placed)
            self._count_links(degrees)
            self._iterate(values, sums, shares, degrees, placed, begins)
            begin = 0
            for batch in self._nodes.batches(0):
                column = pa.array(values.read(begin, begin + batch.num_rows))
                yield pa.RecordBatch.from_arrays([batch["hash"], column], schema=PAGE_RANKS)
                begin += batch.num_rows

    def _links(self) -> Iterator[tuple[Numbers, Hashes]]:
        """Yield the links to this rank's pages: the page's number here, ascending, and the source's hash."""
        lookup = SortedLookup(_numbered(self._nodes), _NUMBERED)
        for batch in self._edges.sorted():
            is_page, rows = lookup.rows(batch["hash"].to_numpy())
            yield rows["number"].to_numpy()[is_page], batch["source"].to_numpy()[is_page]

    def _place_edges(self, placed: SpilledBatches) -> list[int]:
        """Write the links of each block, with the place of the source among the block's pages; where blocks begin."""
        begins = [0]
        for block in range(self._blocks):
            least, greatest = _bounds(block, self._blocks)
            own = self._hashes_between(least, greatest)
            begins.append(begins[-1] + len(own))
            hashes = self._ranks.gathered(own)
            order = np.argsort(hashes)
            ordered = hashes[order]
            for targets, sources in self._links():
                at = np.minimum(np.searchsorted(ordered, sources), max(0, len(ordered) - 1))
                is_here = ordered[at] == sources if len(ordered) else np.zeros(len(sources), np.bool_)
                if is_here.any():
                    placed.put([targets[is_here], order[at[is_here]].astype(np.int64)], block)
        return begins

    def _hashes_between(self, least: np.uint64, greatest: np.uint64) -> Hashes:
        found = [np.empty(0, np.uint64)]
        for batch in self._nodes.batches(0):
            hashes = batch["hash"].to_numpy()
            found.append(hashes[(hashes >= least) & (hashes <= greatest)])
        return np.concatenate(found)

    def _count_links(self, degrees: _Vector) -> None:
        """Count the links from each page of this rank to pages."""

        def sources() -> Iterable[pa.RecordBatch]:
            return (in_degrees(sources) for _, sources in self._links())

        counts = self._workspace.gathered("out-degrees", sources(), IN_DEGREES, ["hash"])
        lookup, begin = SortedLookup(sums_of_groups(counts.sorted()), IN_DEGREES), 0
        for batch in self._nodes.batches(0):
            _, rows = lookup.rows(batch["hash"].to_numpy())
            degrees.write(begin, rows["in_degree"].to_numpy().astype(np.float64))
            begin += batch.num_rows

    def _iterate(
        self,
        values: _Vector,
        sums: _Vector,
        shares: _Vector,
        degrees: _Vector,
        placed: SpilledBatches,
        begins: list[int],
    ) -> None:
        """Make ``values`` the PageRanks of this rank's pages."""
        if not self._all:
            return
        for begin, end in self._chunks():
            values.write(begin, np.zeros(end - begin))
            sums.write(begin, np.zeros(end - begin))
        # The first round makes 1 / n of nothing: a surfer who begins anew anywhere.
        anywhere = 1 / self._all
        for _ in range(_MOST_ROUNDS):
            ends, change = self._finish_round(values, sums, shares, degrees, anywhere)
            if change < _ACCURACY * _UNITS:
                return
            anywhere = (DAMPING * (ends / _UNITS) + 1 - DAMPING) / self._all
            for block in range(self._blocks):
                handed_out = self._ranks.gathered(shares.read(begins[block], begins[block + 1]))
                for batch in placed.batches(block):
                    targets = batch["target"].to_numpy()
                    least = int(targets[0])
                    part = sums.read(least, int(targets[-1]) + 1)
                    _add_in_order(part, targets - least, handed_out, batch["place"].to_numpy())
                    sums.write(least, part)

    def _finish_round(
        self, values: _Vector, sums: _Vector, shares: _Vector, degrees: _Vector, anywhere: float
    ) -> tuple[int, int]:
        """Make new values of the sums; what pages without links have, and by how much all changed, in 2^-60."""
        ends, change = 0, 0
        for begin, end in self._chunks():
            links = degrees.read(begin, end)
            value = DAMPING * sums.read(begin, end) + anywhere
            change += _in_units(np.abs(value - values.read(begin, end)))
            ends += _in_units(value[links == 0])
            values.write(begin, value)
            shares.write(begin, np.divide(value, links, out=np.zeros(len(value)), where=links > 0))
            sums.write(begin, np.zeros(end - begin))
        return self._ranks.total(ends), self._ranks.total(change)

    def _chunks(self) -> Iterator[tuple[int, int]]:
        for begin in range(0, self._count, self._chunk):
            yield begin, min(begin + self._chunk, self._count)


_VECTORS = ("page-rank-values", "page-rank-sums", "page-rank-shares", "page-rank-degrees")
_NUMBERED = pa.schema([("hash", pa.uint64()), ("number", pa.int64())])


def _numbered(nodes: SpilledBatches) -> Iterator[pa.RecordBatch]:
    begin = 0
    for batch in nodes.batches(0):
        numbers = np.arange(begin, begin + batch.num_rows, dtype=np.int64)
        yield pa.RecordBatch.from_arrays([batch["hash"], pa.array(numbers)], schema=_NUMBERED)
        begin += batch.num_rows


def _bounds(block: int, blocks: int) -> tuple[np.uint64, np.uint64]:
    """The least and the greatest hash of a block."""
    return np.uint64((block << 64) // blocks), np.uint64(((block + 1) << 64) // blocks - 1)


def _in_units(numbers: Floats) -> int:
    """The sum of numbers from 0 to 1, each in multiples of 2^-60, cut off below."""
    return int((numbers * _UNITS).astype(np.int64).sum())


@compiled
def _add_in_order(sums: Floats, targets: Numbers, handed_out: Floats, places: Numbers) -> None:
    for link in range(len(targets)):
        sums[targets[link]] += handed_out[places[link]]

"""The disk phase: the keys in a sorted file, the operations in buckets until they are merged with it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crawler.drum.answering import Answering, PutBatch
from crawler.drum.buckets import Buckets
from crawler.drum.chunk_file import NOTHING, FileEnd, Meter
from crawler.drum.disk_files import OwnFiles
from crawler.drum.keep_alive import KeepAlive
from crawler.drum.kind import Answers, Kind, Values
from crawler.drum.merging import merge
from crawler.drum.put_records import record_type
from crawler.drum.shape import Shape
from crawler.drum.sorted_file import SortedIndex, SortedReader, SortedWriter, read_blocks
from crawler.drum.staging import Staging
from crawler.urls.batch import Mask
from sessions.url import Hashes

_RECORDS_OVER_KEYS = 4
"""Bytes of records in a batch, over bytes of the sorted file that merging them rewrites."""
_KEY_BYTES = 8
_BEYOND_ALL_KEYS = 1 << 64
NOT_MERGING = float("-inf")
"""How far a merge lags that was never begun."""


class Generation(NamedTuple):
    """A sorted file: its number, its keys, where it ends, and where its blocks are."""

    number: int
    keys: int
    end: FileEnd
    blocks: SortedIndex


class OnDisk:
    """Operations on keys in the files of ``own``: first `begin`.

    With ``in_pieces`` a merge that is due is only begun, and goes on whenever `go_on` is called; operations that come
    meanwhile wait for the next one.
    """

    def __init__(
        self,
        own: OwnFiles,
        kind: Kind,
        shape: Shape,
        meter: Meter,
        answering: Answering,
        keep_alive: KeepAlive,
        *,
        in_pieces: bool,
    ) -> None:
        self.generation = Generation(0, 0, NOTHING, SortedIndex())
        self.merges = 0
        self._own = own
        self._kind = kind
        self._shape = shape
        self._meter = meter
        self._answering = answering
        self._keep_alive = keep_alive
        self._in_pieces = in_pieces
        self._merging: Buckets | None = None
        self._pieces: Iterator[Answers | None] = iter(())
        self._ends: Iterator[int] = iter(())
        self._done = 0
        self._buckets = self._next_buckets(0)
        self._staging = Staging(kind, shape.batch, 4 * shape.block)

    @property
    def pending(self) -> int:
        """How many records were put and not merged."""
        in_merge = 0 if self._merging is None else int(self._merging.counts.sum())
        return in_merge + int(self._buckets.counts.sum()) + len(self._staging)

    @property
    def is_merging(self) -> bool:
        """Has a merge been begun that is not at its end?"""
        return self._merging is not None

    @property
    def merge_lag(self) -> float:
        """By how much the part of the merge that is done falls short of the part of the next batch that has come.

        A merge that lags is not at its end when the next is due, which then has to wait for it.
        """
        if self._merging is None:
            return NOT_MERGING
        return int(self._buckets.counts.max()) / self._most_in_bucket() - self.merge_done

    def lag_within(self, part: float) -> float:
        """As `merge_lag`, of a merge that is to end before ``part`` as many operations have come as it merges."""
        if self._merging is None:
            return NOT_MERGING
        come = int(self._buckets.counts.sum()) + len(self._staging)
        return come / (part * max(1, int(self._merging.counts.sum()))) - self.merge_done

    @property
    def merge_done(self) -> float:
        """Which part of the merge that was begun is done; 1 if there is none."""
        return 1.0 if self._merging is None else self._done / max(1, int(self._merging.counts.sum()))

    def begin(self, blocks: Iterator[tuple[Hashes, Values]]) -> None:
        """Write the first generation."""
        writer = self._writer(0)
        for keys, values in self._keep_alive.during(blocks):
            writer.write(keys, values)
        self.generation = Generation(0, writer.count, writer.close(), writer.index)

    def put(self, asked: PutBatch, values: Values, aux: Sequence[str] | None) -> Iterator[Answers]:
        """Let operations wait for a merge, which is due when the largest bucket has as many as it may."""
        start = 0
        while start < len(asked.keys):
            cut = slice(start, start + self._staging.room)
            self._staging.add(
                asked.keys[cut], asked.operations[cut], values[cut], asked.notes[cut], None if aux is None else aux[cut]
            )
            start = cut.stop
            if not self._staging.room:
                self._distribute()
                if int(self._buckets.counts.max()) >= self._most_in_bucket():
                    yield from self.begin_merge()
                    if not self._in_pieces:
                        yield from self._finish()

    def merge(self) -> Iterator[Answers]:
        """Merge whatever waits, and yield the answers to its checks."""
        yield from self.begin_merge()
        yield from self._finish()

    def begin_merge(self) -> Iterator[Answers]:
        """Finish the merge before, yield its answers, and begin one of whatever waits."""
        yield from self._finish()
        self._distribute()
        self._merging, self._buckets = self._buckets, self._next_buckets(self._buckets.number + 1)
        self._pieces = self._merged(self._merging)
        counts = self._merging.counts
        self._ends, self._done = iter(np.cumsum(counts[counts > 0]).tolist()), 0

    def go_on(self) -> Iterator[Answers]:
        """Do the next piece of the merge that was begun, a bucket or a block of answers, and yield its answers."""
        try:
            answers = next(self._pieces)
        except StopIteration:
            self._merging = None
            return
        if answers is None:
            self._done = next(self._ends)
        else:
            self._done += len(answers.keys)
            yield answers

    def _finish(self) -> Iterator[Answers]:
        while self._merging is not None:
            yield from self.go_on()

    def _merged(self, buckets: Buckets) -> Iterator[Answers | None]:
        """Merge buckets into the next generation, as `crawler.drum.merging.merge` yields it."""
        buckets.write_out()
        old = self._reader()
        writer = self._writer(self.generation.number + 1)
        yield from merge(self._kind, self._shape, buckets, old, writer, self._answering, self._keep_alive)
        done = [self._sorted_path(self.generation.number), *buckets.paths]
        self.generation = Generation(self.generation.number + 1, writer.count, writer.close(), writer.index)
        self._own.remove(done)
        self.merges += 1

    def blocks(self) -> Iterator[tuple[Hashes, Values]]:
        """The keys merged so far in ascending order, with their values."""
        return self._reader().below(_BEYOND_ALL_KEYS)

    def look_up(self, keys: Hashes) -> tuple[Mask, Values]:
        """Which keys were there at the last merge, and their values; zeros for those that were not."""
        order = np.argsort(keys)
        ascending = keys.take(order)
        found, values = np.zeros(len(keys), bool), np.zeros(len(keys), self._kind.value)
        for block_keys, block_values in self._keep_alive.during(self._blocks_with(ascending)):
            first = int(np.searchsorted(ascending, block_keys[0]))
            last = int(np.searchsorted(ascending, block_keys[-1], "right"))
            wanted = ascending[first:last]
            places = np.searchsorted(block_keys, wanted)
            is_here = block_keys.take(places) == wanted
            found.put(order[first:last], is_here)
            values.put(order[first:last].compress(is_here), block_values.take(places.compress(is_here)))
        return found, values

    def _blocks_with(self, keys: Hashes) -> Iterator[tuple[Hashes, Values]]:
        """The blocks that may have any of the ``keys``, which ascend."""
        number, _, _, blocks = self.generation
        return read_blocks(self._sorted_path(number), self._kind, number, blocks.spans(keys), self._meter)

    def _distribute(self) -> None:
        if len(self._staging):
            self._buckets.add(*self._staging.take())

    def _most_in_bucket(self) -> int:
        record = record_type(self._kind).itemsize
        sorted_bytes = self.generation.keys * (_KEY_BYTES + self._kind.value.itemsize)
        in_proportion = _RECORDS_OVER_KEYS * sorted_bytes // (self._shape.buckets * record)
        return min(self._shape.bucket, max(self._shape.buffer // record, in_proportion))

    def _reader(self) -> SortedReader:
        number, _, end, _ = self.generation
        return SortedReader(self._sorted_path(number), self._kind, number, end, self._meter)

    def _writer(self, number: int) -> SortedWriter:
        path = self._sorted_path(number)
        self._own.make_folder()
        return SortedWriter(path, self._kind, number, self._shape.block, self._meter)

    def _next_buckets(self, number: int) -> Buckets:
        return Buckets(self._own, self._kind, self._shape, self._meter, number, self._keep_alive)

    def _sorted_path(self, number: int) -> Path:
        return self._own.path(f"{number:06d}.sorted")

"""The merge: all buckets in key order against the sorted file, in one pass over it.

Bucket by bucket the records are sorted, met with the keys of the sorted file in the bucket's range, played, and the
result written to the next generation; then the bucket's order of arrival is restored and its checks are answered, with
the aux streamed for those that were chosen (IRLbot, section 4.2, steps 1 to 5 and figure 3).  The network is served
after each step of bounded size, and after each bucket the merge may be left to go on later.
"""

from collections.abc import Iterator

import numpy as np

from crawler.drum.answering import Answering, PutBatch
from crawler.drum.aux_file import AuxStream, NoAux
from crawler.drum.batch import Batch
from crawler.drum.buckets import Buckets
from crawler.drum.fold_updates import Column, Positions
from crawler.drum.keep_alive import KeepAlive
from crawler.drum.kind import Answers, Kind, Values
from crawler.drum.shape import Shape
from crawler.drum.sorted_file import SortedReader, SortedWriter
from crawler.urls.batch import Mask
from sessions.url import Hashes


def merge(
    kind: Kind,
    shape: Shape,
    buckets: Buckets,
    old: SortedReader,
    new: SortedWriter,
    answering: Answering,
    keep_alive: KeepAlive,
) -> Iterator[Answers | None]:
    """Merge all buckets, which are written out, with ``old`` into ``new``, and yield the answers to their checks.

    Yield None after each bucket that had records.
    """
    for bucket in range(shape.buckets):
        blocks = keep_alive.during(old.below((bucket + 1) << shape.other_bits))
        if buckets.counts[bucket]:
            yield from _merge_bucket(kind, shape, buckets, bucket, blocks, new, answering, keep_alive)
            yield None
        else:
            for keys, values in blocks:
                new.write(keys, values)


def _merge_bucket(
    kind: Kind,
    shape: Shape,
    buckets: Buckets,
    bucket: int,
    blocks: Iterator[tuple[Hashes, Values]],
    new: SortedWriter,
    answering: Answering,
    keep_alive: KeepAlive,
) -> Iterator[Answers]:
    records = buckets.read(bucket)
    lengths = records["aux"].astype(np.int64)
    asked = PutBatch(records["key"].copy(), records["operation"].copy(), records["notes"].copy())
    values = records["value"].copy()
    del records
    keep_alive.serve()
    batch = Batch(kind, asked.keys, asked.operations, values, shape.prefix_bits)
    keep_alive.serve()
    merge_sorted(batch, blocks, new)
    keep_alive.serve()
    aux = AuxStream(buckets.read_aux(bucket), lengths, shape.block, f"bucket {bucket}")
    yield from answering.answers(asked, batch, aux if lengths.any() else NoAux(), keep_alive)


def merge_sorted(batch: Batch, blocks: Iterator[tuple[Hashes, Values]], new: SortedWriter) -> None:
    """Play a batch against the keys and values of ``blocks``, ascending, and write what comes out of both."""
    first = 0
    for keys, values in blocks:
        last = first + int(np.searchsorted(batch.distinct[first:], keys[-1], "right"))
        if last > first:
            keys, values = _merged(batch, first, last, keys, values)
        new.write(keys, values)
        first = last
    beyond = batch.distinct[first:]
    if len(beyond):
        nothing = np.zeros(len(beyond), bool)
        is_there, end = batch.play(first, len(batch.distinct), nothing, batch.no_values(len(beyond)))
        new.write(beyond.compress(is_there), end.compress(is_there))


def _merged(batch: Batch, first: int, last: int, keys: Hashes, values: Values) -> tuple[Hashes, Values]:
    """``distinct[first:last]``, none beyond the last of ``keys``, merged into keys and values of the sorted file."""
    distinct = batch.distinct[first:last]
    places = np.searchsorted(keys, distinct)
    was_there = keys.take(places) == distinct
    before = values.take(places)
    before.put(np.flatnonzero(~was_there), batch.no_values(1))
    is_there, end = batch.play(first, last, was_there, before)
    values.put(places.compress(was_there), end.compress(was_there))
    is_new = is_there & ~was_there
    new = np.flatnonzero(is_new)
    if not len(new):
        return keys, values
    new_places = places.take(new) + np.arange(len(new))
    is_old = np.ones(len(keys) + len(new), bool)
    is_old[new_places] = False
    return (
        _interleaved(is_old, new_places, keys, distinct.take(new)),
        _interleaved(is_old, new_places, values, end.take(new)),
    )


def _interleaved(is_old: Mask, new_places: Positions, old: Column, new: Column) -> Column:
    """The ``old`` where ``is_old``, and the ``new`` at their places: most are old, which a mask copies fastest."""
    both = np.empty(len(is_old), old.dtype)
    raw = np.dtype((np.void, old.dtype.itemsize))
    if raw.itemsize:
        both.view(raw)[is_old] = old.view(raw)
    both.put(new_places, new)
    return both

"""A batch of operations, sorted by key, played against what was there, and its results in order of arrival."""

from typing import NamedTuple

import numpy as np

from crawler.drum.fold_updates import Positions, Runs, play
from crawler.drum.kind import UPDATE, Kind, Operations, Values
from crawler.urls.batch import Mask
from sessions.url import Hashes


def sorted_with_positions(keys: Hashes, shared_bits: int = 0) -> tuple[Hashes, Positions]:
    """The keys sorted, and where each stood before, those of equal keys in order: uint64[n], int64[n].

    The leading bits of the keys and the position share one number, and those are sorted: several times faster than
    sorting keys with their positions, and stable for nothing.  Should different keys agree in those bits, and stand
    wrongly, all are sorted again by the whole key.  ``shared_bits``: so many leading bits are the same in all keys.
    """
    bits = max(1, len(keys).bit_length())
    positions = np.uint64((1 << bits) - 1)
    composed = keys << np.uint64(shared_bits)
    composed &= ~positions
    composed |= np.arange(len(keys), dtype=np.uint64)
    composed.sort()
    composed &= positions
    order = composed.view(np.int64)
    ordered = keys.take(order)
    if bool((ordered[1:] < ordered[:-1]).any()):
        order = np.argsort(keys, kind="stable")
        ordered = keys.take(order)
    return ordered, order


class Results(NamedTuple):
    """What is answered to n operations, in order of arrival: as `Batch` has it."""

    found: Mask
    before: Values
    after: Values


class Batch:
    """n operations: ``distinct`` has their keys in ascending order, without repetition.

    ``found``, ``before`` and ``after`` have one entry for each operation, in order of arrival, once every distinct
    key was played.  It takes about 100 bytes of memory an operation beside three values.
    """

    def __init__(self, kind: Kind, keys: Hashes, operations: Operations, values: Values, shared_bits: int = 0) -> None:
        self._kind = kind
        self._values = values
        self._operations = operations
        ordered, self._order = sorted_with_positions(keys, shared_bits)
        is_first = np.ones(len(keys), bool)
        np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
        starts = np.flatnonzero(is_first)
        self.distinct = ordered[starts]
        self._bounds = np.append(starts, len(keys))
        self.found = np.zeros(len(keys), bool)
        self.before = np.zeros(len(keys), kind.value)
        self.after = np.zeros(len(keys), kind.value)

    def play(self, first: int, last: int, was_there: Mask, values: Values) -> tuple[Mask, Values]:
        """Play the operations on ``distinct[first:last]`` against what was there.

        Says for each of these keys whether it is there at the end, and with what value.
        """
        bounds = self._bounds[first : last + 1]
        order = self._order[bounds[0] : bounds[-1]]
        is_update = (self._operations.take(order) & np.uint8(UPDATE)) != 0
        runs = Runs(bounds[:-1] - bounds[0], np.diff(bounds), is_update)
        outcome = play(self._kind, runs, self._values.take(order), was_there, values)
        self.found.put(order, outcome.found)
        if self._kind.rules:
            self.before.put(order, outcome.before)
            self.after.put(order, outcome.after)
        return outcome.is_there, outcome.end

    def no_values(self, count: int) -> Values:
        """So many values that are not there."""
        return np.zeros(count, self._kind.value)

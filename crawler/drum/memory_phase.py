"""The memory phase: while all keys fit in the budget they stay in a table, and every operation is answered at once."""

from collections.abc import Iterator, Sequence

import numpy as np

from crawler.drum.answering import Answering, PutBatch
from crawler.drum.batch import Batch, Results
from crawler.drum.fold_updates import Positions, merged
from crawler.drum.kind import CHECK_UPDATE, Answers, Columns, Kind, Values
from crawler.urls.batch import Mask
from crawler.urls.hash_table import HashTable
from crawler.urls.probing import Slots
from sessions.url import Hashes

_FIRST_BITS = 4
_KEY_BYTES = 8
_BYTES_BESIDE_A_PLACE = 24
"""While the table grows: slots and keys of what it holds, half as many as places, and where they go."""


class InMemory:
    """Keys and values in a table: a place takes the 8 bytes of a key and those of its value."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._table = HashTable({name: kind.value[name] for name in kind.rules}, bits=_FIRST_BITS)
        self._place_bytes = _KEY_BYTES + kind.value.itemsize

    def __len__(self) -> int:
        return len(self._table)

    def has_room(self, new: int, most: int) -> bool:
        """Whether ``new`` more keys can be inserted with the table, and its growth if need be, in ``most`` bytes."""
        places = self._table.places
        while 2 * (len(self) + new) > places:
            if places * (3 * self._place_bytes + _BYTES_BESIDE_A_PLACE) > most:
                return False
            places += places - 1  # one is no key's
        return True

    def known(self, keys: Hashes) -> tuple[Mask, Columns]:
        """Which keys are there, and the columns of their values; what those of others are means nothing."""
        slots = self._table.find(keys)
        return slots >= 0, {name: self._table.values[name][slots] for name in self._kind.rules}

    def look_up(self, keys: Hashes) -> tuple[Mask, Values]:
        """Which keys are there, and their values; zeros for those that are not."""
        return self._at(self._table.find(keys))

    def put(
        self, asked: PutBatch, values: Values, aux: Sequence[str] | None, answering: Answering
    ) -> Iterator[Answers]:
        """Play operations, and yield the answers to the checks among them."""
        if not len(asked.keys):
            return
        if asked.operations.min() == CHECK_UPDATE and _are_distinct(asked.keys):
            yield from answering.answers(asked, self._put_distinct(asked.keys, values), AuxInMemory(aux))
            return
        batch = Batch(self._kind, asked.keys, asked.operations, values)
        slots = self._table.find(batch.distinct)
        is_there, end = batch.play(0, len(batch.distinct), *self._at(slots))
        self._store(batch.distinct, slots, is_there, end)
        yield from answering.answers(asked, batch, AuxInMemory(aux))

    def blocks(self, size: int) -> Iterator[tuple[Hashes, Values]]:
        """All keys with their values in ascending order, ``size`` at a time."""
        slots = self._table.occupied()
        slots = slots.take(np.argsort(self._table.keys(slots)))
        for start in range(0, len(slots), size):
            piece = slots[start : start + size]
            yield self._table.keys(piece), self._at(piece)[1]

    def _put_distinct(self, keys: Hashes, values: Values) -> Results:
        """Check and update keys of which none comes twice: what there is most of, and needs no sorting."""
        slots = self._table.find(keys)
        found, before = self._at(slots)
        if not np.count_nonzero(found):
            self._table.insert(keys, {name: values[name] for name in self._kind.rules})
            return Results(found, before, values)
        after = values.copy()
        for name, rule in self._kind.rules.items():
            after[name][found] = merged(rule, before[name][found], values[name][found])
        self._store(keys, slots, np.ones(len(keys), bool), after)
        return Results(found, before, after)

    def _at(self, slots: Slots) -> tuple[Mask, Values]:
        is_there = slots >= 0
        values = np.zeros(len(slots), self._kind.value)
        if not np.count_nonzero(is_there):
            return is_there, values
        for name in self._kind.rules:
            values[name] = np.where(is_there, self._table.values[name][slots], np.zeros((), self._kind.value[name]))
        return is_there, values

    def _store(self, keys: Hashes, slots: Slots, is_there: Mask, values: Values) -> None:
        is_new = is_there & (slots < 0)
        is_old = slots >= 0
        columns = self._table.values
        for name in self._kind.rules if np.count_nonzero(is_old) else ():
            columns[name][slots[is_old]] = values[name][is_old]
        if not np.count_nonzero(is_new):
            return
        self._table.insert(keys[is_new], {name: values[name][is_new] for name in self._kind.rules})


def _are_distinct(keys: Hashes) -> bool:
    if len(keys) == 1:
        return True
    ordered = np.sort(keys)
    return not np.count_nonzero(ordered[1:] == ordered[:-1])


class AuxInMemory:
    """The aux strings of a batch as the caller gave them."""

    def __init__(self, aux: Sequence[str] | None) -> None:
        self._aux = aux

    def parts(self, positions: Positions) -> list[int]:
        """One piece: the strings are in memory already."""
        return [len(positions)] if len(positions) else []

    def read(self, positions: Positions) -> list[str]:
        """The strings at these positions, "" if none were given."""
        aux = self._aux
        if aux is None:
            return [""] * len(positions)
        return list(aux) if len(positions) == len(aux) else [aux[position] for position in positions.tolist()]

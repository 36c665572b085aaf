"""Records that wait in memory, in order of arrival, until there are enough to be distributed to the buckets."""

from collections.abc import Sequence

import numpy as np

from crawler.drum.aux_file import encoded_lengths
from crawler.drum.kind import Kind, Operations, Values
from crawler.drum.put_records import Records, record_type
from sessions.url import Hashes

_STRING_OVERHEAD = 64
"""Bytes of a string in memory beside its characters, with its place in a list."""


class Staging:
    """Up to ``most`` records, or about ``most_aux`` bytes of strings in memory."""

    def __init__(self, kind: Kind, most: int, most_aux: int) -> None:
        self._fields = kind.value.names or ()
        self._notes = kind.note.names or ()
        self._records: Records = np.empty(most, record_type(kind))
        self._most_aux = most_aux
        self._aux: list[str] = []
        self._aux_weight = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def room(self) -> int:
        """How many more records fit; none when the strings weigh enough."""
        return len(self._records) - self._count if self._aux_weight < self._most_aux else 0

    def add(
        self, keys: Hashes, operations: Operations, values: Values, notes: Values, aux: Sequence[str] | None
    ) -> None:
        """Append records, not more than there is room for."""
        rows = self._records[self._count : self._count + len(keys)]
        rows["key"] = keys
        rows["operation"] = operations
        for name in self._fields:
            rows["value"][name] = values[name]
        for name in self._notes:
            rows["notes"][name] = notes[name]
        rows["aux"] = 0
        if aux is not None:
            self._add_aux(rows, list(aux))
        self._count += len(keys)

    def take(self) -> tuple[Records, list[str]]:
        """All records, good until the next `add`, with their strings, of which there are none if none has any."""
        records, strings = self._records[: self._count], self._aux
        if strings:
            strings += [""] * (self._count - len(strings))
        self._aux, self._aux_weight, self._count = [], 0, 0
        return records, strings

    def _add_aux(self, rows: Records, aux: list[str]) -> None:
        lengths = encoded_lengths(aux)
        rows["aux"] = lengths
        self._aux += [""] * (self._count - len(self._aux))
        self._aux += aux
        self._aux_weight += sum(lengths) + _STRING_OVERHEAD * len(aux)

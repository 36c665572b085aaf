"""What a DRUM holds beside its keys, and what it says of a key it is asked about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Mask
from sessions.url import Hashes

Values = npt.NDArray[Any]
"""Structured array of a kind's values (or notes): one field each."""

Columns = Mapping[str, npt.NDArray[Any]]
"""The fields of values by name, each an array of its own."""

Operations = npt.NDArray[np.uint8]

CHECK = 1
"""Say whether the key is there, and with what value."""
UPDATE = 2
"""Bring the key with its value, or merge the value into the one that is there."""
CHECK_UPDATE = CHECK | UPDATE
"""Say what was there before, then update."""


class UpdateRule(StrEnum):
    """What an update makes of the value that is there already."""

    FIRST = "first"
    """Keep it."""
    LAST = "last"
    """Overwrite it."""
    MINIMUM = "minimum"
    """Keep the lower of the two."""
    ADD = "add"
    """Their sum, modulo what the integer type holds."""


_NUMBERS_OF = {UpdateRule.ADD: "iu", UpdateRule.MINIMUM: "iuf"}


@dataclass(frozen=True)
class Kind:
    """The fields of a value with their rules, and the type of the notes that travel with a record.

    ``fields`` maps a name to dtype and rule; without any, the DRUM is a set of keys.  ``notes`` is a structured dtype
    of fixed width, handed back with an answer as it came; None for no notes.  Raises TypeError for a rule that the
    field's type does not know: only integers are added, only numbers compared.
    """

    fields: Mapping[str, tuple[npt.DTypeLike, UpdateRule]] = field(default_factory=dict)
    notes: npt.DTypeLike | None = None

    def __post_init__(self) -> None:
        for name, (dtype, rule) in self.fields.items():
            if np.dtype(dtype).kind not in _NUMBERS_OF.get(rule, np.dtype(dtype).kind):
                raise TypeError(f"field {name}: {np.dtype(dtype)} does not know the rule {rule}")
            if np.dtype(dtype).hasobject:
                raise TypeError(f"field {name}: {np.dtype(dtype)} has no fixed width")

    @cached_property
    def value(self) -> np.dtype[Any]:
        """The structured dtype of a value, little-endian, without gaps; of width 0 if there are no fields."""
        return np.dtype([(name, _little_endian(dtype)) for name, (dtype, _) in self.fields.items()])

    @cached_property
    def note(self) -> np.dtype[Any]:
        """The structured dtype of a record's notes; of width 0 if there are none."""
        return np.dtype([]) if self.notes is None else _little_endian(self.notes)

    @cached_property
    def rules(self) -> dict[str, UpdateRule]:
        """The rule of each field."""
        return {name: rule for name, (_, rule) in self.fields.items()}

    def description(self) -> str:
        """The kind in one line, as the headers of files and records of commits have it."""
        fields = ", ".join(f"{name} {self.value[name].str} {rule}" for name, rule in self.rules.items())
        notes = ", ".join(f"{name} {self.note[name].str}" for name in self.note.names or ())
        return f"({fields}) ({notes})"


def _little_endian(dtype: npt.DTypeLike) -> np.dtype[Any]:
    return np.dtype(dtype).newbyteorder("<")


class Answers(NamedTuple):
    """What n checks found: in order of arrival, in the memory phase over all keys, on disk within a bucket.

    ``keys`` uint64[n]; ``found`` bool[n], False for a *unique* key: not there, and brought by no earlier update;
    ``before`` and ``after`` structured[n], the value when the check came and once its own update was made (zeros
    where there is none); ``notes`` structured[n] as they were put; ``aux`` n strings as they were put, or none at
    all when the caller has yet to choose.
    """

    keys: Hashes
    found: Mask
    before: Values
    after: Values
    notes: Values
    aux: list[str]

    def take(self, positions: npt.NDArray[np.intp]) -> "Answers":
        """The answers at these positions, without their aux."""
        return Answers(
            self.keys.take(positions),
            self.found.take(positions),
            self.before.take(positions),
            self.after.take(positions),
            self.notes.take(positions),
            [],
        )


class DrumTraffic(NamedTuple):
    """What a DRUM has cost so far: bytes read and written, merges made, records put."""

    bytes_read: int
    bytes_written: int
    merges: int
    records: int

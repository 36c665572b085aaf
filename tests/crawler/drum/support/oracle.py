"""What a DRUM must say, by a dict and a loop over single operations; and kinds, keys and operations to try it with."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from crawler.drum.kind import CHECK, UPDATE, Answers, Kind, UpdateRule

NOTES = np.dtype([("flags", "u1"), ("owner", "<u2")])
KINDS = {
    "set": Kind(),
    "set with notes": Kind(notes=NOTES),
    "seen": Kind({"depth": ("u2", UpdateRule.MINIMUM), "hops": ("u1", UpdateRule.MINIMUM)}, NOTES),
    "counter": Kind({"count": ("u1", UpdateRule.ADD), "balance": ("i8", UpdateRule.ADD)}),
    "all rules": Kind(
        {
            "first": ("S3", UpdateRule.FIRST),
            "last": ("f8", UpdateRule.LAST),
            "least": ("i4", UpdateRule.MINIMUM),
            "real": ("f4", UpdateRule.MINIMUM),
            "sum": ("u4", UpdateRule.ADD),
        },
        NOTES,
    ),
}
_SPREAD = {number * 0x9E3779B97F4A7C15 % 2**64 for number in range(40)}
POOL = sorted({0, 1, 2, 2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1, 2**62} | _SPREAD)
KEYS = st.one_of(st.sampled_from(POOL[:6]), st.sampled_from(POOL))
AUX = st.text(max_size=12) | st.just("http://example.org/" + "ä" * 40)


class Operation(NamedTuple):
    """One operation as a test makes it: value and note as tuples."""

    key: int
    operation: int
    value: tuple[Any, ...]
    note: tuple[Any, ...]
    aux: str


class Said(NamedTuple):
    """One answer."""

    key: int
    found: bool
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    note: tuple[Any, ...]
    aux: str


def said(answers: Answers) -> list[Said]:
    """Answers one by one."""
    columns = (answers.keys, answers.found, answers.before, answers.after, answers.notes)
    return list(map(Said, *(column.tolist() for column in columns), answers.aux))


class Oracle:
    """The dict."""

    def __init__(self, kind: Kind, values: dict[int, tuple[Any, ...]] | None = None) -> None:
        self.kind = kind
        self.values = dict(values or {})

    def play(self, operations: Sequence[Operation]) -> list[Said]:
        """The answers to all checks."""
        answers = []
        nothing = np.zeros((), self.kind.value).item()
        for key, operation, value, note, aux in operations:
            found, before = key in self.values, self.values.get(key, nothing)
            if operation & UPDATE:
                self.values[key] = self._updated(before, value) if found else value
            if operation & CHECK:
                answers.append(Said(key, found, before, self.values.get(key, nothing), note, aux))
        return answers

    def _updated(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
        by_rule = {
            UpdateRule.FIRST: lambda a, b: a,
            UpdateRule.LAST: lambda a, b: b,
            UpdateRule.MINIMUM: min,
            UpdateRule.ADD: int.__add__,
        }
        return tuple(
            _wrapped(by_rule[rule](before, given), self.kind.value[name])
            for (name, rule), before, given in zip(self.kind.rules.items(), old, new, strict=True)
        )


def _wrapped(number: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind not in "iu":
        return number
    bits = 8 * dtype.itemsize
    number %= 1 << bits
    return number - (1 << bits) if dtype.kind == "i" and number >= 1 << (bits - 1) else number


def _column(dtype: np.dtype[Any]) -> st.SearchStrategy[Any]:
    if dtype.kind == "S":
        return st.sampled_from([b"", b"a", b"xyz"])
    if dtype.kind == "f":
        return st.sampled_from([0.0, -1.5, 2.25, 1e9])
    limits = np.iinfo(dtype)
    return st.integers(int(limits.min), int(limits.max)) | st.integers(0, 9)


def rows(dtype: np.dtype[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Values or notes of a structured dtype."""
    return st.tuples(*(_column(dtype[name]) for name in dtype.names or ()))


def operations(kind: Kind, most: int = 30) -> st.SearchStrategy[list[Operation]]:
    """Mixed batches."""
    one = st.builds(Operation, KEYS, st.integers(1, 3), rows(kind.value), rows(kind.note), AUX)
    return st.lists(one, max_size=most)


def columns(kind: Kind, batch: Sequence[Operation]) -> tuple[Any, ...]:
    """A batch as `Drum.put` takes it."""
    return (
        np.array([operation.key for operation in batch], np.uint64),
        np.array([operation.operation for operation in batch], np.uint8),
        np.array([operation.value for operation in batch], kind.value),
        np.array([operation.note for operation in batch], kind.note),
        [operation.aux for operation in batch],
    )


def many_operations(kind: Kind, chance: random.Random, count: int) -> list[Operation]:
    """A batch of so many operations, on keys of the pool."""
    return [
        Operation(
            chance.choice(POOL),
            chance.randint(1, 3),
            tuple(_any_of(kind.value[name], chance) for name in kind.value.names or ()),
            tuple(_any_of(kind.note[name], chance) for name in kind.note.names or ()),
            chance.choice(["", "a", "grüße", "http://example.org/" + "x" * 30]),
        )
        for _ in range(count)
    ]


def _any_of(dtype: np.dtype[Any], chance: random.Random) -> Any:
    if dtype.kind == "S":
        return chance.choice([b"", b"a", b"xyz"])
    if dtype.kind == "f":
        return chance.choice([0.0, -1.5, 2.25, 1e9])
    return chance.randint(0, 120)

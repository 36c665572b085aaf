"""What a DRUM is given: kinds of values, records, and how they wait."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.aux_file import encoded_lengths
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Answers, Kind, UpdateRule
from crawler.drum.put_records import as_given, check_aux, record_type
from crawler.drum.staging import Staging
from tests.crawler.drum.support.oracle import KINDS, columns, operations


def test_a_value_is_packed_and_little_endian() -> None:
    kind = Kind(
        {"depth": (">u2", UpdateRule.MINIMUM), "hops": (np.uint8, UpdateRule.MINIMUM)}, np.dtype([("owner", ">u2")])
    )
    assert kind.value == np.dtype([("depth", "<u2"), ("hops", "u1")])
    assert kind.value.itemsize == 3
    assert kind.note == np.dtype([("owner", "<u2")])
    assert kind.rules == {"depth": UpdateRule.MINIMUM, "hops": UpdateRule.MINIMUM}


def test_without_fields_and_notes_both_are_of_no_width() -> None:
    assert Kind().value.itemsize == Kind().note.itemsize == 0


def test_the_description_tells_kinds_apart() -> None:
    kinds = [
        Kind(),
        Kind({"a": ("u2", UpdateRule.ADD)}),
        Kind({"a": ("u2", UpdateRule.LAST)}),
        Kind({"a": ("u4", UpdateRule.ADD)}),
        Kind({"b": ("u2", UpdateRule.ADD)}),
        Kind(notes=np.dtype([("a", "u2")])),
    ]
    assert len({kind.description() for kind in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("dtype", "rule"),
    [
        ("f8", UpdateRule.ADD),
        ("S4", UpdateRule.ADD),
        ("S4", UpdateRule.MINIMUM),
        ("?", UpdateRule.ADD),
        (object, UpdateRule.LAST),
    ],
)
def test_a_rule_that_a_type_does_not_know_is_refused(dtype: str, rule: UpdateRule) -> None:
    with pytest.raises(TypeError, match="field x"):
        Kind({"x": (dtype, rule)})


def test_an_operation_is_made_of_bits() -> None:
    assert CHECK_UPDATE == CHECK | UPDATE
    assert CHECK & UPDATE == 0


def test_answers_are_taken_at_positions() -> None:
    kind = Kind({"x": ("u2", UpdateRule.LAST)})
    values = np.array([(1,), (2,), (3,)], kind.value)
    answers = Answers(np.arange(3, dtype=np.uint64), np.ones(3, bool), values, values, np.zeros(3, kind.note), [""] * 3)
    taken = answers.take(np.array([2, 0]))
    assert taken.keys.tolist() == [2, 0]
    assert taken.after["x"].tolist() == [3, 1]
    assert taken.aux == []


# What `Drum.put` is given, checked.

KIND = Kind({"x": ("u2", UpdateRule.LAST)}, np.dtype([("y", "u1")]))
KEYS = np.array([1, 2], np.uint64)
VALUES = np.zeros(2, KIND.value)


def test_a_record_is_packed() -> None:
    assert record_type(KIND).itemsize == 8 + 2 + 1 + 1 + 4
    assert record_type(Kind()).itemsize == 8 + 1 + 4


def test_what_is_not_given_is_zeros() -> None:
    keys, operations, values, notes = as_given(KIND, KEYS, CHECK, None, None)
    assert keys.tolist() == [1, 2]
    assert operations.tolist() == [CHECK, CHECK]
    assert values.tolist() == [(0,), (0,)]
    assert notes.tolist() == [(0,), (0,)]


@pytest.mark.parametrize(
    ("keys", "operation", "values", "notes", "error", "said"),
    [
        (np.array([1, 2]), CHECK, None, None, TypeError, "uint64"),
        (KEYS.reshape(1, 2), CHECK, None, None, TypeError, "2 dimensions"),
        (KEYS, 0, None, None, ValueError, "an operation is"),
        (KEYS, np.array([1, 4], np.uint8), None, None, ValueError, "an operation is"),
        (KEYS, np.array([1], np.uint8).repeat(3), None, None, ValueError, "broadcast"),
        (KEYS, UPDATE, None, None, ValueError, "updates need values"),
        (KEYS, np.array([CHECK, CHECK_UPDATE], np.uint8), None, None, ValueError, "updates need values"),
        (KEYS, UPDATE, VALUES[:1], None, ValueError, "1 values or notes for 2 keys"),
        (KEYS, UPDATE, np.zeros(2), None, TypeError, "float64"),
        (KEYS, CHECK, None, VALUES, TypeError, "notes"),
    ],
)
def test_what_does_not_fit_is_refused(keys, operation, values, notes, error, said) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=said):
        as_given(KIND, keys, operation, values, notes)


def test_a_set_needs_no_values_to_be_updated() -> None:
    assert as_given(Kind(), KEYS, UPDATE, None, None)[2].dtype.itemsize == 0


def test_nothing_may_be_given_with_operations_of_its_own() -> None:
    assert [len(column) for column in as_given(Kind(), KEYS[:0], np.empty(0, np.uint8), None, None)] == [0] * 4


def test_there_is_a_string_for_each_key_or_none_at_all() -> None:
    check_aux(None, KEYS)
    check_aux(["", "a"], KEYS)
    with pytest.raises(ValueError, match="1 strings for 2 keys"):
        check_aux(["a"], KEYS)


# Records that wait to be distributed.


@settings(max_examples=50)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_records_come_out_as_they_went_in(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    staging = Staging(kind, 100, 10**6)
    batches = data.draw(st.lists(st.tuples(operations(kind, most=12), st.booleans()), max_size=4))
    for batch, has_aux in batches:
        keys, codes, values, notes, aux = columns(kind, batch)
        staging.add(keys, codes, values, notes, aux if has_aux else None)
    expected = [one if has_aux else one._replace(aux="") for batch, has_aux in batches for one in batch]
    assert len(staging) == len(expected)
    assert staging.room == 100 - len(expected)
    records, strings = staging.take()
    keys, codes, values, notes, aux = columns(kind, expected)
    for column, put in zip(("key", "operation", "value", "notes"), (keys, codes, values, notes), strict=True):
        assert records[column].tolist() == put.tolist()
    assert records["aux"].tolist() == encoded_lengths(aux)
    assert strings == aux or not (strings or any(aux))
    assert len(staging) == 0
    assert staging.room == 100


def add(staging: Staging, kind: Any, count: int, aux: list[str] | None) -> None:
    zeros = np.zeros(count, np.uint64)
    staging.add(zeros, np.full(count, CHECK, np.uint8), np.zeros(count, kind.value), np.zeros(count, kind.note), aux)


def test_heavy_strings_leave_no_room() -> None:
    kind = KINDS["set"]
    staging = Staging(kind, 100, 1000)
    add(staging, kind, 3, ["x", "y", "z"])
    assert staging.room == 97
    add(staging, kind, 1, ["x" * 1000])
    assert staging.room == 0
    staging.take()
    assert staging.room == 100

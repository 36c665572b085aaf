"""What `Drum.put` is given, checked."""

import numpy as np
import pytest

from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Kind, Rule
from crawler.drum.put_records import as_given, check_aux, record_type

KIND = Kind({"x": ("u2", Rule.LAST)}, np.dtype([("y", "u1")]))
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


def test_there_is_a_string_for_each_key_or_none_at_all() -> None:
    check_aux(None, KEYS)
    check_aux(["", "a"], KEYS)
    with pytest.raises(ValueError, match="1 strings for 2 keys"):
        check_aux(["a"], KEYS)

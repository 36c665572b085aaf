"""Kinds of values, their rules and types."""

import numpy as np
import pytest

from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Answers, Kind, Rule


def test_a_value_is_packed_and_little_endian() -> None:
    kind = Kind({"depth": (">u2", Rule.MINIMUM), "hops": (np.uint8, Rule.MINIMUM)}, np.dtype([("owner", ">u2")]))
    assert kind.value == np.dtype([("depth", "<u2"), ("hops", "u1")])
    assert kind.value.itemsize == 3
    assert kind.note == np.dtype([("owner", "<u2")])
    assert kind.rules == {"depth": Rule.MINIMUM, "hops": Rule.MINIMUM}


def test_without_fields_and_notes_both_are_of_no_width() -> None:
    assert Kind().value.itemsize == Kind().note.itemsize == 0


def test_the_description_tells_kinds_apart() -> None:
    kinds = [
        Kind(),
        Kind({"a": ("u2", Rule.ADD)}),
        Kind({"a": ("u2", Rule.LAST)}),
        Kind({"a": ("u4", Rule.ADD)}),
        Kind({"b": ("u2", Rule.ADD)}),
        Kind(notes=np.dtype([("a", "u2")])),
    ]
    assert len({kind.description() for kind in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("dtype", "rule"), [("f8", Rule.ADD), ("S4", Rule.ADD), ("S4", Rule.MINIMUM), ("?", Rule.ADD), (object, Rule.LAST)]
)
def test_a_rule_that_a_type_does_not_know_is_refused(dtype: str, rule: Rule) -> None:
    with pytest.raises(TypeError, match="field x"):
        Kind({"x": (dtype, rule)})


def test_an_operation_is_made_of_bits() -> None:
    assert CHECK_UPDATE == CHECK | UPDATE
    assert CHECK & UPDATE == 0


def test_answers_are_taken_at_positions() -> None:
    kind = Kind({"x": ("u2", Rule.LAST)})
    values = np.array([(1,), (2,), (3,)], kind.value)
    answers = Answers(np.arange(3, dtype=np.uint64), np.ones(3, bool), values, values, np.zeros(3, kind.note), [""] * 3)
    taken = answers.take(np.array([2, 0]))
    assert taken.keys.tolist() == [2, 0]
    assert taken.after["x"].tolist() == [3, 1]
    assert taken.aux == []

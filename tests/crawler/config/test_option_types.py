"""Kinds of values that options take."""

from typing import Any

import click
import pytest

from crawler.config.option_types import CountOrNone, NameList, Number, NumberList


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (CountOrNone(), "none", None),
        (CountOrNone(), "7", 7),
        (Number(min=0), "1.5", 1.5),
    ],
)
def test_values_are_taken(kind: click.ParamType[Any], value: str, expected: object) -> None:
    assert kind.convert(value, None, None) == expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *((CountOrNone(), value) for value in ("0", "-1", "None", "1.5", "")),
        *((Number(min=0), value) for value in ("nan", "inf", "-1", "1e13", "x", 10**400)),
    ],
)
def test_others_are_refused(kind: click.ParamType[Any], value: object) -> None:
    with pytest.raises(click.BadParameter):
        kind.convert(value, None, None)


@pytest.mark.parametrize(
    ("text", "numbers"), [("7", (7,)), ("1,2, 3", (1, 2, 3)), ("4,2,4", (4, 2)), ("100", (100,)), ((5, 5), (5, 5))]
)
def test_lists_of_numbers(text: object, numbers: tuple[int, ...]) -> None:
    assert NumberList(100).convert(text, None, None) == numbers


@pytest.mark.parametrize("text", ["", "0", "101", "-1", "1.5", "2,,3", "two", "1 2", "1e1", "9" * 5000])
def test_what_is_no_list_of_numbers(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a whole number from 1 to 100, as in 8,16,32"):
        NumberList(100).convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("b", ("b",)),
        ("b,a", ("b", "a")),
        ("a, a", ("a",)),
        ("all", ("a", "b")),
        ("b,all", ("a", "b")),
        (("x",), ("x",)),
    ],
)
def test_lists_of_names(text: object, names: tuple[str, ...]) -> None:
    assert NameList(("a", "b")).convert(text, None, None) == names


@pytest.mark.parametrize("text", ["", "c", "a,", "A", "a b"])
def test_what_is_no_list_of_names(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not one of a, b, all"):
        NameList(("a", "b")).convert(text, None, None)

"""Kinds of values that options take."""

from typing import Any

import click
import pytest

from crawler.config.option_types import CountOrNone, Number


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

"""Kinds of values that options take, beside those of `click`."""

import math
from typing import Any

import click

_LARGEST = 1e12


class Number(click.FloatRange):
    """A number in a range, not so large that it could not be told in milliseconds or bytes."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int) and abs(value) > _LARGEST:
            self.fail("is too large a number", param, ctx)
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        if number > _LARGEST:
            self.fail(f"{value!r} is too large a number", param, ctx)
        return number


class CountOrNone(click.ParamType[int | None]):
    """A whole number of at least 1, or ``none`` for no limit."""

    name = "count or none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        return None if value == "none" else int(click.IntRange(min=1).convert(value, param, ctx))

"""Kinds of values that options take, beside those of `click`."""

import math
from typing import Any

import click

ALL = "all"
_LARGEST = 1e12
_LONGEST = 20


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


class NumberList(click.ParamType[tuple[int, ...]]):
    """Whole numbers, at least 1, with commas between them."""

    name = "numbers"
    is_list = True

    def __init__(self, most: int) -> None:
        self._most = most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        numbers = []
        for text in str(value).split(","):
            is_number = text.strip().isdecimal() and len(text) <= _LONGEST
            if not is_number or not 1 <= int(text) <= self._most:
                self.fail(f"{text!r} is not a whole number from 1 to {self._most:,}, as in 8,16,32", param, ctx)
            numbers.append(int(text))
        return tuple(dict.fromkeys(numbers))


class FloatList(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them, from 0 up, or above 0 if ``is_open``; ``word`` is what else one may say."""

    name = "numbers"
    is_list = True

    def __init__(self, *, is_open: bool = False, word: str | None = None) -> None:
        self._is_open = is_open
        self._word = word

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(float(text) for text in str(value).split(","))
        except ValueError:
            what = "a list of numbers with commas between"
            beside = f"neither {self._word!r} nor {what}" if self._word else f"not {what}"
            self.fail(f"{value!r} is {beside}", param, ctx)
        if not all((number > 0 if self._is_open else number >= 0) and math.isfinite(number) for number in numbers):
            self.fail(f"{value!r} has a number that is not {'above 0' if self._is_open else 'from 0 up'}", param, ctx)
        return numbers


class NameList(click.ParamType[tuple[str, ...]]):
    """Names with commas between them, or ``all`` for all there are."""

    name = "names"
    is_list = True

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        asked = [text.strip() for text in str(value).split(",")]
        for text in asked:
            if text not in (*self._names, ALL):
                self.fail(f"{text!r} is not one of {', '.join(self._names)}, {ALL}", param, ctx)
        return self._names if ALL in asked else tuple(dict.fromkeys(asked))

"""How numbers are shown: in which unit, with how many decimals, and on which axis."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from partition.report.figure import BYTES, COUNT, LINKS, RATE, RATIO, Figure

_BYTE_UNITS = ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"))
_COUNT_UNITS = ((1.0, ""), (1e3, "thousand"), (1e6, "million"))
_LEAST_IN_UNIT = 10
_MANY = 100
_LOGARITHMIC_FROM = 20
_MOST_TICKS = 6


@dataclass(frozen=True)
class Scale:
    """One unit and one number of decimals for all values of a table or plot.

    ``unit`` is what stands after the title ("" for mere counts); a value is divided by ``divisor``.
    """

    unit: str
    divisor: float
    decimals: int

    def text(self, value: float) -> str:
        """A value as it is shown; a count has decimals only if it is a mean."""
        if isinstance(value, int) and not self.unit:
            return f"{value:,}"
        return f"{value / self.divisor:,.{self.decimals}f}"


def scale_for(figure: Figure, values: Iterable[float], *, is_whole: bool = True) -> Scale:
    """The scale on which all these values of a figure can be read; ``is_whole`` says that counts have no decimals."""
    sizes = [abs(value) for value in values if value] or [1.0]
    least = min(sizes)
    if figure.unit == RATIO:
        return Scale("%", 0.01, 2)
    if figure.unit == BYTES:
        divisor, unit = _largest_unit(_BYTE_UNITS, least)
        return Scale(unit, divisor, 0 if unit == "B" else _decimals(least / divisor))
    if figure.unit in (COUNT, LINKS):
        return Scale("", 1.0, 0 if is_whole else 2 if max(sizes) < _MANY else 1)
    if figure.unit == RATE:
        divisor, unit = _largest_unit(_COUNT_UNITS, least)
        return Scale(f"{unit} a second".strip(), divisor, _decimals(least / divisor))
    return Scale(figure.unit, 1.0, _decimals(least))


def counts(scale: Scale) -> bool:
    """Does a scale show mere counts?"""
    return not scale.unit and scale.divisor == 1


@dataclass(frozen=True)
class Axis:
    """A vertical axis from ``low`` to ``high`` with ``ticks`` between."""

    low: float
    high: float
    ticks: tuple[float, ...]
    is_logarithmic: bool

    def place(self, value: float) -> float:
        """Where a value stands: 0 at ``low``, 1 at ``high``."""
        if self.is_logarithmic:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def axis_for(values: Iterable[float], *, is_whole: bool = False) -> Axis:
    """An axis that holds all values: logarithmic if they are all positive and differ by a factor of 20, else from 0.

    ``is_whole`` says that it counts something, ranks for example, of which there are no parts to have a tick at.
    """
    found = list(values)
    low, high = min(found), max(found)
    if low > 0 and high / low >= _LOGARITHMIC_FROM:
        return _logarithmic(low, high)
    return _linear(min(low, 0.0), max(high, 0.0), 1.0 if is_whole else 0.0)


def _logarithmic(low: float, high: float) -> Axis:
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        bottom = max(tick for tick in ticks if tick <= low * 1.0001)
        top = min((tick for tick in ticks if tick >= high * 0.9999), default=10.0 ** decades[-1])
        inside = [tick for tick in ticks if bottom <= tick <= top]
        if len(inside) <= _MOST_TICKS:
            break
    return Axis(bottom, top, tuple(inside), is_logarithmic=True)


def _linear(low: float, high: float, least_step: float) -> Axis:
    span = (high - low) or 1.0
    rough = span / (_MOST_TICKS - 1)
    power = 10.0 ** floor(log10(rough))
    step = max(least_step, next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.9999))
    bottom, top = floor(low / step + 1e-9), ceil((low + span) / step - 1e-9)
    ticks = tuple(number * step for number in range(bottom, top + 1))
    return Axis(ticks[0], ticks[-1], ticks, is_logarithmic=False)


def tick_text(value: float) -> str:
    """A tick's label: no more digits than it needs."""
    if value >= 1e6:
        return f"{value / 1e6:,.6g}M"
    if value >= 1e4:
        return f"{value / 1e3:,.6g}k"
    return f"{value:,.6g}"


def percent(ratio: float) -> str:
    """A ratio as a sentence has it: in percent, with a decimal below ten."""
    return f"{ratio:.1%}" if abs(ratio) < 0.0995 else f"{ratio:,.0%}"


def _largest_unit(units: tuple[tuple[float, str], ...], least: float) -> tuple[float, str]:
    return next(((divisor, unit) for divisor, unit in reversed(units) if least / divisor >= _LEAST_IN_UNIT), units[0])


def _decimals(least: float) -> int:
    """Decimals that leave the least value three digits, four decimals at most."""
    return min(4, max(0, 2 - floor(log10(least)))) if least > 0 else 0

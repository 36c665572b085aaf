"""What a report shows of each model at each K: its figures over the seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Value = int | float


@dataclass(frozen=True)
class Spread:
    """A figure over seeds."""

    mean: float
    least: Value
    most: Value


@dataclass(frozen=True)
class Result:
    """One model at one K.

    ``figures`` are by the names in `partition.report.figure`; ``settings`` are what won with each seed.
    """

    model: str
    k: int
    seeds: tuple[int, ...]
    figures: dict[str, Spread]
    settings: tuple[dict[str, Any], ...]


def spread(values: Sequence[Value]) -> Spread:
    """The mean, least and most of at least one value."""
    return Spread(sum(values) / len(values), min(values), max(values))

"""What a report shows of each model at each K: its figures over the seeds, or why it is left out."""

from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True)
class LeftOut:
    """What the report does not have, and why: a model as a whole (``k`` None), or at one K."""

    model: str
    k: int | None
    reason: str

    @property
    def what(self) -> str:
        """The model, and the K if it is not all."""
        return self.model if self.k is None else f"{self.model} at K={self.k}"


def lines_of(left_out: Iterable[LeftOut]) -> list[str]:
    """A line for each reason, naming all that is left out for it."""
    by_reason: dict[str, dict[str, list[int]]] = {}
    for left in left_out:
        parts = by_reason.setdefault(left.reason, {}).setdefault(left.model, [])
        parts += [] if left.k is None else [left.k]
    return [
        f"{', '.join(_what(model, parts) for model, parts in models.items())} left out: {reason}"
        for reason, models in by_reason.items()
    ]


def _what(model: str, parts: Sequence[int]) -> str:
    return f"{model} at K={', '.join(map(str, parts))}" if parts else model

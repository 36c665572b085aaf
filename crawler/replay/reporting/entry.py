"""One replay as a report has it, and which of several replays its plots show."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crawler.replay.course import Course
from crawler.replay.measuring.figures import FIGURES
from crawler.replay.measuring.measures import Measures
from crawler.replay.measuring.timeline import Timeline
from partition.quality.request import ALL_MODELS
from partition.quality.results import Result, spread

Value = int | float


@dataclass(frozen=True)
class Entry:
    """A replay and what came of it.

    Attributes:
        model: what it stands under in tables and plots: a model's name, or any other.
        k: number of ranks.
        ownership_name: of the assignment, as sessions have it.
        measures, timeline: what was measured.
        course: what to show of it by pair of ranks; None to leave that out.
        seconds: from the recording to the end of the course; peak_bytes: largest resident set meanwhile.
    """

    model: str
    k: int
    ownership_name: str
    measures: Measures
    timeline: Timeline
    course: Course | None
    seconds: float
    peak_bytes: int

    def figures(self) -> dict[str, Value]:
        """All figures by their names in `crawler.replay.measuring.figures`."""
        return {**asdict(self.measures), "seconds": self.seconds, "peak_bytes": self.peak_bytes}


def results_of(entries: Sequence[Entry]) -> list[Result]:
    """A result for each model and K, in the order of their first entries, over all entries of that model and K."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for entry in entries:
        groups.setdefault((entry.model, entry.k), []).append(entry.figures())
    names = [figure.name for figure in FIGURES]
    return [
        Result(model, k, tuple(range(len(group))), {name: spread([told[name] for told in group]) for name in names}, ())
        for (model, k), group in groups.items()
    ]


def at_k(entries: Sequence[Entry], k: int) -> dict[str, Entry]:
    """The first entry of each model at a K."""
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.k == k:
            found.setdefault(entry.model, entry)
    return found


def looks_of(models: Sequence[str]) -> dict[str, str]:
    """As which model of the quality report each is drawn: as itself if it is one, else as one that is not there."""
    free: Iterator[str] = iter([model for model in ALL_MODELS if model not in models])
    return {
        model: model if model in ALL_MODELS else next(free, ALL_MODELS[place % len(ALL_MODELS)])
        for place, model in enumerate(models)
    }

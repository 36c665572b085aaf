"""One replay as a report has it, and which of several replays its plots show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from crawler.replay.course import Course
from crawler.replay.measuring.figures import FIGURES
from crawler.replay.measuring.measures import Measures
from crawler.replay.measuring.timeline import Timeline
from crawler.replay.recording import Recording
from partition.quality.request import USUAL_MODELS
from partition.report.plots import MARKERS
from partition.report.results import Result, spread

Value = int | float
TOLERANCE = 0.1
"""The imbalance of storage or requests beyond which a replay is marked."""


@dataclass(frozen=True)
class ReportEntry:
    """A replay and what came of it.

    Attributes:
        model: what it stands under in tables and plots: a model's name, or any other.
        k: number of ranks.
        ownership_name: of the assignment, as sessions have it.
        measures, timeline: what was measured.
        course: what to show of it by pair of ranks; None to leave that out.
        seconds: from the recording to the end of the course; peak_bytes: largest resident set meanwhile.
        virtual_seconds: how long it took in virtual time, 0 if it had none.
        as_read: the recording with the times that its pages had, None if these are the recorded ones.
        asked: what was asked for beside the settings, by name, as a reader wants it: latency and delays.
        is_cut_off: a signal ended it, so its figures are of a part.
        warnings: what a reader has to know before the figures, a line each.
    """

    model: str
    k: int
    ownership_name: str
    measures: Measures
    timeline: Timeline
    course: Course | None
    seconds: float
    peak_bytes: int
    virtual_seconds: float = 0.0
    asked: Mapping[str, str] = field(default_factory=dict)
    as_read: Recording | None = None
    is_cut_off: bool = False
    warnings: tuple[str, ...] = ()

    def figures(self) -> dict[str, Value]:
        """All figures by their names in `crawler.replay.measuring.figures`."""
        of_run = {name: getattr(self, name) for name in ("virtual_seconds", "seconds", "peak_bytes")}
        return {**asdict(self.measures), **of_run}


def results_of(entries: Sequence[ReportEntry]) -> list[Result]:
    """A result for each model and K, in the order of their first entries, over all entries of that model and K."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for entry in entries:
        groups.setdefault((entry.model, entry.k), []).append(entry.figures())
    names = [figure.name for figure in FIGURES]
    return [
        Result(model, k, tuple(range(len(group))), {name: spread([told[name] for told in group]) for name in names}, ())
        for (model, k), group in groups.items()
    ]


def warnings_of(entries: Iterable[ReportEntry]) -> list[str]:
    """What a reader has to know before the figures of any of these, each line once."""
    return list(dict.fromkeys(line for entry in entries for line in entry.warnings))


def at_k(entries: Sequence[ReportEntry], k: int) -> dict[str, ReportEntry]:
    """The first entry of each model at a K."""
    found: dict[str, ReportEntry] = {}
    for entry in entries:
        if entry.k == k:
            found.setdefault(entry.model, entry)
    return found


def shown_of(models: Sequence[str]) -> list[str]:
    """Which of the models plots can show so that they are told apart: at most six.

    Of ways that are named model/rule these are the first of each model, then others, in their order.
    """
    firsts: dict[str, str] = {}
    for model in models:
        firsts.setdefault(_kind(model), model)
    chosen = list(dict.fromkeys([*firsts.values(), *models]))[: len(USUAL_MODELS)]
    return [model for model in models if model in chosen]


def looks_of(models: Sequence[str]) -> dict[str, str]:
    """As which model of the quality report each of at most six is drawn.

    That is as the one that it is, or of which it is the first way, else as one that is not there.
    """
    found: dict[str, str] = {}
    for model in sorted(models, key=lambda model: model not in MARKERS):
        if _kind(model) in MARKERS and _kind(model) not in found.values():
            found[model] = _kind(model)
    free = (model for model in USUAL_MODELS if model not in set(found.values()))
    return {model: found[model] if model in found else next(free) for model in models}


def _kind(model: str) -> str:
    """The model of a way model/rule."""
    return model.partition("/")[0]

"""The figures of a foresight: those of a replay that an assignment decides, and why it is as unbalanced as it is."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa

from crawler.replay.course import Course
from crawler.replay.measuring.figures import BY_NAME as OF_REPLAY
from crawler.replay.measuring.figures import OWNERSHIP
from crawler.replay.measuring.importance import Importance
from crawler.replay.measuring.measures import measures_of
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from partition.assignment.url_prefixes import url_keys
from partition.measures.imbalance import imbalance
from partition.report.figure import RATIO, Figure
from partition.report.scales import Scale, scale_for

Value = int | float

OVERLAP = "overlap"
_TAKEN = (
    "storage_imbalance",
    "requests_imbalance",
    "links_imbalance",
    "time_imbalance",
    "urls_per_page",
    "bytes_per_page",
    "wire_bytes_per_page",
    OVERLAP,
    "coverage",
    "unknown_discovered",
    "empty_parts",
)
_OWN = (
    Figure(
        "known_requests_imbalance",
        OWNERSHIP,
        "Imbalance of requests, known pages",
        RATIO,
        "The same of the pages alone that the map holds: what is left of the partition's balance.",
    ),
    Figure(
        "new_on_fullest",
        OWNERSHIP,
        "New pages on the fullest rank",
        RATIO,
        "Of the fetches of the rank that fetches most pages, those of pages that the map does not hold.",
    ),
)
FIGURES = (*(OF_REPLAY[name] for name in _TAKEN), *_OWN)
BY_NAME = {figure.name: figure for figure in FIGURES}

_MANY = 100


def figures_of(
    recording: Recording, ownership: Ownership, course: Course, settings: ReplaySettings, importance: Importance
) -> dict[str, Value]:
    """All figures of a course; without that of time where the recording has no times.

    Those of the map are left out for a hash, which has none.
    """
    measured = asdict(measures_of(recording, ownership, course, settings, importance))
    taken = {name: measured[name] for name in _TAKEN if name != "time_imbalance" or recording.milliseconds.any()}
    if ownership.numbers is None:
        del taken["unknown_discovered"]
        return taken
    return taken | _of_known(ownership, course)


def _of_known(ownership: Ownership, course: Course) -> dict[str, Value]:
    ranks = course.fetches.rank
    is_new = ownership.unknown[course.fetches.page]
    if not len(ranks):
        return {"known_requests_imbalance": 0.0, "new_on_fullest": 0.0}
    fullest = int(np.bincount(ranks, minlength=course.ranks).argmax())
    known = ranks[~is_new]
    return {
        "known_requests_imbalance": imbalance(np.ones(len(known), np.int64), known, course.ranks),
        "new_on_fullest": float(is_new[ranks == fullest].mean()),
    }


def crowded_place(recording: Recording, ownership: Ownership, course: Course) -> str | None:
    """Where most of the pages lie that make the fullest rank full and that the map does not hold; None if it holds all.

    That is a site, or a directory of it that has more than half of these pages, as deep as there is one.
    """
    fetches = course.fetches
    if not len(fetches):
        return None
    fullest = int(np.bincount(fetches.rank, minlength=course.ranks).argmax())
    new = np.unique(fetches.page[(fetches.rank == fullest) & ownership.unknown[fetches.page]])
    return _crowded(url_keys(recording.urls.take(pa.array(new)).to_pylist())) if len(new) else None


def _crowded(keys: list[str]) -> str:
    place, inside = "", keys
    while True:
        within = (key[len(place) :].partition("?")[0].partition("/") for key in inside)
        names = Counter(name + slash for name, slash, _ in within if slash)
        name, count = names.most_common(1)[0] if names else ("", 0)
        if not count or (place and 2 * count <= len(keys)):
            return place
        place += name
        inside = [key for key in inside if key.startswith(place)]


def scale_of(figure: Figure, values: Iterable[Value]) -> Scale:
    """The scale of a figure's tables and plots: the same decimals for all, fewer where numbers are large."""
    found = list(values)
    if figure.unit == RATIO:
        largest = 100 * max(map(abs, found), default=0)
        return replace(scale_for(figure, found), decimals=0 if largest >= 10 * _MANY else 1)
    if all(isinstance(value, int) for value in found):
        return scale_for(figure, found)
    return Scale(figure.unit, 1.0, 1 if max(found, default=0) >= _MANY else 2)

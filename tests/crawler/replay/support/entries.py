"""Entries of the worked example of docs/measures.md, under several models."""

import numpy as np

from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording
from crawler.replay.reporting.entry import ReportEntry
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.measuring.test_measures import worked_example
from tests.crawler.replay.support.courses import ownership_with

SETTINGS = ReplaySettings(pages_per_superstep=1)


def entry(recording: Recording, ownership: Ownership, model: str, *, has_course: bool = True) -> ReportEntry:
    """A replay of a recording as an entry that took 1.5 s and 2 MB."""
    course = estimate(recording, ownership, SETTINGS)
    measures = measures_of(recording, ownership, course, SETTINGS)
    kept = course if has_course else None
    timeline = timeline_of(recording, course)
    return ReportEntry(model, ownership.ranks, ownership.name, measures, timeline, kept, 1.5, 2_000_000)


def entries_at(*parts: int) -> tuple[Recording, list[ReportEntry]]:
    """Two models at each K; at 2 the first is the worked example."""
    recording, example = worked_example()
    found = []
    for k in parts:
        spread = ownership_with(k, (np.arange(6) % k).tolist())
        found.append(entry(recording, example if k == 2 else spread, "page, <discoverer>"))
        found.append(entry(recording, spread, "page-hash"))
    return recording, found

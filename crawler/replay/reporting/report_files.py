"""The figures of replays as CSV (RFC 4180) and JSON: for spreadsheets, R and pandas."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from crawler.replay.measuring.figures import FIGURES, OF_RANKS
from crawler.replay.measuring.quality import PERCENT
from crawler.replay.measuring.rank_totals import rank_totals
from crawler.replay.measuring.timeline import Timeline
from crawler.replay.recording import Recording
from crawler.replay.reporting.entry import ReportEntry, warnings_of
from crawler.replay.reporting.heatmap import LARGEST
from crawler.replay.settings import ReplaySettings
from partition.report.csv_table import Cell, as_csv
from partition.report.figure import Figure
from sessions.version import software_version

FORMAT_VERSION = 1
_KEYS = ("model", "k", "assignment")
_CURVES = ("back_link_quality", "page_rank_quality")
_STEPS = tuple(field.name for field in fields(Timeline) if field.name not in _CURVES)
_BY_PAIR = ("urls", "numbers", "bytes", "wire_bytes")


def measures_as_csv(entries: Sequence[ReportEntry]) -> str:
    """A row for each entry, with all figures."""
    names = [figure.name for figure in FIGURES]
    return as_csv([*_KEYS, *names], ([*_keys(entry), *(entry.figures()[name] for name in names)] for entry in entries))


def timeline_as_csv(entries: Sequence[ReportEntry]) -> str:
    """A row for each entry and superstep."""
    rows: list[list[Cell]] = []
    for entry in entries:
        columns = [getattr(entry.timeline, name).tolist() for name in _STEPS]
        rows += [[*_keys(entry), step, *row] for step, row in enumerate(zip(*columns, strict=True))]
    return as_csv([*_KEYS, "superstep", *_STEPS], rows)


def quality_as_csv(entries: Sequence[ReportEntry]) -> str:
    """A row for each entry and percent of the pages."""
    rows: list[list[Cell]] = []
    for entry in entries:
        columns = [PERCENT.tolist(), *(getattr(entry.timeline, name).tolist() for name in _CURVES)]
        rows += [[*_keys(entry), *row] for row in zip(*columns, strict=True)]
    return as_csv([*_KEYS, "percent", *_CURVES], rows)


def pairs_as_csv(entries: Sequence[ReportEntry]) -> str:
    """A row for each pair of ranks of which the one sends to the other, of entries that have a course and 64 ranks."""
    rows: list[list[Cell]] = []
    for entry in entries:
        if entry.course is None or entry.k > LARGEST:
            continue
        messages = entry.course.messages
        tables = [messages.by_pair(entry.k, column) for column in (np.ones_like(messages.urls), *_sent(entry))]
        for sender, receiver in np.argwhere(tables[0]).tolist():
            rows.append([*_keys(entry), sender, receiver, *(int(table[sender, receiver]) for table in tables)])
    return as_csv([*_KEYS, "sender", "receiver", "messages", *_BY_PAIR], rows)


def ranks_as_csv(entries: Sequence[ReportEntry], recording: Recording) -> str:
    """A row for each entry that has a course, and rank."""
    rows: list[list[Cell]] = []
    for entry in entries:
        columns = _of_ranks(entry, recording).values()
        rows += [[*_keys(entry), rank, *row] for rank, row in enumerate(zip(*columns, strict=True))]
    return as_csv([*_KEYS, "rank", *(figure.name for figure in OF_RANKS)], rows)


def as_dict(
    entries: Sequence[ReportEntry], recording: Recording, settings: ReplaySettings, made: str
) -> dict[str, Any]:
    """The content of report.json."""
    return {
        "format": FORMAT_VERSION,
        "software": f"cutweb {software_version()}",
        "made": made,
        "warnings": warnings_of(entries),
        "session": {
            "name": recording.session.path.resolve().name,
            "pages": recording.page_count,
            "urls": len(recording),
            "links": len(recording.targets),
            "seeds": len(recording.seeds),
            "bytes": int(recording.bytes.sum()),
        },
        "settings": settings.as_plain_values(),
        "figures": _explained(FIGURES),
        "figures_of_ranks": _explained(OF_RANKS),
        "replays": [
            dict(zip(_KEYS, _keys(entry), strict=True))
            | {"figures": entry.figures(), "ranks": _of_ranks(entry, recording)}
            for entry in entries
        ],
    }


def _explained(figures: Iterable[Figure]) -> dict[str, Any]:
    return {
        figure.name: {
            "title": figure.title,
            "unit": figure.unit,
            "meaning": figure.meaning,
            "of_machine": figure.of_machine,
        }
        for figure in figures
    }


def _of_ranks(entry: ReportEntry, recording: Recording) -> dict[str, list[Cell]]:
    """What each rank did, by the names of `OF_RANKS`; nothing of an entry without a course."""
    if entry.course is None:
        return {}
    totals = rank_totals(entry.as_read or recording, entry.course)
    return {figure.name: getattr(totals, figure.name).tolist() for figure in OF_RANKS}


def _keys(entry: ReportEntry) -> tuple[str, int, str]:
    return entry.model, entry.k, entry.ownership_name


def _sent(entry: ReportEntry) -> list[Any]:
    assert entry.course is not None
    return [getattr(entry.course.messages, name) for name in _BY_PAIR]

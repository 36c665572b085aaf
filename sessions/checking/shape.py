"""session.json and the commit records: each has the fields it should have, and they agree with each other."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from sessions.checking.problem import Problem
from sessions.recorder import rank_folder
from sessions.schema import FORMAT_VERSION, TABLES
from sessions.session import HEADER, SessionError

END_REASONS = ("complete", "max-pages", "max-seconds", "max-wait", "signal", "imported")
GROWING = ("discovered", "fetched", "failed", "filtered", "links", "links_out_of_scope", "bytes", "decoded_bytes")
BY_DESTINATION = ("sent_urls", "sent_numbers", "sent_bytes", "wire_bytes", "messages")
"""Counters of a report that hold one number for each destination rank; older sessions may lack some."""


@dataclass(frozen=True)
class _MapOf:
    """A JSON object with any keys, whose values all have one shape."""

    values: Any


@dataclass(frozen=True)
class _Maybe:
    """A shape, or null."""

    shape: Any


@dataclass(frozen=True)
class _SinceLater:
    """The shape of a field that older sessions do not have."""

    shape: Any


class _Count:
    """A whole number, not negative."""


class _Time:
    """A point in time in ISO 8601."""


_COUNTS = _MapOf(_Count)
_FILE = {"file": str, "bytes": _Count, "xxh3": str}
REPORT_SHAPE = {
    **dict.fromkeys(("discovered", "fetched", "failed", "filtered", "queued"), _Count),
    "reasons": {"failed": _COUNTS, "filtered": _COUNTS, "queued": _COUNTS},
    "statuses": _COUNTS,
    **dict.fromkeys(("links", "links_out_of_scope", "bytes", "decoded_bytes", "robots_fetched"), _Count),
    "errors": _COUNTS,
    **{counter: [_Count] for counter in BY_DESTINATION},
    "sent_numbers": _SinceLater([_Count]),
    "links_nofollow": _SinceLater(_Count),
    **dict.fromkeys(("duplicates", "near_duplicates", "unchanged"), _SinceLater(_Count)),
    **dict.fromkeys(("links_over_limit", "letters"), _SinceLater(_Count)),
    "defects": _SinceLater(_MapOf(_Count)),
    **dict.fromkeys(("resent", "supersteps", "peak_rss"), _Count),
    "seconds": float,
    "cpu": _MapOf(float),
}
EPOCH_SHAPE = {
    "epoch": _Count,
    "run": str,
    "superstep": _Count,
    "committed": _Time,
    "ranks": [{"tables": _MapOf({**_FILE, "rows": _Count}), "warc": [_FILE], "report": REPORT_SHAPE}],
}
HEADER_SHAPE = {
    "format": _Count,
    "software": str,
    "run": str,
    "started": _Time,
    "ranks": _Count,
    "assignment": str,
    "configuration": dict,
    "previous": _Maybe(str),
    "epochs": _Count,
    "ended": _Maybe({"reason": str, "seconds": float, "at": _Time}),
}


def read_header(path: Path) -> dict[str, Any]:
    """The content of session.json.  Raises SessionError if the folder is no session that this version reads."""
    try:
        header = json.loads((path / HEADER).read_bytes())
    except FileNotFoundError as error:
        raise SessionError(f"{path / HEADER}: no such file; is {path} a session?") from error
    except (OSError, ValueError) as error:
        raise SessionError(f"{path / HEADER}: cannot be read ({error})") from error
    if not isinstance(header, dict):
        raise SessionError(f"{path / HEADER}: not a JSON object")
    if header.get("format") != FORMAT_VERSION:
        raise SessionError(f"{path / HEADER}: format {header.get('format')!r}; this version reads {FORMAT_VERSION}")
    return header


def header_shape(header: dict[str, Any]) -> Iterator[Problem]:
    """session.json has its fields, K is at least 1, and the end has a known reason."""
    wrong = list(_misshapen(header, HEADER_SHAPE, ""))
    yield from (Problem(HEADER, None, text) for text in wrong)
    if wrong:
        return
    if header["ranks"] < 1:
        yield Problem(HEADER, None, "ranks is 0; a session has at least one")
    if header["ended"] is not None and header["ended"]["reason"] not in END_REASONS:
        yield Problem(HEADER, None, f"ended for an unknown reason, {header['ended']['reason']!r}")


def read_epochs(path: Path, count: int, epochs: list[dict[str, Any]]) -> Iterator[Problem]:
    """Each committed epoch has a record with its fields; the good ones are appended to ``epochs``."""
    for number in range(1, count + 1):
        name = record_name(number)
        try:
            record = json.loads((path / name).read_bytes())
        except FileNotFoundError:
            yield Problem(name, None, f"missing; {HEADER} says that {count} epochs are committed")
            continue
        except (OSError, ValueError) as error:
            yield Problem(name, None, f"cannot be read ({error})")
            continue
        wrong = list(_misshapen(record, EPOCH_SHAPE, ""))
        yield from (Problem(name, None, text) for text in wrong)
        if not wrong:
            epochs.append(record)


def record_name(epoch: int) -> str:
    """The file of an epoch's commit record, relative to the session."""
    return f"epochs/{epoch:06d}.json"


def epochs_agree(header: dict[str, Any], epochs: list[dict[str, Any]]) -> Iterator[Problem]:
    """Commit records carry their number, K ranks, and runs and supersteps that go forward to the header's."""
    for number, record in enumerate(epochs, start=1):
        name = record_name(number)
        if record["epoch"] != number:
            yield Problem(name, None, f"says that it is epoch {record['epoch']}")
        if len(record["ranks"]) != header["ranks"]:
            yield Problem(name, None, f"has {len(record['ranks'])} ranks; {HEADER} says {header['ranks']}")
    for number, (before, after) in enumerate(pairwise(epochs), start=2):
        for field in ("superstep", "run"):
            if after[field] < before[field]:
                text = f"{field} {after[field]!r} comes before the last epoch's {before[field]!r}"
                yield Problem(record_name(number), None, text)
    if epochs and epochs[-1]["run"] != header["run"]:
        text = f"run {epochs[-1]['run']!r} is not the run in {HEADER}, {header['run']!r}"
        yield Problem(record_name(len(epochs)), None, text)


def reports_grow(epochs: list[dict[str, Any]]) -> Iterator[Problem]:
    """A rank's counters, which run from the crawl's start, never go back."""
    for number, (before, after) in enumerate(pairwise(epochs), start=2):
        for rank, (old, new) in enumerate(zip(before["ranks"], after["ranks"], strict=False)):
            for counter in GROWING:
                if new["report"][counter] < old["report"][counter]:
                    text = f"rank {rank}: {counter} fell from {old['report'][counter]:,} to {new['report'][counter]:,}"
                    yield Problem(record_name(number), None, text)


def names_are_right(epochs: list[dict[str, Any]], is_ended: bool) -> Iterator[Problem]:
    """Files stand in their rank's folder under their table's, epoch's and run's name; frontiers only at the end."""
    for number, record in enumerate(epochs, start=1):
        name = record_name(number)
        for rank, entry in enumerate(record["ranks"]):
            folder = rank_folder(Path(), rank).name
            for table, file in entry["tables"].items():
                if table not in TABLES:
                    yield Problem(name, None, f"rank {rank}: unknown table {table!r}")
                elif file["file"] != (expected := f"{folder}/{table}-{number:06d}-{record['run']}.parquet"):
                    yield Problem(name, None, f"rank {rank}: {file['file']!r} should be {expected!r}")
                if table == "frontier" and not (is_ended and number == len(epochs)):
                    yield Problem(name, None, f"rank {rank}: a frontier, which is written at the end only")
            for file in entry["warc"]:
                parent, _, rest = file["file"].partition("/")
                if parent != folder or "/" in rest or not rest.endswith(".warc.gz"):
                    yield Problem(name, None, f"rank {rank}: {file['file']!r} should be a .warc.gz file in {folder}")


def warcs_grow(epochs: list[dict[str, Any]]) -> Iterator[Problem]:
    """WARC files are only ever appended to."""
    lengths: dict[str, int] = {}
    for number, record in enumerate(epochs, start=1):
        for entry in record["ranks"]:
            for file in entry["warc"]:
                if file["bytes"] < lengths.get(file["file"], 0):
                    text = f"{file['file']} shrank from {lengths[file['file']]:,} to {file['bytes']:,} bytes"
                    yield Problem(record_name(number), None, text)
                lengths[file["file"]] = file["bytes"]


def _misshapen(value: Any, shape: Any, where: str) -> Iterator[str]:
    """Sentences on where ``value`` departs from ``shape``; fields that the shape does not name are ignored."""
    if isinstance(shape, _SinceLater):
        yield from _misshapen(value, shape.shape, where)
    elif isinstance(shape, _Maybe):
        if value is not None:
            yield from _misshapen(value, shape.shape, where)
    elif isinstance(shape, type):
        if not _is_a(value, shape):
            yield f"{where or 'the file'} is {_shown(value)}, not {_KINDS[shape]}"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where} is {_shown(value)}, not a list"
        else:
            for index, item in enumerate(value):
                yield from _misshapen(item, shape[0], f"{where}[{index}]")
    elif not isinstance(value, dict):
        yield f"{where or 'the file'} is {_shown(value)}, not an object"
    elif isinstance(shape, _MapOf):
        for key, item in value.items():
            yield from _misshapen(item, shape.values, f"{where}[{key!r}]")
    else:
        for key, expected in shape.items():
            inner = f"{where}.{key}" if where else key
            if key in value:
                yield from _misshapen(value[key], expected, inner)
            elif not isinstance(expected, _SinceLater):
                yield f"{inner} is missing"


_KINDS = {
    str: "a string",
    float: "a number",
    dict: "an object",
    _Count: "a whole number of at least 0",
    _Time: "a time in ISO 8601",
}


def _is_a(value: Any, kind: type) -> bool:
    if kind is _Count:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if kind is _Time:
        return isinstance(value, str) and _is_time(value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return isinstance(value, kind)


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."

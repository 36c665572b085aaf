"""session.json and the commit records: each has the fields it should have."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sessions.checking.problem import Problem
from sessions.counters import COUNTERS, STATES, Form
from sessions.schema import FORMAT_VERSION
from sessions.session import HEADER, SessionError

END_REASONS = ("complete", "max-pages", "max-seconds", "max-wait", "signal", "imported")


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


class _Whole:
    """A whole number."""


_COUNTS = _MapOf(_Count)
_FILE = {"file": str, "bytes": _Count, "xxh3": str}
_SHAPES: dict[Form, Any] = {
    Form.COUNT: _Count,
    Form.BALANCE: _Whole,
    Form.BY_NAME: _COUNTS,
    Form.BY_STATE: dict.fromkeys(STATES, _COUNTS),
    Form.BY_RANK: [_Count],
    Form.SECONDS: float,
    Form.BY_STAGE: _MapOf(float),
}
REPORT_SHAPE = {
    name: _SinceLater(_SHAPES[counter.form]) if counter.is_later else _SHAPES[counter.form]
    for name, counter in COUNTERS.items()
}
_END = _Maybe({"reason": str, "seconds": float, "at": _Time})
_RUN = {"ranks": _Count, "assignment": str, "configuration": dict, "started": _Time}
EPOCH_SHAPE = {
    "epoch": _Count,
    "run": str,
    "superstep": _Count,
    "committed": _Time,
    "ended": _SinceLater(_END),
    "resumes": _SinceLater(_RUN),
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
    "runs": _SinceLater([{"run": str, **_RUN, "first_epoch": _Count}]),
    "epochs": _Count,
    "ended": _END,
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
    """Each committed epoch has a record with its fields; the good ones are appended to ``epochs``.

    There may be more than the ``count`` that session.json knows of.
    """
    while (path / record_name(count + 1)).exists():
        count += 1
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
    _Whole: "a whole number",
    _Count: "a whole number of at least 0",
    _Time: "a time in ISO 8601",
}


def _is_a(value: Any, kind: type) -> bool:
    if kind in (_Whole, _Count):
        return isinstance(value, int) and not isinstance(value, bool) and (kind is _Whole or value >= 0)
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

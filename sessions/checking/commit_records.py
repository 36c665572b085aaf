"""session.json and the commit records: each has the fields it should have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from sessions.checking.json_shape import misshapen
from sessions.checking.problem import Problem
from sessions.counters import COUNTERS, STATES, Form
from sessions.folding import unfolded
from sessions.records import CommitRecord, Count, Header, RankEntry, Whole
from sessions.schema import FORMAT_VERSION
from sessions.session import HEADER, SessionError, no_session, record_numbers

END_REASONS = ("complete", "worklist", "max-pages", "max-seconds", "max-wait", "signal", "imported")


_object: Any = TypedDict  # with fields that only the declared counters know
_COUNTS = dict[str, Count]
_SHAPES: dict[Form, Any] = {
    Form.COUNT: Count,
    Form.BALANCE: Whole,
    Form.BY_NAME: _COUNTS,
    Form.BY_STATE: _object("BY_STATE", dict.fromkeys(STATES, _COUNTS)),
    Form.SECONDS: float,
    Form.BY_STAGE: dict[str, float],
}
REPORT_SHAPE = _object(
    "REPORT_SHAPE",
    {
        name: NotRequired[_SHAPES[counter.form]] if counter.is_later else _SHAPES[counter.form]
        for name, counter in COUNTERS.items()
    },
)
"""A rank's report: one field for each counter."""


def read_header(path: Path) -> Header:
    """The content of session.json, whose fields are yet to be checked.

    Raises SessionError if the folder is no session that this version reads.
    """
    try:
        header: Any = json.loads((path / HEADER).read_bytes())
    except FileNotFoundError as error:
        raise SessionError(no_session(path / HEADER)) from error
    except (OSError, ValueError) as error:
        raise SessionError(f"{path / HEADER}: cannot be read ({error})") from error
    if not isinstance(header, dict):
        raise SessionError(f"{path / HEADER}: not a JSON object")
    if header.get("format") != FORMAT_VERSION:
        raise SessionError(f"{path / HEADER}: format {header.get('format')!r}; this version reads {FORMAT_VERSION}")
    return cast(Header, header)


def header_shape(header: Header) -> Iterator[Problem]:
    """session.json has its fields, K is at least 1, and the end has a known reason."""
    wrong = list(misshapen(header, Header))
    yield from (Problem(HEADER, None, text) for text in wrong)
    if wrong:
        return
    if header["ranks"] < 1:
        yield Problem(HEADER, None, "ranks is 0; a session has at least one")
    if header["ended"] is not None and header["ended"]["reason"] not in END_REASONS:
        yield Problem(HEADER, None, f"ended for an unknown reason, {header['ended']['reason']!r}")


def read_epochs(path: Path, count: int, epochs: list[CommitRecord]) -> Iterator[Problem]:
    """Each committed epoch has a record with its fields; the good ones are appended to ``epochs``.

    There may be more than the ``count`` that session.json knows of, and fewer files, where some were folded.
    """
    last = count
    while (path / record_name(last + 1)).exists():
        last += 1
    for number in range(max([last, *record_numbers(path)]) if last == count else last, 0, -1):
        name = record_name(number)
        try:
            record = json.loads((path / name).read_bytes())
        except FileNotFoundError:
            if number > count:
                epochs.clear()
            else:
                yield Problem(name, None, f"missing; {HEADER} says that {count} epochs are committed")
            continue
        except (OSError, ValueError) as error:
            yield Problem(name, None, f"cannot be read ({error})")
            continue
        wrong = list(_misshapen_record(record))
        if not wrong and record["epoch"] != number:
            wrong = [f"says that it is epoch {record['epoch']}"]
        yield from (Problem(name, None, text) for text in wrong)
        if not wrong:
            epochs[:0] = unfolded(record)
            if "folded" in record:
                return


def _misshapen_record(record: Any) -> Iterator[str]:
    wrong = list(misshapen(record, CommitRecord))
    yield from wrong
    if wrong:
        return
    for place, one in enumerate([*record.get("folded", ()), record]):
        where = f"folded[{place}]." if one is not record else ""
        for rank, entry in enumerate(one["ranks"]):
            if one is record or "report" in entry:
                yield from _misshapen_report(entry, f"{where}ranks[{rank}].report")


def _misshapen_report(entry: RankEntry, where: str) -> Iterator[str]:
    if "report" not in entry:
        yield f"{where} is missing"
        return
    report = entry["report"]
    lists = {name: value for name, value in report.items() if isinstance(value, list) and COUNTERS[name].was_by_rank}
    for name, value in lists.items():
        yield from misshapen(value, list[Count], f"{where}.{name}")
    yield from misshapen({**report, **dict.fromkeys(lists, 0)}, REPORT_SHAPE, where)


def record_name(epoch: int) -> str:
    """The file of an epoch's commit record, relative to the session."""
    return f"epochs/{epoch:06d}.json"

"""The records of commits, as JSON."""

import json
from typing import Any

import pytest

from crawler.drum.chunk_file import End
from crawler.drum.record import Record, read_record
from sessions.session import SessionError

RECORD = Record("a kind", False, 3, 100, 7, [0, 5], {"x.sorted": End(2**40, 2**64 - 1), "x.aux": End(10, 0)})


@pytest.mark.parametrize("record", [RECORD, RECORD._replace(is_in_memory=True, pending=[], files={})])
def test_a_record_is_read_as_it_was_written(record: Record) -> None:
    assert read_record(json.loads(json.dumps(record.as_json())), "x", "a kind") == record


@pytest.mark.parametrize(
    "change", [{"files": []}, {"files": {"x": [1]}}, {"number": "x"}, {"keys": None}, {"pending": 1}]
)
def test_what_is_no_record_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(SessionError, match="the record of seen cannot be read"):
        read_record(RECORD.as_json() | change, "seen", "a kind")


def test_a_record_lacking_something_is_refused() -> None:
    for key in RECORD.as_json():
        with pytest.raises(SessionError, match="the record of seen cannot be read"):
            read_record({name: value for name, value in RECORD.as_json().items() if name != key}, "seen", "a kind")


def test_another_kind_is_refused() -> None:
    with pytest.raises(SessionError, match="the record of seen is of a kind, but another is asked for"):
        read_record(RECORD.as_json(), "seen", "another")

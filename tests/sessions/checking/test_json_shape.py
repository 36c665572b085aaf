"""Values of JSON against the declarations of records: what is right passes, what is wrong is named."""

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.checking.json_shape import misshapen
from sessions.records import CommitRecord, Header

COUNTS = st.integers(0, 2**53)
TEXT = st.text(max_size=5)
TIMES = st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)
FILE = {"file": TEXT, "bytes": COUNTS, "xxh3": TEXT}
OPTIONS = st.dictionaries(TEXT, st.none() | st.booleans() | st.integers() | TEXT, max_size=3)
RUN = {"ranks": COUNTS, "assignment": TEXT, "configuration": OPTIONS, "started": TIMES}
END = st.none() | st.fixed_dictionaries({"reason": TEXT, "seconds": st.floats(0, 1e9) | COUNTS, "at": TIMES})
ENTRY = st.fixed_dictionaries(
    {
        "tables": st.dictionaries(TEXT, st.fixed_dictionaries({**FILE, "rows": COUNTS}), max_size=2),
        "warc": st.lists(st.fixed_dictionaries(FILE), max_size=2),
        "report": OPTIONS,
    }
)
RECORDS = st.fixed_dictionaries(
    {"epoch": COUNTS, "run": TEXT, "superstep": COUNTS, "committed": TIMES, "ranks": st.lists(ENTRY, max_size=2)},
    optional={"ended": END, "resumes": st.fixed_dictionaries(RUN)},
)
FORGOTTEN = st.fixed_dictionaries(
    {
        **{"at": TIMES, "software": TEXT, "sites": st.lists(TEXT, max_size=2), "domains": st.lists(TEXT, max_size=2)},
        **dict.fromkeys(("urls", "pages", "records", "bodies_moved"), COUNTS),
    }
)
HEADERS = st.fixed_dictionaries(
    {
        "format": COUNTS,
        "software": TEXT,
        "run": TEXT,
        **RUN,
        "previous": st.none() | TEXT,
        "epochs": COUNTS,
        "ended": END,
    },
    optional={
        "forgotten": st.lists(FORGOTTEN, max_size=2),
        "runs": st.lists(st.fixed_dictionaries({"run": TEXT, "first_epoch": COUNTS, **RUN}), max_size=2),
    },
)
OPTIONAL = {"ended", "resumes", "runs", "forgotten", "dropped"}


@given(header=HEADERS, record=RECORDS)
@settings(max_examples=60, derandomize=True, deadline=None)
def test_what_is_right_passes(header: Any, record: Any) -> None:
    assert list(misshapen(header, Header)) == []
    assert list(misshapen({**record, "later": 1}, CommitRecord)) == []


def places(value: Any) -> list[tuple[Any, ...]]:
    """The ways to all values in a value but free-form ones."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, ...]] = [()]
    for key, item in inner:
        if key not in ("configuration", "report"):
            found += [(key, *way) for way in places(item)]
    return found


@given(record=RECORDS, wrong=st.sampled_from([None, True, -1, "x", 1.5]), data=st.data())
@settings(max_examples=200, derandomize=True, deadline=None)
def test_a_wrong_value_is_told_with_its_place(record: Any, wrong: Any, data: st.DataObject) -> None:
    way = data.draw(st.sampled_from(places(record)[1:]))
    broken = json.loads(json.dumps(copy.deepcopy(record)))
    at = broken
    for key in way[:-1]:
        at = at[key]
    right, at[way[-1]] = at[way[-1]], wrong
    told = list(misshapen(broken, CommitRecord))
    name = "".join(
        f"[{key}]" if isinstance(key, int) else f"[{key!r}]" if before == "tables" else f".{key}"
        for before, key in zip((None, *way), way, strict=False)
    ).removeprefix(".")
    is_alike = (
        type(right) is type(wrong)
        or (wrong is None and way[-1] == "ended")
        or (isinstance(right, int | float) and isinstance(wrong, int | float) and way[-1] == "seconds")
    )
    if told:
        assert [text.startswith(f"{name} is {json.dumps(wrong)}, not ") for text in told] == [True]
    else:
        assert is_alike


@pytest.mark.parametrize("key", sorted(Header.__annotations__))
def test_a_field_that_is_missing_is_told_unless_older_sessions_lack_it(key: str) -> None:
    time = datetime.now(UTC).isoformat()
    header: dict[str, Any] = {
        **{"format": 1, "software": "", "run": "", "started": time, "ranks": 1, "assignment": "", "configuration": {}},
        **{"previous": None, "epochs": 0, "ended": None, "runs": [], "forgotten": [], "dropped": []},
    }
    assert header.keys() == Header.__annotations__.keys()
    del header[key]
    assert list(misshapen(header, Header)) == ([] if key in OPTIONAL - {"ended"} else [f"{key} is missing"])

"""Distributions of a session, against counts in Python."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.analysis.portrait import OverTime, portrait
from sessions.session import Session

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TYPES = {
    None: "none told",
    "": "none told",
    "text/html": "text/html",
    "Text/HTML; charset=x": "text/html",
    "a/b": "a/b",
}
PAGES = st.lists(
    st.tuples(
        st.sampled_from([200, 301, 404]),
        st.sampled_from(list(TYPES)),
        st.integers(0, 4),
        st.none() | st.integers(0, 600),
    ),
    max_size=30,
)


class Made:
    """Stands for a session: its pages in batches."""

    def __init__(self, pages: list[Any], rows: int = 7) -> None:
        self._pages, self._rows = pages, rows

    def batches(self, _table: str, names: list[str]) -> list[pa.RecordBatch]:
        kinds = [pa.uint16(), pa.string(), pa.uint16(), pa.timestamp("us", tz="UTC")]
        batches = []
        for start in range(0, len(self._pages), self._rows):
            columns = list(zip(*self._pages[start : start + self._rows], strict=True))
            columns[3] = tuple(None if at is None else BEGIN + timedelta(seconds=at) for at in columns[3])
            arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
            batches.append(pa.record_batch(arrays, names))
        return batches


@settings(derandomize=True, deadline=None)
@given(pages=PAGES, rows=st.integers(1, 9))
def test_every_count_is_what_counting_one_by_one_gives(pages: list[Any], rows: int) -> None:
    drawn = portrait(Made(pages, rows))  # type: ignore[arg-type]
    assert drawn.statuses == dict(sorted(Counter(page[0] for page in pages).items()))
    types = Counter(TYPES[page[1]] for page in pages)
    assert drawn.types == dict(sorted(types.items(), key=lambda item: (-item[1], item[0])))
    assert drawn.depths.tolist() == [sum(page[2] == depth for page in pages) for depth in range(len(drawn.depths))]
    assert drawn.depths.sum() == len(pages)
    times = [page[3] for page in pages if page[3] is not None]
    if len(set(times)) < 2:
        assert drawn.over_time is None
    else:
        assert drawn.over_time is not None
        assert sum(drawn.over_time.pages) == len(times)
        assert drawn.over_time.begin == BEGIN + timedelta(seconds=min(times))


def test_pages_over_time() -> None:
    times = [*range(60), 60]
    drawn = portrait(Made([(200, "", 0, at) for at in times]))  # type: ignore[arg-type]
    assert drawn.over_time == OverTime(BEGIN, 1.0, (*(1,) * 59, 2))


def test_of_a_session(good_session: Path) -> None:
    session = Session.open(good_session)
    drawn = portrait(session)
    assert sum(drawn.statuses.values()) == sum(drawn.types.values()) == len(session.read("pages", ["hash"]))

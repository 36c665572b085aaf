"""Distributions of a session, against counts in Python."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.analysis.portrait import OverTime, degree_bin, portrait
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
        st.integers(1, 8),
        st.sampled_from([200, 301, 404]),
        st.sampled_from(list(TYPES)),
        st.integers(0, 4),
        st.none() | st.integers(0, 600),
    ),
    max_size=30,
)
LINKS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=60)


class Made:
    """Stands for a session: its pages in batches, and its links."""

    def __init__(self, pages: list[Any], links: list[tuple[int, int]], rows: int = 7) -> None:
        self._pages, self._links, self._rows = pages, links, rows

    def batches(self, _table: str, names: list[str]) -> list[pa.RecordBatch]:
        kinds = [pa.uint64(), pa.uint16(), pa.string(), pa.uint16(), pa.timestamp("us", tz="UTC")]
        batches = []
        for start in range(0, len(self._pages), self._rows):
            columns = list(zip(*self._pages[start : start + self._rows], strict=True))
            columns[4] = tuple(None if at is None else BEGIN + timedelta(seconds=at) for at in columns[4])
            arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
            batches.append(pa.record_batch(arrays, names))
        return batches

    def read(self, _table: str, names: list[str]) -> pa.Table:
        columns = zip(*self._links, strict=True) if self._links else ((), ())
        return pa.table({name: pa.array(column, pa.uint64()) for name, column in zip(names, columns, strict=True)})


def bins(degrees: list[int]) -> list[int]:
    counts = Counter(degree.bit_length() for degree in degrees)
    return [counts[number] for number in range(max(counts, default=-1) + 1)]


@settings(derandomize=True, deadline=None)
@given(pages=PAGES, links=LINKS, rows=st.integers(1, 9))
def test_every_count_is_what_counting_one_by_one_gives(
    pages: list[Any], links: list[tuple[int, int]], rows: int
) -> None:
    drawn = portrait(Made(pages, links, rows))  # type: ignore[arg-type]
    assert drawn.statuses == dict(sorted(Counter(page[1] for page in pages).items()))
    types = Counter(TYPES[page[2]] for page in pages)
    assert drawn.types == dict(sorted(types.items(), key=lambda item: (-item[1], item[0])))
    assert drawn.depths.tolist() == [sum(page[3] == depth for page in pages) for depth in range(len(drawn.depths))]
    assert drawn.depths.sum() == len(pages)
    known = {page[0] for page in pages}
    distinct = {(source, target) for source, target in links if source in known and source != target}
    assert drawn.out_degrees.tolist() == bins([sum(source == page for source, _ in distinct) for page in known])
    assert drawn.in_degrees.tolist() == bins([sum(target == page for _, target in distinct) for page in known])
    times = [page[4] for page in pages if page[4] is not None]
    if len(set(times)) < 2:
        assert drawn.over_time is None
    else:
        assert drawn.over_time is not None
        assert sum(drawn.over_time.pages) == len(times)
        assert drawn.over_time.begin == BEGIN + timedelta(seconds=min(times))


def test_pages_over_time() -> None:
    times = [*range(60), 60]
    drawn = portrait(Made([(1, 200, "", 0, at) for at in times], []))  # type: ignore[arg-type]
    assert drawn.over_time == OverTime(BEGIN, 1.0, (*(1,) * 59, 2))


def test_bins_of_degrees() -> None:
    assert [degree_bin(number) for number in range(5)] == ["0", "1", "2-3", "4-7", "8-15"]
    assert degree_bin(11) == "1,024-2,047"


def test_of_a_session(good_session: Path) -> None:
    session = Session.open(good_session)
    drawn = portrait(session)
    assert sum(drawn.statuses.values()) == sum(drawn.types.values()) == len(session.read("pages", ["hash"]))
    assert drawn.out_degrees.sum() == drawn.in_degrees.sum() == len(np.unique(session.read("pages", ["hash"])["hash"]))


@pytest.mark.parametrize("links", [[], [(1, 1)], [(9, 1)]])
def test_without_links_all_degrees_are_0(links: list[tuple[int, int]]) -> None:
    drawn = portrait(Made([(1, 200, "", 0, 0), (2, 200, "", 0, 0)], links))  # type: ignore[arg-type]
    assert drawn.out_degrees.tolist() == drawn.in_degrees.tolist() == [2]

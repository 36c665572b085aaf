"""Repeated finds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.estimation.url_rows import NONE, Findings, joined, shortest_ways

Row = tuple[int, int, int, int, int]
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
).map(lambda rows: sorted(rows, key=lambda row: row[0]))


def findings_of(rows: list[Row]) -> Findings:
    columns = zip(np.array(rows, np.int64).reshape(-1, 5).T, ("i4", "i8", "u2", "u1", "u1"), strict=True)
    return Findings(*(column.astype(dtype) for column, dtype in columns))


def rows_of(findings: Findings) -> list[Row]:
    columns = (findings.ranks, findings.urls, findings.depths, findings.hops, findings.flags)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(deadline=None, derandomize=True)
@given(ROWS)
def test_each_url_of_a_rank_is_left_once_as_near_as_it_was_found(rows: list[Row]) -> None:
    expected: dict[tuple[int, int], Row] = {}
    for rank, url, depth, hops, flags in rows:
        _, _, least_depth, least_hops, first_flags = expected.get((rank, url), (rank, url, depth, hops, flags))
        expected[rank, url] = rank, url, min(depth, least_depth), min(hops, least_hops), first_flags
    found = shortest_ways(findings_of(rows))
    assert rows_of(found) == list(expected.values())
    assert found.depths.dtype == np.uint16


@settings(deadline=None, derandomize=True)
@given(ROWS, st.data())
def test_some_of_the_findings(rows: list[Row], data: st.DataObject) -> None:
    mask = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    kept = findings_of(rows).where(np.array(mask, bool))
    assert rows_of(kept) == [row for row, is_kept in zip(rows, mask, strict=True) if is_kept]
    assert len(kept) == sum(mask)


@settings(deadline=None, derandomize=True)
@given(st.lists(ROWS, max_size=4))
def test_several_findings_as_one(several: list[list[Row]]) -> None:
    found = joined([NONE, *map(findings_of, several)])
    assert rows_of(found) == [row for rows in several for row in rows]
    columns = (found.ranks, found.urls, found.depths, found.hops, found.flags)
    assert [column.dtype for column in columns] == [np.int32, np.int64, np.uint16, np.uint8, np.uint8]

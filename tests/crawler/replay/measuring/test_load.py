"""Loads, imbalance and waiting against plain loops."""

import numpy as np
from hypothesis import given, settings

from crawler.replay.measuring.load import (
    by_rank,
    by_superstep,
    fetched_by,
    idle_share,
    idle_shares,
    imbalance,
    loads_of,
)
from tests.crawler.replay.support.courses import Case, cases


def tables(case: Case) -> dict[str, list[list[int]]]:
    """Each load by superstep and rank, added up fetch by fetch."""
    recording, course = case.recording, case.course
    found = {
        name: [[0] * course.ranks for _ in range(course.supersteps)]
        for name in ("storage", "requests", "links", "time")
    }
    for step, rank, page in case.fetches:
        found["storage"][step][rank] += int(recording.bytes[page])
        found["requests"][step][rank] += 1
        found["links"][step][rank] += sum(source == page for source, _, _ in case.links)
        found["time"][step][rank] += 1000 * int(recording.milliseconds[page])
    return found


def imbalance_of(loads: list[int]) -> float:
    mean = sum(loads) / len(loads)
    return max(loads) / mean - 1 if mean else 0.0


@settings(deadline=None, derandomize=True)
@given(cases())
def test_loads_are_sums_over_fetches(case: Case) -> None:
    loads = loads_of(case.recording, case.course)
    for name, table in tables(case).items():
        load = getattr(loads, name)
        assert by_superstep(case.course, load).tolist() == table
        assert by_rank(case.course, load).tolist() == [sum(column) for column in zip(*table, strict=True)]
        np.testing.assert_allclose(imbalance(by_superstep(case.course, load)), list(map(imbalance_of, table)))


@settings(deadline=None, derandomize=True)
@given(cases())
def test_ranks_wait_for_the_slowest(case: Case) -> None:
    work = by_superstep(case.course, loads_of(case.recording, case.course).requests)
    waited = [sum(max(row) - pages for pages in row) for row in work.tolist()]
    spent = [len(row) * max(row) for row in work.tolist()]
    assert abs(idle_share(work) - (sum(waited) / sum(spent) if sum(spent) else 0)) < 1e-12
    np.testing.assert_allclose(idle_shares(work), [w / s if s else 0 for w, s in zip(waited, spent, strict=True)])


@settings(deadline=None, derandomize=True)
@given(cases())
def test_ranks_that_fetched_a_page_are_counted_once(case: Case) -> None:
    fetches, pages = case.course.fetches, case.recording.page_count
    expected = [len({fetch.rank for fetch in case.fetches if fetch.page == page}) for page in range(pages)]
    assert fetched_by(fetches.rank, fetches.page, pages).tolist() == expected


def test_no_load_is_balanced() -> None:
    assert imbalance(np.zeros((2, 3), np.int64)).tolist() == [0, 0]
    assert idle_share(np.zeros((0, 3), np.int64)) == 0

"""Load against plain loops, as a whole and over time."""

from dataclasses import asdict

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
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from tests.crawler.replay.support.courses import Case, cases, in_order_of_fetching


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


# A course over time against plain loops, and its end against the measures.


@settings(deadline=None, derandomize=True)
@given(cases())
def test_supersteps_are_told_apart_and_added_up(case: Case) -> None:
    found = timeline_of(case.recording, case.course)
    steps = range(case.course.supersteps)
    assert found.fetches.tolist() == [sum(fetch.superstep == step for fetch in case.fetches) for step in steps]
    first = {page: min(f.superstep for f in case.fetches if f.page == page) for page in in_order_of_fetching(case)}
    assert found.pages.tolist() == [sum(when == step for when in first.values()) for step in steps]
    for name in ("urls", "bytes", "wire_bytes"):
        sent = [sum(getattr(message, name) for message in case.messages if message.superstep == step) for step in steps]
        assert getattr(found, name).tolist() == sent
    assert found.messages.tolist() == [sum(message.superstep == step for message in case.messages) for step in steps]


@settings(deadline=None, derandomize=True)
@given(cases())
def test_imbalance_is_of_the_superstep_and_of_all_before(case: Case) -> None:
    found = timeline_of(case.recording, case.course)
    for name, table in tables(case).items():
        so_far = [[sum(column) for column in zip(*table[: step + 1], strict=True)] for step in range(len(table))]
        np.testing.assert_allclose(getattr(found, f"step_{name}_imbalance"), list(map(imbalance_of, table)))
        np.testing.assert_allclose(getattr(found, f"{name}_imbalance"), list(map(imbalance_of, so_far)))


@settings(deadline=None, derandomize=True)
@given(cases())
def test_the_end_is_what_is_measured(case: Case) -> None:
    found = timeline_of(case.recording, case.course)
    measures = asdict(measures_of(case.recording, case.ownership, case.course))
    for load in ("storage", "requests", "links", "time"):
        assert found.__dict__[f"{load}_imbalance"][-1] == measures[f"{load}_imbalance"]
    for percent in (1, 5, 10, 25, 50):
        assert found.back_link_quality[percent - 1] == measures[f"back_link_quality_{percent}"]
        assert found.page_rank_quality[percent - 1] == measures[f"page_rank_quality_{percent}"]
    assert found.back_link_quality[-1] == found.page_rank_quality[-1] == measures["coverage"]

"""A course over time against plain loops, and its end against the measures."""

from dataclasses import asdict

import numpy as np
from hypothesis import given, settings

from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from tests.crawler.replay.measuring.test_load import imbalance_of, tables
from tests.crawler.replay.support.courses import Case, cases, in_order_of_fetching


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

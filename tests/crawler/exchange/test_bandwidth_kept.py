"""How well ranks together keep to a limit of bandwidth, in made-up time: over 30 seconds, and in a burst."""

from random import Random

import numpy as np
import pytest

from tests.crawler.support.limited_ranks import STEP, LimitedRank, Servers, arrivals

M = 1_000_000
SMALL, LARGE = (6_000, 12_000, 24_000, 54_000), (300_000, 700_000, 2_000_000)
SKIPPED_SECONDS, WINDOW_SECONDS, SECONDS = 5, 30, 45
GREEDY = Servers(SMALL, (0.01,))

CASES = {
    "small": ([Servers(SMALL)], 40 * M),
    "small, fast line": ([Servers(SMALL)], 100 * M),
    "large": ([Servers(LARGE, (0.1,))], 40 * M),
    "large, on four ranks": ([Servers(LARGE)] * 4, 10 * M),
    "late": ([Servers(SMALL, (0.05, 0.3, 1.0), sites=400)], 40 * M),
    "mostly small, some large": ([Servers((5_000,) * 9 + (2_000_000,), (0.1,))] * 4, 10 * M),
    "large, of slow servers": ([Servers(LARGE, (0.1,), speed=50_000)] * 4, 10 * M),
    "some never answer": ([Servers(SMALL, (0.01,) * 20 + (20.0,), sites=200)] * 2, 40 * M),
    "a rank that is often busy": ([Servers(SMALL, stall=(2.0, 0.4))], 40 * M),
    "a rank that is busy for long": ([Servers(SMALL, stall=(10.0, 0.8))], 40 * M),
    "one rank has a single site": ([Servers((100_000,), sites=1, rest=1.0), *[GREEDY] * 3], 10 * M),
    "one rank has more than others": ([*[Servers((30_000,), sites=4, rest=1.0)] * 3, GREEDY], 10 * M),
}


def ranks_of(servers: list[Servers]) -> list[LimitedRank]:
    return [LimitedRank(one, Random(seed)) for seed, one in enumerate(servers)]


def in_windows(counts: list[int], seconds: int, limit: float) -> np.ndarray:
    """What came in each window of so many seconds, over the limit."""
    came, span = np.cumsum([0, *counts]), round(seconds / STEP)
    return 8.0 * (came[span:] - came[:-span]) / seconds / limit


@pytest.mark.parametrize(
    ("case", "per_host"), [*((case, False) for case in CASES), ("one rank has a single site", True)]
)
def test_over_thirty_seconds_comes_what_may_and_no_second_brings_twice_as_much(case: str, per_host: bool) -> None:
    servers, limit = CASES[case]
    counts = arrivals(ranks_of(servers), limit, SECONDS, per_host=per_host)
    windows = in_windows(counts[round(SKIPPED_SECONDS / STEP) :], WINDOW_SECONDS, limit)
    assert 0.95 <= windows.min() <= windows.max() <= 1.05
    assert in_windows(counts, 1, limit).max() <= 2.0


def test_no_more_is_under_way_than_has_to_be() -> None:
    """What lies unread in the kernel has been received, so a request too many is a burst."""
    (rank,) = ranks = ranks_of([Servers(SMALL, stall=(1.0, 0.05))])
    arrivals(ranks, 40 * M, 20.0)
    assert len(rank.under_way) <= 8


def test_a_timetable_s_new_limit_holds_from_the_next_superstep() -> None:
    counts = arrivals(ranks_of([GREEDY] * 4), lambda now: 40 * M if now < 10.5 else 10 * M, 45.0)
    before, after = counts[round(4 / STEP) : round(10 / STEP)], counts[round(12 / STEP) :]
    assert 0.95 <= 8 * sum(before) / 6 / (40 * M) <= 1.05
    windows = in_windows(after, WINDOW_SECONDS, 10 * M)
    assert 0.95 <= windows.min() <= windows.max() <= 1.05


def test_idle_ranks_leave_nothing_over_for_those_who_come_later() -> None:
    """Bytes that nobody wanted are lost: those that want some after a long rest get no more than a second of it."""
    ranks = ranks_of([Servers(SMALL, stall=(60.0, 30.0))] * 2)
    counts = arrivals(ranks, 10 * M, 60.0)
    assert in_windows(counts[round(30 / STEP) :], 29, 10 * M).max() <= 1 + 1.2 / 29

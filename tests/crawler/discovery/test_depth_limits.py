"""How far a URL may lie, one at a time and many at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.depth_limits import DEEPEST, MOST_HOPS, Limits, one_step_further

DEPTHS, HOPS = st.integers(0, DEEPEST), st.integers(0, MOST_HOPS)
NEAR = st.integers(0, 3)


@pytest.mark.parametrize(
    ("limits", "depth", "hops", "is_near"),
    [
        (Limits(None, 10), DEEPEST, 10, True),
        (Limits(None, 10), 0, 11, False),
        (Limits(0, 0), 0, 0, True),
        (Limits(0, 0), 1, 0, False),
        (Limits(5, 254), 5, 254, True),
        (Limits(5, 255), 5, 255, False),
        (Limits(70_000, 0), DEEPEST, 0, True),
    ],
)
def test_limits(limits: Limits, depth: int, hops: int, is_near: bool) -> None:
    assert limits.allow(np.array([depth], np.uint16), np.array([hops], np.uint8)).tolist() == [is_near]


@settings(deadline=None, derandomize=True)
@given(
    st.one_of(st.none(), NEAR, DEPTHS),
    st.one_of(NEAR, st.integers(0, MOST_HOPS - 1)),
    st.lists(st.tuples(st.one_of(NEAR, DEPTHS), st.one_of(NEAR, HOPS))),
)
def test_each_of_many_is_judged_alone(depth: int | None, hops: int, ways: list[tuple[int, int]]) -> None:
    depths, all_hops = np.array([way[0] for way in ways], np.uint16), np.array([way[1] for way in ways], np.uint8)
    expected = [(depth is None or way[0] <= depth) and way[1] <= hops for way in ways]
    assert Limits(depth, hops).allow(depths, all_hops).tolist() == expected


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(NEAR | DEPTHS | st.just(DEEPEST), NEAR | HOPS | st.just(MOST_HOPS), st.booleans())))
def test_a_link_leads_deeper_and_a_redirect_a_hop_further(pages: list[tuple[int, int, bool]]) -> None:
    depths, hops = one_step_further(
        np.array([depth for depth, _, _ in pages], np.uint16),
        np.array([hops for _, hops, _ in pages], np.uint8),
        np.array([is_redirect for _, _, is_redirect in pages], bool),
    )
    assert (depths.dtype, hops.dtype) == (np.uint16, np.uint8)
    expected = [
        (depth, min(hops + 1, MOST_HOPS)) if is_redirect else (min(depth + 1, DEEPEST), 0)
        for depth, hops, is_redirect in pages
    ]
    assert list(zip(depths.tolist(), hops.tolist(), strict=True)) == expected

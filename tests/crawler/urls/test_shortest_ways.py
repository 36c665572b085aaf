"""URLs that were found on several ways, beside a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.urls.shortest_ways import shortest_ways

FOUND = st.lists(st.tuples(st.integers(0, 5) | st.integers(0, 2**64 - 1), st.integers(0, 65535), st.integers(0, 255)))


@given(FOUND)
def test_each_once_at_its_first_place_on_its_shortest_way(found: list[tuple[int, int, int]]) -> None:
    least: dict[int, tuple[int, int]] = {}
    for key, depth, hops in found:
        least[key] = min(least.get(key, (depth, hops))[0], depth), min(least.get(key, (depth, hops))[1], hops)
    keys = [key for key, _, _ in found]
    ways = shortest_ways(
        np.array(keys, np.uint64),
        np.array([depth for _, depth, _ in found], np.uint16),
        np.array([hops for _, _, hops in found], np.uint8),
    )
    if len(least) == len(found):
        assert ways is None
        return
    assert ways is not None
    assert ways.firsts.tolist() == [keys.index(key) for key in least]
    assert list(zip(ways.depths.tolist(), ways.hops.tolist(), strict=True)) == list(least.values())
    assert (ways.depths.dtype, ways.hops.dtype) == (np.uint16, np.uint8)

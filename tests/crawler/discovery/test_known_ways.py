"""The ways on which URLs came lately, beside a dictionary of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.known_ways import KnownWays, Ways

MANY, FEW = 1 << 20, 1 << 10
WAYS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4), st.integers(0, 3)), max_size=30)
Drawn = list[tuple[int, int, int]]


def ways_of(drawn: Drawn) -> Ways:
    hashes, depths, hops = zip(*drawn, strict=True) if drawn else ((), (), ())
    return Ways(np.array(hashes, np.uint64), np.array(depths, np.uint16), np.array(hops, np.uint8))


@settings(derandomize=True, deadline=None)
@given(st.lists(WAYS, max_size=6), WAYS)
def test_the_shortest_ways_are_known(noted: list[Drawn], asked: Drawn) -> None:
    known, shortest = KnownWays(MANY), dict[int, tuple[int, int]]()
    for drawn in noted:
        known.note(ways_of(drawn))
        for url_hash, *way in drawn:
            shortest[url_hash] = (
                min(way[0], shortest.get(url_hash, way)[0]),
                min(way[1], shortest.get(url_hash, way)[1]),
            )
    covered = [
        url_hash in shortest and shortest[url_hash][0] <= depth and shortest[url_hash][1] <= hops
        for url_hash, depth, hops in asked
    ]
    assert known.are_covered(ways_of(asked)).tolist() == covered
    nearest = [
        tuple(map(min, shortest.get(url_hash, way), way))
        for url_hash, *way in asked  # type: ignore[arg-type]
    ]
    hashes, depths, hops = known.shortest(ways_of(asked))
    assert list(zip(depths.tolist(), hops.tolist(), strict=True)) == nearest
    assert [known.shortest_way(*way) for way in asked] == nearest
    assert hashes.tolist() == [url_hash for url_hash, *_ in asked]


def test_what_came_first_is_forgotten_first() -> None:
    known = KnownWays(FEW)
    for number in range(1, 200):
        known.note(ways_of([(number, 1, 0)]))
    covered = known.are_covered(ways_of([(number, 1, 0) for number in range(1, 200)])).tolist()
    assert covered == sorted(covered)
    assert 0 < sum(covered) < 199

"""The table of what all ranks have met, against dictionaries."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.estimation.instances import Instances
from tests.crawler.replay.estimation.test_url_rows import Row, findings_of

URLS = 6
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, URLS - 1), st.integers(0, 9), st.integers(0, 9), st.just(0)),
    unique_by=lambda row: row[:2],
)
PAIRS = [(rank, url) for rank in range(4) for url in range(URLS)]
RANKS, PAIR_URLS = np.array(PAIRS, np.int32)[:, 0], np.array(PAIRS, np.int64)[:, 1]


@settings(deadline=None, derandomize=True)
@given(ROWS, st.data())
def test_what_was_met_is_found_with_the_least_it_was_found_with(rows: list[Row], data: st.DataObject) -> None:
    instances = Instances(URLS)
    cut = data.draw(st.integers(0, len(rows)))
    instances.add(findings_of(rows[:cut]), is_own=True)
    instances.add(findings_of(rows[cut:]), is_own=False)
    slots = instances.find(RANKS, PAIR_URLS)
    assert [pair for pair, slot in zip(PAIRS, slots.tolist(), strict=True) if slot >= 0] == sorted(r[:2] for r in rows)
    is_own = instances.is_own(slots)
    assert [pair for pair, own in zip(PAIRS, is_own.tolist(), strict=True) if own] == sorted(r[:2] for r in rows[:cut])
    if not cut:
        return
    again = data.draw(st.lists(st.tuples(st.sampled_from(rows[:cut]), st.integers(0, 9), st.integers(0, 9))))
    ways = {row[:2]: row[2:4] for row in rows[:cut]}
    for (rank, url, *_), depth, hops in again:
        ways[rank, url] = min(ways[rank, url][0], depth), min(ways[rank, url][1], hops)
    nearer = findings_of([(*row[:2], depth, hops, 0) for row, depth, hops in again])
    instances.shorten(instances.find(nearer.ranks, nearer.urls), nearer.depths, nearer.hops)
    depths, hops_ = instances.ways_to(*(np.array(column) for column in zip(*ways, strict=True)))
    assert list(zip(depths.tolist(), hops_.tolist(), strict=True)) == list(ways.values())


def test_many_pairs_are_kept_apart() -> None:
    instances = Instances(3000)
    rows = [(rank, url, url % 1000, rank, 0) for rank in range(20) for url in range(rank, 3000, 7)]
    instances.add(findings_of(rows), is_own=True)
    everyone = np.repeat(np.arange(20, dtype=np.int32), 3000)
    slots = instances.find(everyone, np.tile(np.arange(3000), 20))
    assert np.count_nonzero(slots >= 0) == len(rows)
    depths, hops = instances.ways_to(np.array([row[0] for row in rows]), np.array([row[1] for row in rows]))
    assert depths.tolist() == [row[2] for row in rows]
    assert hops.tolist() == [row[3] for row in rows]

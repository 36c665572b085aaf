"""What the ranks of an estimate find, have met and queue."""

from collections import deque

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.estimation.followed_links import FollowedLinks
from crawler.replay.estimation.instances import Instances
from crawler.replay.estimation.queues import Queues
from crawler.replay.estimation.url_rows import NONE, Findings, joined, shortest_ways
from sessions.schema import NOFOLLOW, REDIRECT, UNFOLLOWED
from tests.crawler.replay.support.courses import recording_with

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


# The table of what all ranks have met, against dictionaries.

URLS = 6
DISTINCT_ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, URLS - 1), st.integers(0, 9), st.integers(0, 9), st.just(0)),
    unique_by=lambda row: row[:2],
)
PAIRS = [(rank, url) for rank in range(4) for url in range(URLS)]
RANKS, PAIR_URLS = np.array(PAIRS, np.int32)[:, 0], np.array(PAIRS, np.int64)[:, 1]


@settings(deadline=None, derandomize=True)
@given(DISTINCT_ROWS, st.data())
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


# What is found in pages, and how far away it lies.

LINKS = [
    *((0, 3, 0), (0, 1, NOFOLLOW), (0, 2, REDIRECT)),
    *((1, 0, UNFOLLOWED),),
    *((2, 1, REDIRECT | UNFOLLOWED), (2, 0, 0), (2, 3, REDIRECT)),
]


def found_in(ranks: list[int], pages: list[int], depths: list[int], hops: list[int]) -> list[tuple[int, ...]]:
    links = FollowedLinks(recording_with([1] * 3, LINKS, seeds=[0], others=1))
    arrays = np.array(ranks, np.int32), np.array(pages, np.int64), np.array(depths, np.uint16), np.array(hops, np.uint8)
    findings = links.of(*arrays)
    assert [findings.depths.dtype, findings.hops.dtype] == [np.uint16, np.uint8]
    columns = (findings.ranks, findings.urls, findings.depths, findings.hops, findings.flags)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_links_that_lead_on_are_found_in_order_of_the_pages() -> None:
    assert found_in([0, 0, 4], [2, 1, 0], [5, 6, 7], [1, 2, 3]) == [
        (0, 0, 5, 2, 0),
        (0, 3, 5, 2, REDIRECT),
        (4, 3, 8, 0, 0),
        (4, 2, 8, 0, REDIRECT),
    ]


def test_what_travels_in_few_bits_does_not_begin_anew() -> None:
    assert found_in([0], [0], [0xFFFE], [0xFF]) == [(0, 3, 0xFFFF, 0, 0), (0, 2, 0xFFFF, 0, REDIRECT)]
    assert found_in([0], [0], [0xFFFF], [0xFF]) == [(0, 3, 0xFFFF, 0, 0), (0, 2, 0xFFFF, 0, REDIRECT)]
    assert found_in([0], [2], [0xFFFF], [0xFE]) == [(0, 0, 0xFFFF, 0xFF, 0), (0, 3, 0xFFFF, 0xFF, REDIRECT)]
    assert found_in([0], [2], [0xFFFF], [0xFF]) == [(0, 0, 0xFFFF, 0xFF, 0), (0, 3, 0xFFFF, 0xFF, REDIRECT)]


def test_nothing_is_found_in_no_pages() -> None:
    assert found_in([], [], [], []) == found_in([3], [1], [0], [0]) == []


# The queues of all ranks, against a deque for each.

QUEUES = 3
STEPS = st.lists(
    st.one_of(
        st.lists(st.tuples(st.integers(0, QUEUES - 1), st.integers(0, 99)), max_size=40),
        st.tuples(*(st.integers(0, 15) for _ in range(QUEUES))),
    ),
    max_size=20,
)


@settings(deadline=None, derandomize=True)
@given(STEPS)
def test_first_in_first_out(steps: list[list[tuple[int, int]] | tuple[int, ...]]) -> None:
    queues = Queues(QUEUES)
    expected: list[deque[int]] = [deque() for _ in range(QUEUES)]
    for step in steps:
        if isinstance(step, list):
            added = sorted(step, key=lambda pair: pair[0])
            queues.add(np.array([rank for rank, _ in added], np.int32), np.array([url for _, url in added], np.int64))
            for rank, url in added:
                expected[rank].append(url)
        else:
            counts = [min(count, len(queue)) for count, queue in zip(step, expected, strict=True)]
            ranks, urls = queues.take(np.array(counts))
            taken = [(rank, expected[rank].popleft()) for rank in range(QUEUES) for _ in range(counts[rank])]
            assert list(zip(ranks.tolist(), urls.tolist(), strict=True)) == taken
        assert queues.lengths.tolist() == list(map(len, expected))

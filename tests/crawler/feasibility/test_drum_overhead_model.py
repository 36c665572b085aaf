"""The model of URL-seen: the paper's printed figures, what its theorems say in kind, and merges added up one by one."""

from dataclasses import replace
from math import ceil, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.feasibility.drum_overhead_model import (
    Load,
    Store,
    best_disk,
    drum_bytes,
    drum_bytes_of,
    drum_overhead,
    growing_disk,
    mercator_overhead,
    merge_limit,
    merged_at_once,
    pages_per_second,
    polybot_overhead,
    swept,
)

PAPER = Load()
TABLE_2 = Store(memory=1e9, disk=4.39e12)
PAGES = (8e8, 8e9, 8e10, 8e11, 8e12)

quickly = settings(deadline=None, derandomize=True)
sizes = st.floats(1e8, 1e11)
disks = st.floats(1e10, 1e14)
pages = st.floats(1e6, 1e13)


def as_printed(stated: float, digits: int) -> list[float]:
    """The range of what is printed so, rounded or truncated."""
    step = 10.0**-digits
    return [stated - step / 2, stated + step]


@pytest.mark.parametrize(
    ("method", "digits", "row"),
    [
        (mercator_overhead, (1, 0, 0, 0, 0), (11.6, 93, 917, 9_156, 91_541)),
        (polybot_overhead, (0, 0, 0, 0, 0), (69, 663, 6_610, 66_082, 660_802)),
        (drum_overhead, (2, 2, 1, 1, 0), (2.26, 2.35, 3.3, 12.5, 104)),
    ],
)
def test_table_2_of_the_paper(method, digits, row) -> None:
    for crawled, places, stated in zip(PAGES, digits, row, strict=True):
        ours = method(PAPER, TABLE_2, crawled)
        least, most = as_printed(stated, places)
        assert least <= ours < most
        assert ours == pytest.approx(stated, rel=0.011)  # 93.9996 is printed as 93


def test_polybots_row_needs_half_a_byte_more_than_the_text_says() -> None:
    five = replace(PAPER, packed_url_bytes=5.0)
    assert polybot_overhead(five, TABLE_2, 8e12) < 0.92 * 660_802


def test_the_worked_example() -> None:
    store = Store(memory=8e9, disk=growing_disk(PAPER, 8e12))
    overhead = drum_overhead(PAPER, store, 8e12)
    assert overhead == pytest.approx(3.72, rel=0.001)
    assert pages_per_second(PAPER, overhead, 101.25e6) == pytest.approx(4_192, rel=0.001)


def test_the_best_disk_is_stated_for_shorter_urls() -> None:
    assert best_disk(replace(PAPER, url_bytes=100.0), 1e9) == pytest.approx(4.39e12, rel=0.002)
    assert best_disk(PAPER, 1e9) == pytest.approx(4.80e12, rel=0.001)


@quickly
@given(sizes, disks, pages)
def test_the_formulas_as_the_theorem_has_them(memory: float, disk: float, crawled: float) -> None:
    load, store = PAPER, Store(memory, disk)
    key, pointer, url, buffer = load.key_bytes, load.pointer_bytes, load.url_bytes, store.buffer
    z = 2 * load.known * key + load.unique * key * load.links * crawled
    c = 2 + load.unique + 2 * key / url
    if memory**2 < 8 * buffer * disk * (key + pointer) / (key + url):
        stated = 8 * buffer * (key + pointer) * z / (url * memory**2) + c
    else:
        stated = (key + url) * z / (url * disk) + c
    assert drum_overhead(load, store, crawled) == pytest.approx(stated)


@quickly
@given(disks)
def test_the_two_branches_meet(disk: float) -> None:
    memory = sqrt(merge_limit(PAPER, Store(0.0, disk)))
    below, above = (Store(memory * factor, disk) for factor in (1 - 1e-9, 1 + 1e-9))
    assert merged_at_once(PAPER, below) == pytest.approx(merged_at_once(PAPER, above))
    assert best_disk(PAPER, memory) == pytest.approx(disk)


@quickly
@given(sizes, disks, pages, st.floats(1.01, 100.0))
def test_more_memory_or_disk_never_costs_more(memory: float, disk: float, crawled: float, more: float) -> None:
    overhead = drum_overhead(PAPER, Store(memory, disk), crawled)
    assert drum_overhead(PAPER, Store(memory * more, disk), crawled) <= overhead
    assert drum_overhead(PAPER, Store(memory, disk * more), crawled) <= overhead
    enough = best_disk(PAPER, memory)
    most = drum_overhead(PAPER, Store(memory, enough), crawled)
    assert drum_overhead(PAPER, Store(memory, enough * more), crawled) == pytest.approx(most)


@quickly
@given(sizes, disks, pages, pages)
def test_overhead_grows_with_the_crawl_only_through_what_merges_sweep(
    memory: float, disk: float, few: float, many: float
) -> None:
    store = Store(memory, disk)
    fixed = 2 + PAPER.unique + 2 * PAPER.key_bytes / PAPER.url_bytes
    grown = [drum_overhead(PAPER, store, crawled) - fixed for crawled in (few, many)]
    sweeps = [swept(PAPER, PAPER.links * crawled) for crawled in (few, many)]
    assert grown[1] * sweeps[0] == pytest.approx(grown[0] * sweeps[1], rel=1e-6)


def test_with_the_disk_growing_beside_the_crawl_drum_ends_at_a_constant() -> None:
    ends = [drum_overhead(PAPER, Store(1e15, growing_disk(PAPER, crawled)), crawled) for crawled in (1e13, 1e14)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-3)
    assert growing_disk(PAPER, 8e8) == 1e12


@quickly
@given(st.integers(1, 200), st.integers(1, 10_000), st.integers(0, 100_000))
def test_bytes_are_those_of_merges_one_by_one(merges: int, at_once: int, known: int) -> None:
    load = replace(PAPER, known=float(known))
    moved = 0.0
    for number in range(merges):
        moved += 2 * at_once * (load.key_bytes + load.url_bytes)  # into buckets and out of them
        before = load.known + number * at_once * load.unique
        moved += load.key_bytes * before  # read ...
        moved += load.key_bytes * (before + at_once * load.unique)  # ... and written with what is new
    parsed = merges * at_once
    assert drum_bytes(load, at_once, parsed) * parsed == pytest.approx(moved)
    assert drum_bytes_of(load, [float(at_once)] * merges) == pytest.approx(moved)


def test_merges_of_different_sizes() -> None:
    load = Load(key_bytes=10.0, url_bytes=5.0, unique=0.5, known=100.0)
    first = 10 * (100 + 110) + 2 * 15 * 20
    second = 10 * (110 + 111) + 2 * 15 * 2
    assert drum_bytes_of(load, [20.0, 2.0]) == first + second


def test_how_much_a_merge_takes_is_buffers_times_what_is_sorted() -> None:
    memory, buffer = 1e9, 1e6
    buckets = memory / 2 / (2 * buffer)
    sorted_at_once = memory / 2 / 12
    assert merged_at_once(PAPER, Store(memory, 1e15, buffer)) == pytest.approx(buckets * sorted_at_once)
    assert ceil(merged_at_once(PAPER, Store(memory, 118e6, buffer))) == 1_000_000

"""How many domains have a higher in-degree, from histograms."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.ranking import BINS, Degrees, Histogram, Ranking, bins_of, ranking_of

DEGREES = st.one_of(st.integers(0, 40), st.integers(900, 3000), st.integers(0, 2**32 - 1))


def uint32(degrees: object) -> Degrees:
    return np.array(degrees, np.uint32).reshape(-1)


def histogram_of(degrees: Degrees) -> Histogram:
    histogram = Histogram()
    histogram.move(np.zeros(len(degrees), np.uint32), degrees)
    return histogram


def test_bins_are_exact_up_to_1023_and_no_number_is_left_out() -> None:
    bins = bins_of(np.arange(1 << 17, dtype=np.uint32))
    assert bins[:1024].tolist() == list(range(1024))
    assert bins[1024] == bins[1025] == 1024
    assert set(np.diff(bins)) == {0, 1}
    assert bins_of(uint32(2**32 - 1)) == [BINS - 1]


@settings(deadline=None, derandomize=True)
@given(st.lists(DEGREES, min_size=2, max_size=2))
def test_bins_keep_the_order_and_in_degrees_in_one_differ_by_less_than_a_512th(degrees: list[int]) -> None:
    lower, higher = sorted(degrees)
    first, second = bins_of(uint32([lower, higher])).tolist()
    assert first <= second
    if first == second:
        assert higher - lower <= lower / 512


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 3000)), max_size=60))
def test_moving_domains_gives_what_counting_them_at_the_end_gives(changes: list[tuple[int, int, int]]) -> None:
    """Several ranks count domains of their own; the sum ranks all."""
    degrees: dict[tuple[int, int], int] = {}
    histograms = [Histogram() for _ in range(4)]
    for rank, domain, more in changes:
        before = degrees.get((rank, domain), 0)
        degrees[rank, domain] = before + more
        histograms[rank].move(uint32(before), uint32(before + more))
    ranking = ranking_of([histogram.packed() for histogram in histograms])
    everything = uint32(list(degrees.values()))
    expected = histogram_of(everything).ranking()
    assert ranking.linked == expected.linked == len(degrees)
    asked = uint32([0, 1, 5, 1023, 1024, 4000, *degrees.values()])
    bins = bins_of(everything)
    assert ranking.above(asked).tolist() == [int((bins > one).sum()) for one in bins_of(asked)]
    assert ranking.abreast(asked)[1:].tolist() == [max(1, int((bins == one).sum())) for one in bins_of(asked)[1:]]


def test_a_histogram_travels_in_ten_bytes_for_each_bin_that_is_not_empty() -> None:
    packed = histogram_of(uint32([1, 1, 1, 7, 5000, 5001])).packed()
    assert len(packed) == 30
    assert ranking_of([packed, b"", packed]).linked == 12


def test_one_of_a_hundred_is_ranked_and_ten_thousand_at_most() -> None:
    def ranked(domains: int) -> int:
        counts = np.zeros(BINS, np.int64)
        counts[1] = domains
        return Ranking(counts).ranked

    assert [ranked(domains) for domains in (0, 99, 100, 199, 200, 999_999, 1_000_000, 5_000_000)] == [
        *(0, 0, 1, 1, 2),
        *(9999, 10_000, 10_000),
    ]


def test_a_ranking_does_not_change_with_the_histogram_it_came_from() -> None:
    histogram = histogram_of(uint32([1, 2, 3]))
    ranking = histogram.ranking()
    histogram.move(uint32(1), uint32(9))
    assert ranking.above(uint32(3)) == [0]

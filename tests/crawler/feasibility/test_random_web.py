"""P(n) and its peak, beside the recurrence, examples reckoned by hand, and what the thesis prints."""

from fractions import Fraction
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.feasibility.random_web import RandomWeb


def recurrence(pages: int, links: int, fetches: int) -> list[Fraction]:
    """P(1), P(2), ... by the definition: the next page's links lead to an unknown page as often as there are such."""
    pending = [Fraction(links)]
    for fetched in range(2, fetches + 1):
        unknown = pages - pending[-1] - (fetched - 1)
        pending.append(pending[-1] + Fraction(links, pages) * unknown - 1)
    return pending


def test_a_web_reckoned_by_hand() -> None:
    """10 pages, 2 links each: 2 wait; then 2 + 2 x 7/10 - 1; then 2.4 + 2 x (10 - 2.4 - 2)/10 - 1."""
    web = RandomWeb(10, 2)
    assert [web.pending(n) for n in (1, 2, 3)] == pytest.approx([2.0, 2.4, 2.52])


@settings(derandomize=True)
@given(st.integers(2, 400), st.integers(1, 399), st.integers(1, 60))
def test_it_solves_the_recurrence(pages: int, links: int, fetches: int) -> None:
    if links >= pages:
        pages, links = links + 1, pages - 1
    web = RandomWeb(pages, links)
    for fetched, pending in enumerate(recurrence(pages, links, fetches), 1):
        assert web.pending(fetched) == pytest.approx(float(pending), abs=1e-6 * pages)


@settings(derandomize=True)
@given(st.integers(3, 3000), st.integers(1, 200))
def test_nowhere_do_more_wait_than_at_the_peak(pages: int, links: int) -> None:
    web = RandomWeb(pages, min(links, pages - 1))
    peak = web.peak()
    assert peak.fetched >= 1
    assert max(web.pending(fetched) for fetched in range(1, pages + 1)) <= peak.pending + 1e-6 * pages
    assert peak.pending == web.pending(peak.fetched)


@pytest.mark.parametrize(
    ("billions", "links", "pending", "fetched"),
    [
        (1, 200, 968_508_416, 26_491_585),
        (2, 200, 1_937_016_829, 52_983_172),
        (3, 200, 2_905_525_242, 79_474_758),
        (4, 200, 3_874_033_655, 105_966_345),
        (5, 200, 4_842_542_068, 132_457_932),
    ],
)
def test_the_peaks_of_large_webs(billions: int, links: int, pending: int, fetched: int) -> None:
    peak = RandomWeb(billions * 10**9, links).peak()
    assert (round(peak.pending), round(peak.fetched)) == (pending, fetched)
    assert peak.fetched / (billions * 1e9) == pytest.approx(log(links) / links, rel=1e-3)


@pytest.mark.parametrize(("pages", "links"), [(2, 2), (10, 11), (5, 0)])
def test_there_are_more_pages_than_links_of_one(pages: int, links: int) -> None:
    with pytest.raises(ValueError, match="cannot have links"):
        RandomWeb(pages, links)

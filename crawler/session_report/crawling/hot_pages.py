"""How soon a crawl finds the hot pages, those with more than G back-links.

JoMaGic (University of Michigan, 2005) draws H/T; Cho, Garcia-Molina and Page ("Efficient Crawling Through URL
Ordering", WWW 1998) count hot pages the same way, by the back-links of the whole session.
"""

from collections.abc import Callable

import numpy as np

from crawler.session_report.crawling.samples import sampled
from crawler.session_report.report_figure import LINES, Drawing, NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import Mask, Numbers, SessionArrays

MOST_HOT = 0.1
"""The share of the pages that may be hot, if nobody says how many back-links it takes."""
HOT = ReportFigure(
    "hot",
    "The crawl",
    "Hot pages",
    "Pages that more than G others link to; G is --hot, or the least number that at most a tenth of the pages exceed.",
    ("more_than", "hot", "pages", "share"),
    shown=1,
)
HOT_BY_PAGES = ReportFigure(
    "hot_pages",
    "The crawl",
    "Share of hot pages, by pages fetched",
    "H/T: of the T pages fetched so far, each counted once, the H that have more than G back-links when the session "
    "ends. Found counts H as a share of all hot pages.",
    ("pages", "hot", "share", "found", "more_than"),
    Drawing(LINES, "pages", ("share",), "pages fetched", "H/T"),
)
HOT_BY_TIME = ReportFigure(
    "hot_pages_by_time",
    "The crawl",
    "Share of hot pages, by time",
    "The same over the seconds since the first page.",
    ("seconds", "hot", "share"),
    Drawing(LINES, "seconds", ("share",), "seconds since the first page", "H/T"),
)


def least_hot(back_links: Numbers) -> int:
    """The least G that at most a tenth of n > 0 pages exceed."""
    descending = np.sort(back_links)[::-1]
    return int(descending[int(MOST_HOT * len(descending))])


def hot_of(hot: int | None) -> Callable[[SessionArrays], list[Row]]:
    """G, the hot pages and all; ``hot`` is G, None for the `least_hot`."""

    def rows(arrays: SessionArrays) -> list[Row]:
        more_than, is_hot = _hot(arrays, hot)
        return [(more_than, int(is_hot.sum()), len(is_hot), float(is_hot.mean()))]

    return rows


def hot_by_pages(hot: int | None) -> Callable[[SessionArrays], list[Row]]:
    """H/T after each of some numbers of pages; ``hot`` is G, None for the `least_hot`."""

    def rows(arrays: SessionArrays) -> list[Row]:
        more_than, found = _found(arrays, hot)
        return [
            (at + 1, int(found[at]), found[at] / (at + 1), found[at] / max(1, found[-1]), more_than)
            for at in sampled(len(found)).tolist()
        ]

    return rows


def hot_by_time(hot: int | None) -> Callable[[SessionArrays], list[Row]]:
    """H/T at the time of each of these pages."""

    def rows(arrays: SessionArrays) -> list[Row]:
        begin = arrays.fetches.time[arrays.rows_by_time[0]]
        _, found = _found(arrays, hot)
        seconds = (arrays.fetches.time[arrays.first_rows] - begin) / 1e6
        return [(float(seconds[at]), int(found[at]), found[at] / (at + 1)) for at in sampled(len(found)).tolist()]

    return rows


def _found(arrays: SessionArrays, hot: int | None) -> tuple[int, Numbers]:
    """G, and the hot pages among the first T, for T = 1 to n."""
    more_than, is_hot = _hot(arrays, hot)
    return more_than, np.cumsum(is_hot[arrays.fetches.page[arrays.first_rows]])


def _hot(arrays: SessionArrays, hot: int | None) -> tuple[int, Mask]:
    """G, and which pages are hot."""
    if not len(arrays.links.sources):
        raise NotKnownError("it has no links")
    more_than = least_hot(arrays.in_degrees) if hot is None else hot
    return more_than, arrays.in_degrees > more_than

"""Pages and megabits a second over a crawl, as IRLbot's paper (WWW 2008, section 8) draws them in 10-minute means."""

import numpy as np

from crawler.session_report.crawling.samples import width_of
from crawler.session_report.report_figure import LINES, Drawing, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays

FETCH_RATES = ReportFigure(
    "fetch_rates",
    "The crawl",
    "Pages a second, over time",
    "Means over ten minutes each, or over a 60th of a crawl that took less than half an hour; Mb/s are 10^6 bits of "
    "bodies as received. Seconds are those from the first fetch to the interval's end.",
    ("seconds", "pages", "pages_per_second", "megabits_per_second"),
    Drawing(LINES, "seconds", ("pages_per_second",), "seconds since the first fetch", "pages/s"),
)
MEGABITS = ReportFigure(
    "megabits",
    "The crawl",
    "Megabits a second, over time",
    "The same of the bodies that came.",
    ("seconds", "megabits_per_second"),
    Drawing(LINES, "seconds", ("megabits_per_second",), "seconds since the first fetch", "Mb/s"),
)


def fetch_rates_of(arrays: SessionArrays) -> list[Row]:
    """All fetches by intervals.  The last interval ends with the crawl, and its means are over what there is of it."""
    rows = arrays.rows_by_time
    since = arrays.fetches.time[rows] - arrays.fetches.time[rows[0]]
    span = int(since[-1])
    width = width_of(span)
    count = max(1, -(-span // width))
    at = np.minimum(since // width, count - 1)
    pages = np.bincount(at, minlength=count)
    received = np.bincount(at, weights=arrays.fetches.bytes[rows], minlength=count)
    ends = [min((number + 1) * width, span) / 1e6 for number in range(count)]
    lengths = np.diff([0.0, *ends])
    return [
        (end, number, number / length, 8e-6 * float(size) / length)
        for end, number, size, length in zip(ends, pages.tolist(), received, lengths.tolist(), strict=True)
    ]


def megabits_of(arrays: SessionArrays) -> list[Row]:
    """The bits of these alone."""
    return [(end, megabits) for end, _, _, megabits in fetch_rates_of(arrays)]

"""How evenly the ranks of a crawl fetched, over time."""

import numpy as np

from crawler.session_report.crawling.samples import width_of
from crawler.session_report.report_figure import LINES, Drawing, NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays

RANK_LOADS = ReportFigure(
    "rank_loads",
    "The crawl",
    "Pages of a rank, over time",
    "The fetches of the rank with most, with fewest, and in the mean, in the intervals of pages a second.",
    ("seconds", "most", "mean", "fewest"),
    Drawing(LINES, "seconds", ("most", "mean", "fewest"), "seconds since the first fetch", "pages in an interval"),
)


def rank_loads_of(arrays: SessionArrays) -> list[Row]:
    """Fetches by interval and rank, of all ranks that there ever were."""
    ranks = arrays.session.most_ranks
    if ranks < 2:
        raise NotKnownError("one rank fetched all of it")
    rows = arrays.rows_by_time
    since = arrays.fetches.time[rows] - arrays.fetches.time[rows[0]]
    span = int(since[-1])
    width = width_of(span)
    count = max(1, -(-span // width))
    at = np.minimum(since // width, count - 1) * ranks + arrays.fetches.rank[rows]
    loads = np.bincount(at, minlength=count * ranks).reshape(count, ranks)
    ends = [min((number + 1) * width, span) / 1e6 for number in range(count)]
    columns = zip(ends, loads.max(1).tolist(), loads.mean(1).tolist(), loads.min(1).tolist(), strict=True)
    return list(columns)

"""The figures of a report, in their order: what each is, and who tells it."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from crawler.session_report.crawling.diversity import DIVERSITY, diversity_of
from crawler.session_report.crawling.fetch_rates import FETCH_RATES, MEGABITS, fetch_rates_of, megabits_of
from crawler.session_report.crawling.hot_pages import HOT_BY_PAGES, HOT_BY_TIME, hot_by_pages, hot_by_time
from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row, ToldFigure
from crawler.session_report.session_arrays import SessionArrays
from crawler.session_report.web.back_links import BACK_LINKS, POPULAR, back_links_of, popular_pages_of
from crawler.session_report.web.broken_links import BROKEN_LINKS, broken_links_of
from crawler.session_report.web.duplicates import DUPLICATES, duplicates_of

Teller = Callable[[SessionArrays], Sequence[Row]]


def by_session(hot: int | None) -> list[tuple[ReportFigure, Teller]]:
    """Figures that each session tells for itself; ``hot`` is the least number of back-links that is not hot."""
    return [
        (HOT_BY_PAGES, hot_by_pages(hot)),
        (HOT_BY_TIME, hot_by_time(hot)),
        (DIVERSITY, diversity_of),
        (FETCH_RATES, fetch_rates_of),
        (MEGABITS, megabits_of),
        (DUPLICATES, duplicates_of),
        (BROKEN_LINKS, broken_links_of),
        (BACK_LINKS, back_links_of),
        (POPULAR, popular_pages_of),
    ]


def told(
    sessions: Iterable[SessionArrays], hot: int | None, progress: Callable[[str], None] = lambda what: None
) -> list[ToldFigure]:
    """All figures of sessions, one session after the other, so that the arrays of one are in memory at a time."""
    figures = [(ToldFigure(figure), teller) for figure, teller in by_session(hot)]
    for arrays in sessions:
        for figure, teller in figures:
            progress(f"{arrays.name}: {figure.figure.title.lower()}")
            try:
                figure.rows[arrays.name] = [_plain(row) for row in teller(arrays)]
            except NotKnownError as why:
                figure.unknown[arrays.name] = str(why)
    return [figure for figure, _ in figures]


def _plain(row: Row) -> Row:
    """Numbers as Python has them."""
    return tuple(cell.item() if isinstance(cell, np.generic) else cell for cell in row)

"""The figures of a report, in their order: what each is, and who tells it."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from crawler.session_report.crawling.daily_fetches import DAILY_FETCHES, DaysOfFetches
from crawler.session_report.crawling.diversity import DIVERSITY, diversity_of
from crawler.session_report.crawling.fetch_rates import FETCH_RATES, MEGABITS, fetch_rates_of, megabits_of
from crawler.session_report.crawling.hot_pages import (
    HOT,
    HOT_BY_PAGES,
    HOT_BY_TIME,
    hot_by_pages,
    hot_by_time,
    hot_of,
)
from crawler.session_report.crawling.new_links import NEW_LINKS, new_links_of
from crawler.session_report.crawling.rank_loads import RANK_LOADS, rank_loads_of
from crawler.session_report.graph.bow_tie import BOW_TIE, bow_tie_of
from crawler.session_report.graph.degrees import IN_DEGREES, OUT_DEGREES, in_degrees_of, out_degrees_of
from crawler.session_report.graph.power_law import EXPONENTS, exponents_of
from crawler.session_report.graph.site_structure import (
    CENTRAL_SITES,
    SITE_GRAPH,
    central_sites_of,
    site_graph_of,
)
from crawler.session_report.report_figure import ALL, NotKnownError, ReportFigure, Row, ToldFigure
from crawler.session_report.session_arrays import NO_TIME, SessionArrays
from crawler.session_report.web.answers import ANSWERS, answers_of
from crawler.session_report.web.back_links import BACK_LINKS, POPULAR, back_links_of, popular_pages_of
from crawler.session_report.web.broken_links import BROKEN_LINKS, broken_links_of
from crawler.session_report.web.change_and_age import AGE, CHANGE, OldPages
from crawler.session_report.web.domains import DOMAINS, LINKED_DOMAINS, domains_by_pages, linked_domains_of
from crawler.session_report.web.duplicates import DUPLICATES, duplicates_of
from sessions.progress import Say
from sessions.session import Session

Teller = Callable[[SessionArrays], Sequence[Row]]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def by_session(hot: int | None) -> list[tuple[ReportFigure, Teller]]:
    """Figures that each session tells for itself; ``hot`` is G, None for the least."""
    return [
        (HOT, hot_of(hot)),
        (HOT_BY_PAGES, hot_by_pages(hot)),
        (HOT_BY_TIME, hot_by_time(hot)),
        (DIVERSITY, diversity_of),
        (FETCH_RATES, fetch_rates_of),
        (MEGABITS, megabits_of),
        (NEW_LINKS, new_links_of),
        (RANK_LOADS, rank_loads_of),
        (DUPLICATES, duplicates_of),
        (BROKEN_LINKS, broken_links_of),
        (BACK_LINKS, back_links_of),
        (POPULAR, popular_pages_of),
        (LINKED_DOMAINS, linked_domains_of),
        (DOMAINS, domains_by_pages),
        (ANSWERS, answers_of),
        (IN_DEGREES, in_degrees_of),
        (OUT_DEGREES, out_degrees_of),
        (BOW_TIE, bow_tie_of),
        (EXPONENTS, exponents_of),
        (SITE_GRAPH, site_graph_of),
        (CENTRAL_SITES, central_sites_of),
    ]


def told(sessions: Iterable[SessionArrays], hot: int | None, scratch: Path, progress: Say) -> list[ToldFigure]:
    """All figures of sessions in the order of time, of which the arrays of one are in memory at a time.

    Files are kept in ``scratch`` meanwhile.
    """
    figures = [(ToldFigure(figure), teller) for figure, teller in by_session(hot)]
    days, daily = ToldFigure(DAILY_FETCHES), DaysOfFetches()
    latest, opened = _EPOCH, list[Session]()
    for arrays in sessions:
        for figure, teller in figures:
            progress(f"{arrays.name}: {figure.figure.title.lower()}")
            _tell(figure, arrays.name, partial(teller, arrays))
        try:
            daily.add(arrays)
            latest = max(latest, _last_moment(arrays))
        except NotKnownError as why:
            days.unknown[arrays.name] = str(why)
        opened.append(arrays.session)
    change, age = ToldFigure(CHANGE), ToldFigure(AGE)
    if days.unknown:
        change.unknown.update(days.unknown)
        age.unknown.update(days.unknown)
    else:
        _tell(days, ALL, daily.rows)
        progress("change and age of old pages")
        old = OldPages(opened, latest, scratch)
        _tell(change, ALL, old.change)
        _tell(age, ALL, old.age)
    return [*(figure for figure, _ in figures), days, change, age]


def _tell(figure: ToldFigure, name: str, rows: Callable[[], Sequence[Row]]) -> None:
    """Add what a session tells of a figure, or why it does not."""
    try:
        figure.rows[name] = [_plain(row) for row in rows()]
    except NotKnownError as why:
        figure.unknown[name] = str(why)


def _plain(row: Row) -> Row:
    """Numbers as Python has them."""
    return tuple(cell.item() if isinstance(cell, np.generic) else cell for cell in row)


def _last_moment(arrays: SessionArrays) -> datetime:
    """When the session began, or its last page was fetched if that is later."""
    began = datetime.fromisoformat(arrays.session.header["started"])
    last = int(arrays.fetches.time.max(initial=NO_TIME))
    moment: datetime = max(began, _EPOCH + timedelta(microseconds=max(0, last)))
    return moment

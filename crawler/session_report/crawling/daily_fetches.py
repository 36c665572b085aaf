"""How many URLs were fetched on each day, and how many of them for the first time: Anansi's figure of its crawls."""

from collections.abc import Sequence

import numpy as np

from crawler.session_report.report_figure import LINES, Drawing, NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import NO_TIME, Numbers, SessionArrays
from sessions.hash_arrays import are_first, distinct
from sessions.url import Hashes

DAILY_FETCHES = ReportFigure(
    "daily_fetches",
    "All sessions together",
    "Fetches by day",
    "Fetches on each day (UTC) of all sessions together; the different URLs among them; and of these the new ones, "
    "never fetched before in any of the sessions, and the old ones. Days without fetches are left out.",
    ("day", "fetches", "distinct", "new", "old", "day_number"),
    Drawing(LINES, "day_number", ("fetches", "distinct", "new", "old"), "days since the first", "fetches"),
    shown=12,
)
_DAY = 86_400_000_000


class DaysOfFetches:
    """The day of every fetch of sessions that are added, 16 bytes for each URL of each day."""

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []
        self._days: list[Numbers] = []
        self._fetches: dict[int, int] = {}

    def add(self, arrays: SessionArrays) -> None:
        """Add a session's fetches.  Raises NotKnownError if it tells no times."""
        if arrays.is_graph:
            raise NotKnownError("an imported graph tells no times")
        if arrays.is_replay:
            raise NotKnownError("it was replayed, and has the times of the recording")
        fetches = arrays.fetches
        is_timed = fetches.time != NO_TIME
        days = fetches.time[is_timed] // _DAY
        for day, count in zip(*np.unique(days, return_counts=True), strict=True):
            self._fetches[int(day)] = self._fetches.get(int(day), 0) + int(count)
        pages = fetches.page[is_timed]
        first = int(days.min(initial=0))
        span = int(days.max(initial=0)) - first + 1
        page, day = np.divmod(distinct(pages * span + days - first), span)
        self._hashes.append(arrays.hashes[page])
        self._days.append(day + first)

    def rows(self) -> Sequence[Row]:
        """A row for each day."""
        hashes, days = np.concatenate(self._hashes), np.concatenate(self._days)
        order = np.lexsort((days, hashes))
        hashes, days = hashes[order], days[order]
        is_new = are_first(hashes)
        is_once = is_new | are_first(days)
        begin = int(days.min())
        count = int(days.max()) - begin + 1
        once = np.bincount(days[is_once] - begin, minlength=count)
        new = np.bincount(days[is_new] - begin, minlength=count)
        return [
            (
                str(np.datetime64(day, "D")),
                fetches,
                int(once[day - begin]),
                int(new[day - begin]),
                int(once[day - begin] - new[day - begin]),
                day - begin,
            )
            for day, fetches in sorted(self._fetches.items())
        ]

"""Marks of URLs that a server makes up without end.

Each rule looks at one URL and nothing else, so that every rank says the same of it, and a crawl with K ranks refuses
what a crawl with one refuses.  docs/traps.md has the sources.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

_MOST_TIMES_ONE_NAME = 3
_ENCODED_THRICE = "%2525"
_PARAMETER_NAMES = re.compile(r"[&;?]([^&;?=]+)")
_LISTS = ("[]", "%5b%5d", "%5B%5D")

# Patterns are for lower case: with IGNORECASE, re does not look for the characters that a match may begin with.
_EARLIEST_YEAR = 1990
_NUMBER_BUT_YEARS = "[0-9][0-9]{{3}}(?![0-9])(?<![0-9]{{5}})(?<!{years})"
_SEPARATOR = r"(?:[-_/]|%2f)"
_DATE = re.compile(
    rf"(?<!\d)(\d{{4}})(?:({_SEPARATOR})0?(?:[1-9]|1[0-2])\2(?:0?[1-9]|[12]\d|3[01])|{_SEPARATOR}(?:0[1-9]|1[0-2]))(?!\d)"
    r"|(?<!\d)\d{1,2}([-./])\d{1,2}\3(\d{4})(?!\d)"
    r"|(?<=year=|jahr=|anno=)(\d{4})(?!\d)"
)
_DATE_IN_ONE_NUMBER = re.compile(
    r"(?:date|day|month|week|datum)=(\d{4})(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?(?!\d)"
)
_MAYBE_DATE_IN_ONE_NUMBER = re.compile(r"[eyhkmEYHKM]=[0-9]{6}")

_SESSION_IN_QUERY = re.compile(
    r"[&;?](?:(?:jsessionid|phpsessid|aspsessionid\w*|cfid|cftoken|oscsid|xtcsid|zenid)=[^&;?]"
    r"|s(?:id|ess|essid|essionid|ession_id|ession)=[0-9a-z_,.-]{16,}(?:[&;?]|$)"
    r"|s=[0-9a-f]{32}(?:[&;?]|$))"
)
_SESSION_IN_PATH = re.compile(
    r"(?:;|%3b)(?:jsessionid|phpsessid)=.|/\((?:[a-z]\([0-9a-z_-]+\))+\)(?:/|$)|/\([0-9a-z]{24}\)(?:/|$)"
)

# A class of characters comes first, for which re looks much faster than for what may follow.  Then what cannot be: a
# digit behind another begins no number, and a long number would be tried from each of its digits.
_MARK = "[:?;(%0-9](?:(?<![0-9]{{2}})(?:(?<=[0-9])[0-9]{{3}}(?![0-9])(?<!{years})|(?<=[:?;(])|(?<=%)3))"
_HOST_BEGINS = len("https://")
_SLASHES_BEFORE_PATH = 2
_FOLDERS_REMEMBERED = 1 << 13

Trap = Callable[[str, str], bool]
"""Whether a URL with this path (from its leading slash) and this query (without its ?) bears the mark of a trap."""


class Marks:
    """What a URL must bear for any of the rules here to refuse it, found out at a small part of what the rules cost.

    That is: a query; a number of four digits that is no year as `calendar` has it; one of ``;``, ``(`` and ``%3``; more
    than ``most_segments``; so many segments that stand there before that one may stand more than ``most_repeated``
    times.  A port in the URL is such a mark, too.

    URLs of one folder tend to come together: what was found out about a folder is remembered for some time.
    """

    def __init__(self, year: int, most_segments: int, most_repeated: int) -> None:
        self._search = re.compile(_MARK.format(years=_pattern_of(_years(year)))).search
        self._most_slashes = most_segments + _SLASHES_BEFORE_PATH
        self._most_repeated = most_repeated
        self._is_marked: dict[str, bool] = {}

    def among(self, urls: Sequence[str]) -> list[int]:
        """Return the places of the canonical URLs that bear one."""
        search, is_marked = self._search, self._is_marked.get
        places = []
        for place, url in enumerate(urls):
            end = url.rfind("/")
            marked = is_marked(url[:end])
            if marked is None:
                marked = self._look_at(url[:end])
            if marked or search(url, end) is not None:
                places.append(place)
        return places

    def _look_at(self, folder: str) -> bool:
        """Whether every URL of this folder has to be asked the rules about; it ends before the last slash."""
        if len(self._is_marked) >= _FOLDERS_REMEMBERED:
            self._is_marked.clear()
        parts = folder.split("/")
        is_marked = (
            len(parts) > self._most_slashes
            or len(parts) - len(set(parts)) >= self._most_repeated - 1
            or self._search(folder, _HOST_BEGINS) is not None
        )
        self._is_marked[folder] = is_marked
        return is_marked


def _years(year: int) -> range:
    """Years that are no mark in a crawl that began in ``year``."""
    return range(_EARLIEST_YEAR, year + 2)


def _pattern_of(years: range) -> str:
    """A pattern for these years, by decades: one alternative a year took four times as long."""
    decades = {year // 10: year % 10 for year in years}
    return "|".join(f"{decade}[0-{last}]" for decade, last in decades.items())


def repeated_segments(most: int) -> Trap:
    """A path in which one segment stands more than ``most`` times.

    It need not be in a row: of a cycle of segments, ``/a/b/a/b``, each recurs as often as the cycle does.
    """

    def is_trap(path: str, _query: str) -> bool:
        if path.count("/") <= most:
            return False
        segments = path.split("/")
        if len(set(segments)) > len(segments) - most:
            return False
        return max((count for segment, count in Counter(segments).items() if segment), default=0) > most

    return is_trap


def calendar(year: int) -> Trap:
    """A path or query with a date before 1990, or after the year that follows ``year``, that of the crawl.

    Dates are year, month and day with -, _ or / between them; year and a month of two digits; day, month and year
    with -, . or / between them; a parameter whose name ends in "year" or that in some other languages; and digits in a
    row in a parameter whose name ends in "date", "day", "month" or "week".  Years have four digits.
    """

    years = _years(year)
    odd_number = re.compile(_NUMBER_BUT_YEARS.format(years=_pattern_of(years))).search

    def is_trap(path: str, query: str) -> bool:
        text = f"{path}?{query}" if query else path
        if odd_number(text) is not None:
            dates = _DATE.finditer(text.lower())
            if any(int(date[1] or date[4] or date[5]) not in years for date in dates):
                return True
        if _MAYBE_DATE_IN_ONE_NUMBER.search(query) is None:
            return False
        return any(int(number) not in years for number in _DATE_IN_ONE_NUMBER.findall(query.lower()))

    return is_trap


def growing_query(_path: str, query: str) -> bool:
    """A query that has grown from itself: it names one parameter more than three times, or encodes a URL thrice over.

    Names of lists, ``x[]``, may recur.  A question mark within the query begins parameters too: that is how a URL
    looks that was put into another's parameter as it is.
    """
    if not query:
        return False
    if _ENCODED_THRICE in query:
        return True
    if query.count("&") + query.count(";") + query.count("?") < _MOST_TIMES_ONE_NAME:
        return False
    names = _PARAMETER_NAMES.findall("?" + query)
    if len(names) - len(set(names)) < _MOST_TIMES_ONE_NAME:
        return False
    most_times = Counter(name for name in names if not name.endswith(_LISTS))
    return max(most_times.values(), default=0) > _MOST_TIMES_ONE_NAME


def session_id(path: str, query: str) -> bool:
    """A session's number in the query or the path, under one of the names that frameworks give it.

    Names that are also used for other things (sid, session, s) count only with a value that looks like such a number.
    """
    if query and _SESSION_IN_QUERY.search("?" + query.lower()):
        return True
    is_suspect = ";" in path or "(" in path or "%3" in path
    return is_suspect and _SESSION_IN_PATH.search(path.lower()) is not None

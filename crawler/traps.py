"""Marks of URLs that a server makes up without end.

Each rule looks at one URL and nothing else, so that every rank says the same of it, and a crawl with K ranks refuses
what a crawl with one refuses.  docs/traps.md has the sources.
"""

import re
from collections import Counter
from collections.abc import Callable

_MOST_TIMES_ONE_NAME = 3
_ENCODED_THRICE = "%2525"
_PARAMETER_NAMES = re.compile(r"[&;?]([^&;?=]+)")
_LISTS = ("[]", "%5b%5d", "%5B%5D")

# Patterns are for lower case: with IGNORECASE, re does not look for the characters that a match may begin with.
_EARLIEST_YEAR = 1990
_DIGITS_OF_A_YEAR = 4
_NUMBER = re.compile(r"\d\d\d\d+")
_SEPARATOR = r"(?:[-_/]|%2f)"
_DATE = re.compile(
    rf"(?<!\d)(\d{{4}})(?:({_SEPARATOR})0?(?:[1-9]|1[0-2])\2(?:0?[1-9]|[12]\d|3[01])|{_SEPARATOR}(?:0[1-9]|1[0-2]))(?!\d)"
    r"|(?<!\d)\d{1,2}([-./])\d{1,2}\3(\d{4})(?!\d)"
    r"|(?<=year=|jahr=|anno=)(\d{4})(?!\d)"
)
_DATE_IN_ONE_NUMBER = re.compile(
    r"(?:date|day|month|week|datum)=(\d{4})(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?(?!\d)"
)

_SESSION_IN_QUERY = re.compile(
    r"[&;?](?:(?:jsessionid|phpsessid|aspsessionid\w*|cfid|cftoken|oscsid|xtcsid|zenid)=[^&;?]"
    r"|s(?:id|ess|essid|essionid|ession_id|ession)=[0-9a-z_,.-]{16,}(?:[&;?]|$)"
    r"|s=[0-9a-f]{32}(?:[&;?]|$))"
)
_SESSION_IN_PATH = re.compile(
    r"(?:;|%3b)(?:jsessionid|phpsessid)=.|/\((?:[a-z]\([0-9a-z_-]+\))+\)(?:/|$)|/\([0-9a-z]{24}\)(?:/|$)"
)

Trap = Callable[[str, str], bool]
"""Whether a URL with this path (from its leading slash) and this query (without its ?) bears the mark of a trap."""


def repeated_segments(most: int) -> Trap:
    """A path in which one segment stands more than ``most`` times.

    It need not be in a row: of a cycle of segments, ``/a/b/a/b``, each recurs as often as the cycle does.
    """

    def is_trap(path: str, _query: str) -> bool:
        segments = path.split("/")
        if len(segments) - 1 <= most or len(set(segments)) > len(segments) - most:
            return False
        return max((count for segment, count in Counter(segments).items() if segment), default=0) > most

    return is_trap


def calendar(year: int) -> Trap:
    """A path or query with a date before 1990, or after the year that follows ``year``, that of the crawl.

    Dates are year, month and day with -, _ or / between them; year and a month of two digits; day, month and year
    with -, . or / between them; a parameter whose name ends in "year" or that in some other languages; and digits in a
    row in a parameter whose name ends in "date", "day", "month" or "week".  Years have four digits.
    """

    years = range(_EARLIEST_YEAR, year + 2)

    def is_trap(path: str, query: str) -> bool:
        if not query:
            return _is_dated_outside(years, path)
        return _is_dated_outside(years, f"{path}?{query}") or any(
            int(number) not in years for number in _DATE_IN_ONE_NUMBER.findall(query.lower())
        )

    return is_trap


def _is_dated_outside(years: range, text: str) -> bool:
    if not any(len(number) == _DIGITS_OF_A_YEAR and int(number) not in years for number in _NUMBER.findall(text)):
        return False
    dates = _DATE.finditer(text.lower())
    return any(int(date[1] or date[4] or date[5]) not in years for date in dates)


def growing_query(_path: str, query: str) -> bool:
    """A query that has grown from itself: it names one parameter more than three times, or encodes a URL thrice over.

    Names of lists, ``x[]``, may recur.  A question mark within the query begins parameters too: that is how a URL
    looks that was put into another's parameter as it is.
    """
    if not query:
        return False
    if _ENCODED_THRICE in query:
        return True
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

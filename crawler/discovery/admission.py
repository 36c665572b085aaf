"""Which of the URLs that a rank discovers are never requested, and why.

Asked once for each URL, by its owner.  The rules of a crawl look at the URL alone: the answer is the same on every
rank.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from crawler.config.filters import UrlPatterns
from crawler.discovery import spider_traps
from crawler.network.bad_ports import has_bad_port
from sessions.schema import FILTERED
from sessions.url import LONGEST_URL, Hashes, site_of

ADMITTED = 0
REASONS = (
    "",
    "port",
    "url-length",
    "segments",
    "query",
    "extension",
    "include",
    "exclude",
    "trap-repeated",
    "trap-calendar",
    "trap-session-id",
    "trap-query",
)
"""Why a URL is refused, by code; `ADMITTED` has no reason.  Of several reasons the first in this order counts."""

Codes = npt.NDArray[np.uint8]

_TRAPS_SEGMENTS = 20
_TRAPS_REPEATED_SEGMENTS = 3
_TRAPS_QUERY_LENGTH = 1024
_TRAPS_QUERY_PARAMETERS = 32
_TELLING_BY_MARKS = {"port", "segments", "query", "trap-repeated", "trap-calendar", "trap-session-id", "trap-query"}
"""Rules that refuse no URL without one of the marks of `crawler.discovery.spider_traps.Marks`."""


class _Url(NamedTuple):
    whole: str
    path: str
    query: str


_Rule = Callable[[_Url], bool]


class Admission(Protocol):
    """Says which URLs are never requested.  ``is_everything`` holds if it refuses none."""

    is_everything: bool

    def codes(self, hashes: Hashes, urls: Sequence[str]) -> Codes:
        """For each of n canonical URLs `ADMITTED`, or a code that `outcome` knows: uint8[n] for hashes uint64[n]."""
        ...

    def outcome(self, code: int) -> tuple[str, str]:
        """State and reason of a URL that is refused, as the outcomes table has them."""
        ...


@dataclass(frozen=True, kw_only=True)
class AdmissionSettings:
    """Which URLs a crawl never requests; each field is the option of that name, and None sets no limit.

    With ``traps`` the other limits have defaults, and what is None of the three ``skip`` flags is on.
    """

    traps: bool
    include: Sequence[str]
    exclude: Sequence[str]
    skip_extensions: str | None
    max_url_length: int | None
    max_segments: int | None
    max_repeated_segments: int | None
    max_query_length: int | None
    max_query_parameters: int | None
    skip_calendars: bool | None
    skip_session_ids: bool | None
    skip_growing_queries: bool | None


class UrlRules:
    """The rules of a crawl on URLs.

    ``seeds`` in canonical form are admitted whatever the rules say: the user has named them.  ``year`` is that in
    which the crawl began.
    """

    is_everything = False

    def __init__(self, settings: AdmissionSettings, seeds: Iterable[str], year: int) -> None:
        self._seeds = frozenset(seeds)
        rules = _rules(settings, year) | {"port": _bad_port_unless_at(frozenset(map(site_of, self._seeds)))}
        reasons = {reason: rule for reason, rule in rules.items() if rule is not None}
        self._rules = [(REASONS.index(reason), reasons[reason]) for reason in REASONS if reason in reasons]
        self._suspects = _suspects(settings, year, reasons.keys())

    def outcome(self, code: int) -> tuple[str, str]:
        return FILTERED, REASONS[code]

    def codes(self, hashes: Hashes, urls: Sequence[str]) -> Codes:
        """For each canonical URL `ADMITTED`, or the place in `REASONS` of why it is refused: uint8[n]."""
        codes = np.zeros(len(urls), np.uint8)
        for place in self._suspects(urls):
            codes[place] = self._code(urls[place])
        return codes

    def _code(self, whole: str) -> int:
        location, _, query = whole.partition("?")
        url = _Url(whole, location[location.index("/", len("https://")) :], query)
        for code, refuses in self._rules:
            if refuses(url):
                return ADMITTED if whole in self._seeds else code
        return ADMITTED


def _suspects(settings: AdmissionSettings, year: int, reasons: Set[str]) -> Callable[[Sequence[str]], Iterable[int]]:
    """What tells, of some URLs, the places of those that some rule may refuse.

    Most crawls have none but rules on marks that few URLs bear; rules on others are asked about every URL.
    """
    if reasons <= {"port"}:
        return _with_port
    if not reasons <= _TELLING_BY_MARKS:
        return lambda urls: range(len(urls))
    segments, repeated = _most_segments(settings), _most_repeated(settings)
    no_limit = LONGEST_URL
    return spider_traps.Marks(
        year, no_limit if segments is None else segments, no_limit if repeated is None else repeated
    ).among


def _with_port(urls: Sequence[str]) -> list[int]:
    """The places of URLs that may have a port: of those with a colon behind the scheme."""
    return [place for place, url in enumerate(urls) if url.find(":", len("https:")) >= 0]


def _bad_port_unless_at(sites: Set[str]) -> _Rule:
    return lambda url: has_bad_port(url.whole) and site_of(url.whole) not in sites


def _most_segments(settings: AdmissionSettings) -> int | None:
    return _or_default(settings.max_segments, settings.traps, _TRAPS_SEGMENTS)


def _most_repeated(settings: AdmissionSettings) -> int | None:
    return _or_default(settings.max_repeated_segments, settings.traps, _TRAPS_REPEATED_SEGMENTS)


def _rules(settings: AdmissionSettings, year: int) -> dict[str, _Rule | None]:
    """What refuses a URL, by reason; None where nothing is asked."""
    has_traps = settings.traps
    segments, repeated = _most_segments(settings), _most_repeated(settings)
    query_length = _or_default(settings.max_query_length, has_traps, _TRAPS_QUERY_LENGTH)
    parameters = _or_default(settings.max_query_parameters, has_traps, _TRAPS_QUERY_PARAMETERS)
    return {
        "url-length": _longer_than(settings.max_url_length),
        "segments": _more_segments_than(segments),
        "query": _larger_query_than(query_length, parameters),
        "extension": _extension_among(settings.skip_extensions),
        "include": _matches(settings.include, wanted=False),
        "exclude": _matches(settings.exclude, wanted=True),
        "trap-repeated": _trap(spider_traps.repeated_segments(repeated)) if repeated is not None else None,
        "trap-calendar": _trap(spider_traps.calendar(year)) if _is_on(settings.skip_calendars, has_traps) else None,
        "trap-session-id": _trap(spider_traps.session_id) if _is_on(settings.skip_session_ids, has_traps) else None,
        "trap-query": _trap(spider_traps.growing_query) if _is_on(settings.skip_growing_queries, has_traps) else None,
    }


def _or_default(asked: int | None, has_traps: bool, default: int) -> int | None:
    return default if asked is None and has_traps else asked


def _is_on(asked: bool | None, has_traps: bool) -> bool:
    return has_traps if asked is None else asked


def _trap(is_trap: spider_traps.Trap) -> _Rule:
    return lambda url: is_trap(url.path, url.query)


def _longer_than(most: int | None) -> _Rule | None:
    return None if most is None else lambda url: len(url.whole) > most


def _more_segments_than(most: int | None) -> _Rule | None:
    """A path has as many segments as slashes; an empty one at its end, after a slash, counts as well."""
    return None if most is None else lambda url: url.path.count("/") > most


def _larger_query_than(length: int | None, parameters: int | None) -> _Rule | None:
    if length is None and parameters is None:
        return None
    most_characters = LONGEST_URL if length is None else length
    most_parameters = LONGEST_URL if parameters is None else parameters
    return lambda url: url.query != "" and (len(url.query) > most_characters or url.query.count("&") >= most_parameters)


def _extension_among(listed: str | None) -> _Rule | None:
    if listed is None:
        return None
    extensions = frozenset(listed.split(","))

    def refuses(url: _Url) -> bool:
        name = url.path.rpartition("/")[2].partition(";")[0]
        _, dot, extension = name.rpartition(".")
        return dot != "" and extension.lower() in extensions

    return refuses


def _matches(patterns: Sequence[str], *, wanted: bool) -> _Rule | None:
    if not patterns:
        return None
    match = UrlPatterns(patterns).match
    return lambda url: match(url.whole) is wanted

"""What each rank of a crawl counts: every counter is declared here, once.

The reports in commit records, the sums over ranks and over runs, the shapes that `cutweb check` demands, what `cutweb
info` tells, the metrics and the tables of docs/formats.md follow from this.  A new counter is a line here, and a line
where it is raised (``counters.name += 1``, if it is a tally).
"""

from collections import Counter as Counts
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from sessions.records import Report

STATES = ("failed", "filtered", "queued")
"""What became of URLs that have no page."""


class Form(Enum):
    """What kind of value a counter has."""

    COUNT = auto()
    """A whole number, not negative."""
    BALANCE = auto()
    """A whole number."""
    BY_NAME = auto()
    """Counts by name."""
    BY_STATE = auto()
    """Counts by reason for each of `STATES`."""
    SECONDS = auto()
    """A time."""
    BY_STAGE = auto()
    """Times by stage of the rank's loop."""


class Adds(Enum):
    """How values of several ranks, or of several runs, become one."""

    SUM = auto()
    LARGEST = auto()


@dataclass(frozen=True)
class Counter:
    """A counter of one rank since its run began.

    Attributes:
        name: its key in a report.
        meaning: what it counts, with the unit, as the docs have it.
        form: the kind of its value.
        over_ranks, over_runs: how it adds up.
        is_later: older sessions lack it, and have none of it.
        was_by_rank: older sessions have a list of what went to each rank, of which the sum is meant
            (`brought_up_to_date`).
        is_tally: raised where it happens, on the rank's `crawler.monitoring.counters.Counters`; others are measured
            when the report is made.
        line, words: where ``cutweb info`` tells of it if it is not 0, and in which words after the number.
    """

    name: str
    meaning: str
    form: Form = Form.COUNT
    over_ranks: Adds = Adds.SUM
    over_runs: Adds = Adds.SUM
    is_later: bool = False
    was_by_rank: bool = False
    is_tally: bool = False
    line: str = ""
    words: str = ""

    def nothing(self) -> Any:
        """Return the value before anything was counted."""
        if self.form is Form.BY_STATE:
            return {state: {} for state in STATES}
        if self.form in (Form.BY_NAME, Form.BY_STAGE):
            return {}
        return 0.0 if self.form is Form.SECONDS else 0

    def total(self, reports: Iterable[Mapping[str, Any]]) -> Any:
        """Return what all ranks have together."""
        values = [report[self.name] for report in reports if self.name in report]
        if self.form is Form.BY_STATE:
            return {state: _sum_by_name(value[state] for value in values) for state in STATES}
        if self.form in (Form.BY_NAME, Form.BY_STAGE):
            return _sum_by_name(values)
        nothing = self.nothing()
        return max(values, default=nothing) if self.over_ranks is Adds.LARGEST else sum(values, nothing)

    def over(self, values: Sequence[Any]) -> Any:
        """Return what the values of a rank's runs, one or more, come to."""
        return max(values) if self.over_runs is Adds.LARGEST else _added(values)


def _tally(name: str, meaning: str, form: Form = Form.COUNT, **others: Any) -> Counter:
    return Counter(name, meaning, form, is_tally=True, **others)


COUNTERS: dict[str, Counter] = {
    counter.name: counter
    for counter in (
        _tally("discovered", "URLs that this rank accepted as their owner: rows of `urls`"),
        _tally("fetched", "pages: rows of `pages`"),
        Counter("failed", "URLs that no response came to: rows of `outcomes` with that state"),
        Counter("filtered", "URLs that are not requested: rows of `outcomes` with that state"),
        Counter(
            "queued",
            "URLs left: rows of `frontier` at the end. In a run that went on it is what it discovered less what it "
            "settled, and may be negative",
            Form.BALANCE,
        ),
        Counter(
            "reasons", "URLs by reason, for each of failed, filtered, queued (queued only at the end)", Form.BY_STATE
        ),
        _tally("statuses", "pages by HTTP status", Form.BY_NAME),
        _tally("links", "rows of `links`"),
        _tally(
            "links_out_of_scope", "links dropped by scope where they were found", line="links", words="out of scope"
        ),
        _tally(
            "links_over_limit",
            "links left out because their page has more than `--max-links`",
            is_later=True,
            line="links",
            words="over a page's limit",
        ),
        _tally(
            "links_nofollow",
            "links recorded and not followed, because they or their page say nofollow",
            is_later=True,
            line="links",
            words="not followed (nofollow)",
        ),
        _tally(
            "duplicates",
            "pages with `duplicate_of`: another had the same document before",
            is_later=True,
            line="seen before",
            words="documents",
        ),
        _tally(
            "near_duplicates",
            "pages whose links were not followed because the page is like another of its site",
            is_later=True,
            line="seen before",
            words="documents nearly",
        ),
        _tally(
            "unchanged",
            "pages with `unchanged_since`",
            is_later=True,
            line="seen before",
            words="pages unchanged since the previous session",
        ),
        _tally(
            "listed",
            "URLs of the worklist that this rank owns, by kind: new, or old",
            Form.BY_NAME,
            is_later=True,
            line="worklist",
            words="URLs listed",
        ),
        _tally(
            "handed_out",
            "listed URLs that the rank took up, by kind; one that a run left unvisited is taken up again by the next",
            Form.BY_NAME,
            is_later=True,
            line="worklist",
            words="taken up",
        ),
        _tally(
            "listed_fetched",
            "listed URLs with a page, by kind",
            Form.BY_NAME,
            is_later=True,
            line="worklist",
            words="fetched",
        ),
        _tally(
            "listed_failed",
            "listed URLs that no response came to, by kind",
            Form.BY_NAME,
            is_later=True,
            line="worklist",
            words="failed",
        ),
        _tally(
            "listed_filtered",
            "listed URLs that are not requested, by kind",
            Form.BY_NAME,
            is_later=True,
            line="worklist",
            words="filtered",
        ),
        _tally(
            "listed_unconditional",
            "old listed URLs asked for whether they have changed or not, since the last session does not tell by what",
            is_later=True,
            line="worklist",
            words="old ones asked for without a condition",
        ),
        _tally(
            "defects",
            "pages with `error`, by error: those that did not come whole or could not be read to the end",
            Form.BY_NAME,
            is_later=True,
            line="defects",
            words="pages not whole, or not read to the end",
        ),
        _tally("bytes", "bytes of bodies as received, summed over `pages`"),
        _tally("decoded_bytes", "bytes of bodies decoded, summed over `pages`"),
        _tally(
            "largest_domain_pages",
            "among each 256 pages in a row, those of the domain that had most of them: over `fetched` it is how much "
            "one domain has",
            is_later=True,
        ),
        _tally("written_bytes", "bytes that epochs have brought to disk", is_later=True),
        _tally("robots_fetched", "requests for robots.txt", line="robots", words="requests for a robots.txt"),
        _tally(
            "head_requests",
            "HEADs sent to verify links (`--verify-links`)",
            is_later=True,
            line="verified",
            words="HEADs",
        ),
        _tally(
            "head_seconds",
            "time that these HEADs took until they were answered, or had failed, in seconds",
            Form.SECONDS,
            is_later=True,
            line="verified",
            words="s until they were answered",
        ),
        _tally(
            "head_bytes",
            "bytes of the header lines with which they were answered",
            is_later=True,
            line="verified",
            words="bytes of answers",
        ),
        _tally(
            "errors",
            "attempts without a response, by kind, and those answered with 429 or 503 that were repeated",
            Form.BY_NAME,
            line="errors",
            words="attempts without a useful response",
        ),
        Counter("sent_urls", "URLs sent to other ranks", was_by_rank=True),
        Counter(
            "sent_numbers",
            "URLs among them that went as their number in a partition map",
            is_later=True,
            was_by_rank=True,
            line="exchange",
            words="of them as numbers",
        ),
        Counter("sent_bytes", "bytes of the strings of the URLs sent", was_by_rank=True),
        Counter("wire_bytes", "bytes that MPI carried", was_by_rank=True),
        Counter("messages", "messages that carried URLs", was_by_rank=True),
        Counter(
            "letters",
            "MPI messages to other ranks about who may visit which site ([politeness](politeness.md))",
            is_later=True,
            line="exchange",
            words="messages about who may visit which site",
        ),
        Counter(
            "order_bytes",
            "bytes that MPI carried for the sake of the order of URLs: domains that link to each other, or back-links "
            "([ranking](ranking.md))",
            is_later=True,
            line="exchange",
            words="bytes about the order of URLs",
        ),
        Counter(
            "resent",
            "URLs sent once more because a way within `--max-depth` and `--max-redirects` was found only then. In "
            "older sessions also those sent again because the memory of what was sent was bounded",
            line="exchange",
            words="of them again",
        ),
        Counter(
            "network_bytes",
            "bytes that arrived over the connections of a crawl with a limit of bandwidth, with the headers of all "
            "layers ([network](network.md#bandwidth)); 0 without one",
            is_later=True,
            line="received",
            words="bytes over the network",
        ),
        Counter(
            "supersteps",
            "supersteps so far, those of earlier runs included",
            over_ranks=Adds.LARGEST,
            over_runs=Adds.LARGEST,
        ),
        Counter("seconds", "time of this run so far, in seconds", Form.SECONDS, over_ranks=Adds.LARGEST),
        Counter("cpu", "CPU seconds by stage: fetch, parse, links, seen, record, exchange, other", Form.BY_STAGE),
        Counter(
            "peak_rss",
            "largest memory of the process, in bytes",
            over_ranks=Adds.LARGEST,
            over_runs=Adds.LARGEST,
        ),
    )
}
"""All counters by name, in the order of a report."""


def counter_named(name: str) -> Counter:
    """Return the counter of that name; one that a later version has counted adds up."""
    return COUNTERS.get(name) or Counter(name, "")


def nothing_counted() -> Report:
    """Return the report of a rank that has done nothing."""
    return {name: counter.nothing() for name, counter in COUNTERS.items()}


def brought_up_to_date(report: Report) -> Report:
    """Return a report with the sums that it holds now where an older one has a list, by destination rank."""
    return {
        name: sum(value) if isinstance(value, list) and counter_named(name).was_by_rank else value
        for name, value in report.items()
    }


def _sum_by_name(counts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    total: Counts[str] = Counts()
    for some in counts:
        total.update(some)
    return dict(total)


def _added(values: Sequence[Any]) -> Any:
    """The sum of numbers, or of objects key by key."""
    first = values[0]
    if isinstance(first, dict):
        names = dict.fromkeys(name for value in values for name in value)
        return {name: _added([value[name] for value in values if name in value]) for name in names}
    return sum(values)

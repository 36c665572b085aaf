"""What a session amounts to, by the last commit record of each run; only the number of sites is counted in a table."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow.compute as pc

from sessions.runs import Run
from sessions.session import Session

STATES = ("failed", "filtered", "queued")


@dataclass(frozen=True, slots=True)
class Figures:
    """What one rank did, or all together.  Counts are since the crawl's start; bytes are bytes.

    ``status_classes`` counts pages by "2xx" and so on.  ``sent_urls`` and what follows is what was handed to other
    ranks in the link exchange; a rank sends a URL once, however many links lead to it, so ``sent_per_link`` is at
    most the share of links that cross between ranks, and ``sent_per_page`` is Cho and Garcia-Molina's
    communication.  ``sent_numbers`` counts those of ``sent_urls`` that went as numbers of a partition map.
    ``letters`` are what gatekeepers and visitors of sites wrote to each other.  ``errors`` counts requests without a
    useful response, ``defects`` pages of which not all came or could be read, by kind.
    ``cpu_ms_per_page`` is CPU time by stage of the rank's loop.  Of all ranks together, ``seconds``, ``supersteps``
    and ``peak_rss`` are the largest, the rest are sums; what has no pages or links has no ratio.
    """

    discovered: int
    fetched: int
    failed: int
    filtered: int
    queued: int
    reasons: dict[str, dict[str, int]]
    statuses: dict[str, int]
    status_classes: dict[str, int]
    sites: int
    links: int
    links_per_page: float | None
    links_out_of_scope: int
    links_nofollow: int
    links_over_limit: int
    bytes: int
    decoded_bytes: int
    duplicates: int
    near_duplicates: int
    unchanged: int
    robots_fetched: int
    errors: dict[str, int]
    defects: dict[str, int]
    sent_urls: int
    sent_numbers: int
    sent_bytes: int
    wire_bytes: int
    messages: int
    letters: int
    resent: int
    sent_per_link: float | None
    sent_per_page: float | None
    supersteps: int
    seconds: float
    pages_per_second: float | None
    cpu_ms_per_page: dict[str, float]
    peak_rss: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A session in numbers.

    ``ended`` is None for a session that was killed or still runs; it has come as far as ``epochs`` and ``committed``
    (the time of the last commit, None before the first) say.  ``runs`` tells who began it and who went on, by ``run``,
    ``ranks``, ``assignment``, ``started`` and ``first_epoch``; the figures are of all runs together.  ``k`` is the
    latest run's.  ``ranks`` has one entry for each rank that there ever was, and is empty before the first commit.
    ``previous`` is the session that the assignment was computed from.  ``overlap`` counts pages fetched more than
    once, each time but the first; None if the assignment does not let that happen.  ``has_moved``: URLs may have
    changed their owner from run to run, and what ranks have ``queued`` says something only in sum.
    """

    session: str
    software: str
    run: str
    started: str
    assignment: str
    previous: str | None
    k: int
    runs: list[dict[str, Any]]
    epochs: int
    committed: str | None
    ended: dict[str, Any] | None
    overlap: int | None
    has_moved: bool
    total: Figures
    ranks: list[Figures]

    def as_dict(self) -> dict[str, Any]:
        """For machines; docs/formats.md names the keys."""
        return asdict(self)


def summarise(session: Session) -> Summary:
    """Sum a session up as far as it is committed."""
    reports = session.rank_reports()
    sites = [_sites(session, rank) for rank in range(len(reports))]
    header = session.header
    return Summary(
        session=str(session.path),
        software=header["software"],
        run=header["run"],
        started=header["started"],
        assignment=header["assignment"],
        previous=header.get("previous"),
        k=session.ranks,
        runs=[_told(run) for run in session.runs],
        epochs=len(session.counting),
        committed=session.counting[-1]["committed"] if session.counting else None,
        ended=session.ended,
        overlap=_overlap(session) if session.allows_overlap else None,
        has_moved=session.has_moved,
        total=_figures(reports, len(set().union(*sites))),
        ranks=[_figures([report], len(its)) for report, its in zip(reports, sites, strict=True)],
    )


def _told(run: Run) -> dict[str, Any]:
    """A run without its configuration."""
    return {name: value for name, value in asdict(run).items() if name != "configuration"}


def _sites(session: Session, rank: int) -> set[str]:
    return set(pc.unique(session.read("pages", ["site"], rank)["site"]).to_pylist())


def _overlap(session: Session) -> int:
    hashes = session.read("pages", ["hash"])["hash"]
    return len(hashes) - int(pc.count_distinct(hashes).as_py())


def _figures(reports: Sequence[Mapping[str, Any]], sites: int) -> Figures:
    def total(counter: str) -> int:
        return sum(report.get(counter, 0) for report in reports)

    def sent(counter: str) -> int:
        return sum(sum(report.get(counter, ())) for report in reports)

    fetched, links = total("fetched"), total("links")
    seconds = max((report["seconds"] for report in reports), default=0.0)
    statuses = _added(report["statuses"] for report in reports)
    cpu = _added(report["cpu"] for report in reports)
    return Figures(
        discovered=total("discovered"),
        fetched=fetched,
        failed=total("failed"),
        filtered=total("filtered"),
        queued=total("queued"),
        reasons={state: _added(report["reasons"][state] for report in reports) for state in STATES},
        statuses=statuses,
        status_classes=_classes(statuses),
        sites=sites,
        links=links,
        links_per_page=_ratio(links, fetched),
        links_out_of_scope=total("links_out_of_scope"),
        links_nofollow=total("links_nofollow"),
        links_over_limit=total("links_over_limit"),
        bytes=total("bytes"),
        decoded_bytes=total("decoded_bytes"),
        duplicates=total("duplicates"),
        near_duplicates=total("near_duplicates"),
        unchanged=total("unchanged"),
        robots_fetched=total("robots_fetched"),
        errors=_added(report["errors"] for report in reports),
        defects=_added(report.get("defects", {}) for report in reports),
        sent_urls=sent("sent_urls"),
        sent_numbers=sent("sent_numbers"),
        sent_bytes=sent("sent_bytes"),
        wire_bytes=sent("wire_bytes"),
        messages=sent("messages"),
        letters=total("letters"),
        resent=total("resent"),
        sent_per_link=_ratio(sent("sent_urls"), links),
        sent_per_page=_ratio(sent("sent_urls"), fetched),
        supersteps=max((report["supersteps"] for report in reports), default=0),
        seconds=seconds,
        pages_per_second=_ratio(fetched, seconds),
        cpu_ms_per_page={stage: 1000 * spent / fetched for stage, spent in cpu.items()} if fetched else {},
        peak_rss=max((report["peak_rss"] for report in reports), default=0),
    )


def _added(counters: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return dict(total)


def _classes(statuses: Mapping[str, int]) -> dict[str, int]:
    classes: Counter[str] = Counter()
    for status, pages in statuses.items():
        classes[f"{status[0]}xx"] += pages
    return dict(sorted(classes.items()))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None

"""What a session amounts to, by the last commit record of each run; only the number of sites is counted in a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pyarrow.compute as pc

from sessions.counters import COUNTERS
from sessions.records import DatedEnd, Dropped
from sessions.runs import Run
from sessions.session import Session


@dataclass(frozen=True, slots=True)
class Figures:
    """What one rank did, or all together: ``figures[name]`` is a counter of `sessions.counters`, as it adds up.

    What has no pages, links or time has no ratio.
    """

    counters: Mapping[str, Any]
    sites: int

    def __getitem__(self, counter: str) -> Any:
        return self.counters[counter]

    @property
    def status_classes(self) -> dict[str, int]:
        """Pages by "2xx" and so on."""
        classes: Counter[str] = Counter()
        for status, pages in self["statuses"].items():
            classes[f"{status[0]}xx"] += pages
        return dict(sorted(classes.items()))

    @property
    def links_per_page(self) -> float | None:
        """Links recorded for each page."""
        return _ratio(self["links"], self["fetched"])

    @property
    def sent_per_link(self) -> float | None:
        """URLs sent for each link: at most the share of links that cross between ranks."""
        return _ratio(self["sent_urls"], self["links"])

    @property
    def sent_per_page(self) -> float | None:
        """URLs sent for each page: Cho and Garcia-Molina's communication."""
        return _ratio(self["sent_urls"], self["fetched"])

    @property
    def pages_per_second(self) -> float | None:
        """Pages over seconds."""
        return _ratio(self["fetched"], self["seconds"])

    @property
    def cpu_ms_per_page(self) -> dict[str, float]:
        """CPU milliseconds a page by stage of the rank's loop."""
        pages = self["fetched"]
        return {stage: 1000 * spent / pages for stage, spent in self["cpu"].items()} if pages else {}

    def as_dict(self) -> dict[str, Any]:
        """For machines; docs/formats.md names the keys."""
        derived = {name: getattr(self, name) for name in DERIVED}
        return {name: value for name, value in self.counters.items() if name != "cpu"} | derived


DERIVED = (
    "status_classes",
    "sites",
    "links_per_page",
    "sent_per_link",
    "sent_per_page",
    "pages_per_second",
    "cpu_ms_per_page",
)
"""Figures that follow from counters and tables."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A session in numbers.

    ``ended`` is None for a session that was killed or still runs; it has come as far as ``epochs`` and ``committed``
    (the time of the last commit, None before the first) say.  ``runs`` tells who began it and who went on, by ``run``,
    ``ranks``, ``assignment``, ``started`` and ``first_epoch``; the figures are of all runs together.  ``k`` is the
    latest run's.  ``ranks`` has one entry for each rank that there ever was, and is empty before the first commit.
    ``dropped`` tells of bodies that are gone.  ``previous`` is the session that the assignment was computed from.
    ``overlap`` counts pages fetched more than once, each time but the first; None if the assignment does not let that
    happen.  ``has_moved``: URLs may have changed their owner from run to run, and what ranks have ``queued`` says
    something only in sum.
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
    ended: DatedEnd | None
    dropped: list[Dropped]
    overlap: int | None
    has_moved: bool
    total: Figures
    ranks: list[Figures]

    def as_dict(self) -> dict[str, Any]:
        """For machines; docs/formats.md names the keys."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return told | {"total": self.total.as_dict(), "ranks": [rank.as_dict() for rank in self.ranks]}


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
        epochs=session.epoch_count,
        committed=session.counting[-1]["committed"] if session.counting else None,
        ended=session.ended,
        dropped=session.dropped,
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
    return Figures({name: counter.total(reports) for name, counter in COUNTERS.items()}, sites)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None

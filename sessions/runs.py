"""A session's runs: one that began it, and each that went on with it after a crash, a limit or a signal.

A run that goes on takes the next number of a commit record for itself: that record has no ranks, but ``resumes``, which
says with how many ranks and how it goes on.  What the run before said when it ended (its frontier, and what lay beyond
the limits) is withdrawn by that: an epoch with ``ended`` counts only as the last.

Counters run from the start of each run; the session's are their sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from sessions.counters import counter_named
from sessions.records import CommitRecord, Configuration, Header, Report, RunRecord, RunStart

LAST_WORDS = {"frontier", "outcomes"}
"""The tables that the last epoch of a crawl may have."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the crawler on a session.

    ``ranks`` is its K, ``started`` when it began, in ISO 8601, ``first_epoch`` the number of the first epoch that it
    may have closed.
    """

    run: str
    ranks: int
    assignment: str
    configuration: Configuration
    started: str
    first_epoch: int

    @property
    def placing(self) -> tuple[int, str, str]:
        """What says who owns a URL: two runs with the same placing leave every URL where it is."""
        return self.ranks, self.assignment, str(self.configuration.get("partition_identity"))

    def as_record(self) -> RunRecord:
        """What session.json tells of it."""
        return {
            "run": self.run,
            "ranks": self.ranks,
            "assignment": self.assignment,
            "configuration": self.configuration,
            "started": self.started,
            "first_epoch": self.first_epoch,
        }


def runs_of(header: Header, epochs: Sequence[CommitRecord]) -> list[Run]:
    """The runs of a session, in order: the first as session.json tells of it, the others by their records."""
    later = [record for record in epochs if record.get("resumes")]
    told = header["runs"][0] if later else header
    return [
        _run(told["run"], 1, told),
        *(_run(record["run"], record["epoch"] + 1, record["resumes"]) for record in later),
    ]


def _run(run: str, first_epoch: int, told: RunStart | Header) -> Run:
    return Run(run, told["ranks"], told["assignment"], told["configuration"], told["started"], first_epoch)


def brought_up_to_date(header: Header, epochs: Sequence[CommitRecord]) -> Header:
    """session.json as it should be with these commit records, which may be more than it knows of."""
    runs = runs_of(header, epochs)
    latest = runs[-1]
    header = {
        **header,
        "run": latest.run,
        "ranks": latest.ranks,
        "assignment": latest.assignment,
        "configuration": latest.configuration,
        "epochs": last_epoch(epochs),
    }
    if "runs" in header:
        header["runs"] = [run.as_record() for run in runs]
    if dropped := [note for record in epochs for note in record.get("dropped", ())]:
        header["dropped"] = dropped
    if epochs and "ended" in epochs[-1]:  # those of older sessions say so in session.json only
        header["ended"] = epochs[-1]["ended"]
    return header


def last_epoch(epochs: Sequence[CommitRecord]) -> int:
    """The number of the last commit record, 0 before the first."""
    return epochs[-1]["epoch"] if epochs else 0


def counting(epochs: Sequence[CommitRecord]) -> list[CommitRecord]:
    """The commit records that are part of the session: neither withdrawn nor without content, in order."""
    return [
        record
        for place, record in enumerate(epochs, start=1)
        if not record.get("resumes") and (not record.get("ended") or place == len(epochs))
    ]


def withdrawn(epochs: Sequence[CommitRecord]) -> list[CommitRecord]:
    """The commit records of ends that were none, since a later run went on."""
    return [record for record in epochs[:-1] if record.get("ended")]


def holds_only_last_words(record: CommitRecord) -> bool:
    """Whether a commit record may be withdrawn: if it ends a crawl, it has nothing that would be lost by that."""
    return not record.get("ended") or all(entry["tables"].keys() <= LAST_WORDS for entry in record["ranks"])


def last_reports(epochs: Sequence[CommitRecord]) -> list[list[Report]]:
    """The reports of each run's last record that counts, by rank; without runs that have none."""
    last = {record["run"]: record for record in counting(epochs)}
    return [[entry["report"] for entry in record["ranks"]] for record in last.values()]


def merged(runs: Sequence[Sequence[Report]]) -> list[Report]:
    """The reports of several runs by rank, as if one run had done it all.

    Each counter adds up as `sessions.counters` says.
    """
    by_rank = ([report for report in reports if report is not None] for reports in zip_longest(*runs))
    return [_sum(reports) for reports in by_rank]


def _sum(reports: Sequence[Report]) -> Report:
    names = dict.fromkeys(name for report in reports for name in report)
    return {name: counter_named(name).over([report[name] for report in reports if name in report]) for name in names}

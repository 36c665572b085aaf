"""The commit records agree with session.json, with each other, and with the runs that wrote them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from sessions.checking.commit_records import record_name
from sessions.checking.problem import Problem
from sessions.folding import epochs_in
from sessions.records import CommitRecord, CommittedFile, CommittedRows, Header
from sessions.runs import (
    LAST_WORDS,
    brought_up_to_date,
    counting,
    holds_only_last_words,
    last_epoch,
    runs_of,
    withdrawn,
)
from sessions.schema import TABLES
from sessions.session import HEADER
from sessions.storage.tables import table_name
from sessions.writing.recorder import rank_folder

GROWING = ("discovered", "fetched", "failed", "filtered", "links", "links_out_of_scope", "bytes", "decoded_bytes")


def runs_are_told(header: Header, epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """Where later runs went on with a session, session.json still tells of the first one, on which all else rests."""
    if not header.get("runs") and any(record.get("resumes") for record in epochs):
        yield Problem(HEADER, None, "runs is missing, though a later run went on with the session")


def header_is_of_records(header: Header, epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """Where session.json knows of all commit records, it says what they say."""
    if header["epochs"] != last_epoch(epochs):
        return
    right = brought_up_to_date(header, epochs)
    for key in ("run", "ranks", "assignment", "ended"):
        if header.get(key) != right.get(key):
            yield Problem(HEADER, None, f"{key} is not what the commit records say")


def epochs_agree(header: Header, epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """Commit records carry their number, the ranks of the run that has the session, and supersteps that go forward."""
    runs = iter(runs_of(header, epochs))
    run = next(runs)
    for record in epochs:
        name = record_name(record["epoch"])
        is_taken_over = bool(record.get("resumes"))
        run = next(runs) if is_taken_over else run
        if record["run"] != run.run:
            yield Problem(name, None, f"is of run {record['run']!r}; the session was that of run {run.run!r}")
        ranks = 0 if is_taken_over else run.ranks
        if len(record["ranks"]) != ranks:
            yield Problem(name, None, f"has {len(record['ranks'])} ranks, not {ranks}")
    for before, after in pairwise(epochs):
        if after["superstep"] < before["superstep"]:
            text = f"superstep {after['superstep']} comes before the last epoch's {before['superstep']}"
            yield Problem(record_name(after["epoch"]), None, text)


def reports_grow(epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """A rank's counters, which run from the start of its run, never go back."""
    for before, after in pairwise(epochs):
        if before["run"] != after["run"]:
            continue
        for rank, (old, new) in enumerate(zip(before["ranks"], after["ranks"], strict=False)):
            if "report" not in old or "report" not in new:  # folded
                continue
            for counter in GROWING:
                if new["report"][counter] < old["report"][counter]:
                    text = f"rank {rank}: {counter} fell from {old['report'][counter]:,} to {new['report'][counter]:,}"
                    yield Problem(record_name(after["epoch"]), None, text)


def names_are_right(header: Header, epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """Files stand in their rank's folder under their table's, epoch's and run's name; frontiers only at an end."""
    for record in epochs:
        name = record_name(record["epoch"])
        # older records do not say themselves whether they are the last
        is_end = bool(record.get("ended", record is epochs[-1] and header["ended"]))
        for rank, entry in enumerate(record["ranks"]):
            folder = rank_folder(Path(), rank).name
            for table, file in entry["tables"].items():
                if table not in TABLES:
                    yield Problem(name, None, f"rank {rank}: unknown table {table!r}")
                elif file["file"] != (expected := f"{folder}/{_name_of(table, file, record)}"):
                    yield Problem(name, None, f"rank {rank}: {file['file']!r} should be {expected!r}")
                if table == "frontier" and not is_end:
                    yield Problem(name, None, f"rank {rank}: a frontier, which is written at the end only")
            for warc in entry["warc"]:
                parent, _, rest = warc["file"].partition("/")
                if parent != folder or "/" in rest or not rest.endswith(".warc.gz"):
                    yield Problem(name, None, f"rank {rank}: {warc['file']!r} should be a .warc.gz file in {folder}")


def nothing_is_withdrawn(epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """An end that a later run withdrew had nothing else in it than what is queued and what lay beyond the limits."""
    lengths = {file["file"]: file["bytes"] for record in counting(epochs) for file in _warcs(record)}
    for record in withdrawn(epochs):
        name = record_name(record["epoch"])
        if not holds_only_last_words(record):
            yield Problem(
                name, None, f"other tables than {' and '.join(sorted(LAST_WORDS))}, which a later run withdrew"
            )
        for file in _warcs(record):
            if file["bytes"] > lengths.get(file["file"], 0):
                yield Problem(name, None, f"{file['file']} grew in an end that a later run withdrew")


def warcs_grow(epochs: Sequence[CommitRecord]) -> Iterator[Problem]:
    """WARC files are only ever appended to."""
    lengths: dict[str, int] = {}
    for record in epochs:
        for file in _warcs(record):
            if file["bytes"] < lengths.get(file["file"], 0):
                text = f"{file['file']} shrank from {lengths[file['file']]:,} to {file['bytes']:,} bytes"
                yield Problem(record_name(record["epoch"]), None, text)
            lengths[file["file"]] = file["bytes"]


def _name_of(table: str, file: CommittedRows, record: CommitRecord) -> str:
    return table_name(table, *epochs_in(file, record["epoch"]), record["run"], file.get("rewritten"))


def _warcs(record: CommitRecord) -> Iterator[CommittedFile]:
    for entry in record["ranks"]:
        yield from entry["warc"]

"""The session that results become: a rank for each unit, written in one piece.

A result is the session of a rank that knew nothing of the others, so two of them may have found the same URL.  A URL
that a unit lists belongs to that unit's rank, and any other to the first rank that found it.  Of a unit that repeats
another nothing is taken: its rank is empty.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.urls.hash_table import HashTable
from crawler.work.examination import Examined
from sessions.counters import COUNTERS, nothing_counted
from sessions.records import Header, RankEntry, Report
from sessions.schema import FAILED, FILTERED, PAGES, ROBOTS
from sessions.session import Session
from sessions.url import url_hashes
from sessions.writing.commit import commit
from sessions.writing.recorder import Recorder, rank_folder

ASSIGNMENT = "work-units"
ENDING = "worklist"
_EPOCH = 1
_WHOLE = ("links", "rests")
_BY_OWNER = ("urls", "nearer", "outcomes", "frontier")


class _Recorder(Recorder):
    """A recorder that takes rows of any table as they stand in another session."""

    def rows(self, table: str, rows: pa.RecordBatch) -> None:
        """Add rows to a table."""
        self._tables[table].append(rows.columns)


def write_merged(folder: Path, header: Header, results: Sequence[Examined]) -> None:
    """Write results as the ranks of a session whose folder was claimed with ``header``, and commit it.

    The WARC files are moved there.  Raises OSError if it cannot be written.
    """
    owned = HashTable({"is_listed": np.bool_})
    for result in results:
        if result.line.repeats is None:
            owned.insert(_listed(result), {"is_listed": np.ones(len(result.unit.urls), np.bool_)})
    entries: list[RankEntry] = []
    for rank, result in enumerate(results):
        recorder = _Recorder(folder, rank, header["run"], store_bodies=False)
        try:
            entries.append(_rank(recorder, folder, header, rank, result, owned))
        finally:
            recorder.close()
    superstep = max(entry["report"]["supersteps"] for entry in entries)
    seconds = max(entry["report"]["seconds"] for entry in entries)
    commit(folder, header, superstep, entries, {"reason": ENDING, "seconds": seconds})


def _rank(
    recorder: _Recorder, folder: Path, header: Header, rank: int, result: Examined, owned: HashTable
) -> RankEntry:
    ranks = header["ranks"]
    if result.line.repeats is not None:
        return {**recorder.close_epoch(), "report": nothing_counted()}
    session = result.session
    names = {
        warc.path.name: f"{header['run']}-{rank:04d}-{number:05d}.warc.gz"
        for number, warc in enumerate(session.warc_files())
    }
    for batch in session.batches("pages"):
        recorder.rows("pages", _of_rank(batch, PAGES, rank, {"run": header["run"]}, names))
    for batch in session.batches("robots"):
        recorder.rows("robots", _of_rank(batch, ROBOTS, rank, {}, {}))
    for table in _WHOLE:
        for batch in session.batches(table):
            recorder.rows(table, batch)
    kept = _kept_urls(session, result, owned)
    counts = {table: _copy_kept(recorder, session, table, kept) for table in _BY_OWNER}
    files = recorder.close_epoch()
    for warc in session.warc_files():
        name = names[warc.path.name]
        shutil.move(warc.path, rank_folder(folder, rank) / name)
        files["warc"].append(
            {"file": f"{rank_folder(folder, rank).name}/{name}", "bytes": warc.bytes, "xxh3": warc.xxh3}
        )
    return {**files, "report": _report(session, ranks, counts)}


def _listed(result: Examined) -> npt.NDArray[np.uint64]:
    return url_hashes([url for url, _ in result.unit.urls])


def _kept_urls(session: Session, result: Examined, owned: HashTable) -> npt.NDArray[np.uint64]:
    """The URLs that a result's rank owns, sorted: those of its unit, and what no rank has owned before."""
    found = session.read("urls", ["hash"])["hash"].to_numpy()
    new = found[~owned.contains(found)]
    owned.insert(new, {"is_listed": np.zeros(len(new), np.bool_)})
    return np.sort(np.concatenate([_listed(result), new]))


def _copy_kept(recorder: _Recorder, session: Session, table: str, kept: npt.NDArray[np.uint64]) -> Counter[Any]:
    """Copy the rows of URLs that the rank owns; how many there are by state and reason, as far as a table has these."""
    counts: Counter[Any] = Counter()
    for batch in session.batches(table):
        rows = batch.filter(pa.array(np.isin(batch["hash"].to_numpy(), kept)))
        if table == "outcomes":
            rows = _with(rows, "epoch", np.full(rows.num_rows, _EPOCH, np.uint32))
        recorder.rows(table, rows)
        names = [name for name in ("state", "reason") if name in rows.schema.names]
        counts.update(zip(*(rows[name].to_pylist() for name in names), strict=True) if names else {(): rows.num_rows})
    return counts


def _of_rank(
    batch: pa.RecordBatch, schema: pa.Schema, rank: int, told: Mapping[str, str], warcs: Mapping[str, str]
) -> pa.RecordBatch:
    """Rows with another rank, with what is ``told`` in columns of text, and new names of WARC files."""
    rows = _with(batch, "rank", np.full(batch.num_rows, rank, np.uint16))
    for name, value in told.items():
        rows = _with(rows, name, [value] * batch.num_rows)
    if warcs:
        rows = _with(rows, "warc_file", [warcs.get(name) for name in rows["warc_file"].to_pylist()])
    return pa.RecordBatch.from_arrays(rows.columns, schema=schema)


def _with(batch: pa.RecordBatch, name: str, values: Any) -> pa.RecordBatch:
    field = batch.schema.field(name)
    place = batch.schema.get_field_index(name)
    return batch.set_column(place, field, pa.array(values, field.type))


def _report(session: Session, ranks: int, counts: Mapping[str, Counter[Any]]) -> Report:
    """A volunteer's counters as those of a rank of many: it sent no rank anything, and owns fewer URLs."""
    (told,) = session.rank_reports()
    reasons = {
        state: {reason: count for (its, reason), count in counts["outcomes"].items() if its == state}
        for state in (FAILED, FILTERED)
    }
    queued = {reason: count for (reason,), count in counts["frontier"].items()}
    return {
        **nothing_counted(),
        **{name: value for name, value in told.items() if not COUNTERS[name].was_by_rank},
        "discovered": counts["urls"][()],
        **{state: sum(reasons[state].values()) for state in reasons},
        "queued": sum(queued.values()),
        "reasons": {**reasons, "queued": queued},
    }

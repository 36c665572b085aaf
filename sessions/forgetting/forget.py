"""Writing a session without some sites, with a record in session.json that it was done."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessions.folding import epochs_in, first_record, folded_into
from sessions.forgetting.bodies import RewrittenWarc, rewrite_warc
from sessions.forgetting.books import Lost
from sessions.forgetting.gone import Gone
from sessions.forgetting.heirs import Heirs
from sessions.forgetting.rows import RemainingRows
from sessions.records import CommitRecord, CommittedFile, Configuration, Forgotten, RankEntry
from sessions.rule_records import RULES
from sessions.runs import counting
from sessions.session import EPOCHS, HEADER, SEEDS, CommittedWarc, Session, damage_told, epoch_path
from sessions.storage.durable_json import dumped
from sessions.storage.tables import TableWriter, read_batches
from sessions.url import canonical
from sessions.version import software_version
from sessions.writing.atomic_folder import whole_folder

Warcs = dict[str, RewrittenWarc]
"""By file, relative to the session."""


def forget(
    session: Session,
    out: Path,
    *,
    sites: Sequence[str] = (),
    domains: Sequence[str] = (),
    unknown: Callable[[str], object] = lambda name: None,
) -> Forgotten:
    """Write ``session`` to ``out`` without these sites, and those of these domains; what was forgotten.

    Names are in canonical form; ``unknown`` is told those of which the session has no URL.  Memory holds 8 bytes for
    each URL that is forgotten, 16 for each record of a WARC file, and the pages that are duplicates of forgotten ones.
    Raises SessionError if ``out`` is taken, or the session is damaged, and OSError if a file cannot be read or written;
    then nothing is left.
    """
    with whole_folder(out) as folder, damage_told(session.path, writes=True):
        gone = Gone(session, sites, domains)
        for name in gone.unknown:
            unknown(name)
        heirs = Heirs(session, gone)
        for rank in range(session.most_ranks):
            (folder / f"rank-{rank:04d}").mkdir()
        warcs = {
            warc.path.relative_to(session.path).as_posix(): rewrite_warc(
                session.path,
                warc.path,
                folder / warc.path.relative_to(session.path),
                _lengths(session, warc),
                gone,
                heirs,
            )
            for warc in session.warc_files()
        }
        (folder / EPOCHS).mkdir()
        pages = _write_epochs(session, folder, gone, heirs, warcs)
        record: Forgotten = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "software": f"cutweb {software_version()}",
            "sites": list(sites),
            "domains": list(domains),
            "urls": len(gone.hashes),
            "pages": pages,
            "records": sum(warc.dropped for warc in warcs.values()),
            "bodies_moved": sum(warc.moved for warc in warcs.values()),
        }
        _write_header(session, folder, gone, record)
    return record


def _lengths(session: Session, warc: CommittedWarc) -> list[int]:
    """The committed lengths of a WARC file, in order."""
    name = warc.path.relative_to(session.path).as_posix()
    entries = (entry for epoch in session.counting for entry in epoch["ranks"])
    return [file["bytes"] for entry in entries for file in entry["warc"] if file["file"] == name]


def _write_epochs(session: Session, folder: Path, gone: Gone, heirs: Heirs, warcs: Warcs) -> int:
    """Write tables and commit records; how many pages were forgotten."""
    lost: dict[tuple[str, int], Lost] = {}
    written: list[CommitRecord] = []
    counts = {record["epoch"] for record in counting(session.epochs)}
    for record in session.epochs:
        entries = []
        for rank, entry in enumerate(record["ranks"]):
            of_rank = lost.setdefault((record["run"], rank), Lost())
            if record["epoch"] in counts:
                names = {Path(name).name: warc for name, warc in warcs.items() if name.startswith(f"rank-{rank:04d}/")}
                rows = RemainingRows(gone, heirs, names, of_rank)
                tables = _write_tables(session, folder, record, rank, rows)
                warc = [_committed(file, warcs) for file in entry["warc"]]
            else:  # an end that a later run withdrew, with all that it names
                tables, warc = {}, []
            kept: RankEntry = {"tables": tables, "warc": warc}
            if "report" in entry:
                kept["report"] = of_rank.taken_from(entry["report"])
            entries.append(kept)
        told: CommitRecord = {**record, "ranks": entries}
        if "resumes" in told:
            told["resumes"] = {
                **told["resumes"],
                "configuration": _configuration(told["resumes"]["configuration"], gone),
            }
        written.append(told)
    if first_record(session.epochs) > 1:  # some are folded into others
        written = [folded_into(written[-1], written[:-1])]
    for told in written:
        epoch_path(folder, told["epoch"]).write_text(dumped(told), encoding="utf-8")
    return sum(one.pages_lost for one in lost.values())


def _write_tables(
    session: Session, folder: Path, record: CommitRecord, rank: int, rows: RemainingRows
) -> dict[str, Any]:
    """Write a rank's tables of an epoch; their entries in the commit record."""
    entries: dict[str, Any] = {}
    place = folder / f"rank-{rank:04d}"
    for table, file in record["ranks"][rank]["tables"].items():
        writer = TableWriter(place, table, record["run"])
        try:
            for batch in read_batches(table, [session.path / file["file"]]):
                writer.append(rows.left_of(table, batch).columns)
            first, last = epochs_in(file, record["epoch"])
            finished = writer.close_epoch(last, first)
        finally:
            writer.close()
        if finished is not None:
            name = f"{place.name}/{finished.name}"
            entries[table] = {
                "file": name,
                "bytes": finished.bytes,
                "rows": finished.rows,
                "xxh3": finished.xxh3,
                **{key: file[key] for key in ("first", "last") if key in file},
            }
    return entries


def _committed(file: CommittedFile, warcs: Warcs) -> CommittedFile:
    now = warcs[file["file"]].committed[file["bytes"]]
    return {"file": file["file"], "bytes": now.bytes, "xxh3": now.xxh3}


def _write_header(session: Session, folder: Path, gone: Gone, record: Forgotten) -> None:
    """Write session.json, the seeds, and the operator's rules as they were recorded."""
    header = dict(session.header)
    header["configuration"] = _configuration(session.header["configuration"], gone)
    if "runs" in header:
        header["runs"] = [
            {**run, "configuration": _configuration(run["configuration"], gone)} for run in session.header["runs"]
        ]
    header["forgotten"] = [*session.header.get("forgotten", []), record]
    (folder / HEADER).write_text(dumped(header), encoding="utf-8")
    seeds = [seed for seed in session.seeds if not gone.url(seed)]
    if (session.path / SEEDS).exists():
        (folder / SEEDS).write_text("".join(f"{seed}\n" for seed in seeds), encoding="utf-8")
    if (session.path / RULES).is_dir():
        (folder / RULES).mkdir()
        for path in sorted((session.path / RULES).glob("*.json")):
            (folder / RULES / path.name).write_bytes(path.read_bytes())


def _configuration(configuration: Configuration, gone: Gone) -> Configuration:
    """The options of a run without the URLs among them, such as seeds, that are forgotten."""
    return {name: _left_of(value, gone) if isinstance(value, list) else value for name, value in configuration.items()}


def _left_of(values: list[Any], gone: Gone) -> list[Any]:
    return [value for value in values if not (isinstance(value, str) and canonical(value) == value and gone.url(value))]

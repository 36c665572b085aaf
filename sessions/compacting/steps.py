"""One step of compacting: the commit record that names new files in the place of others, and stands for all before."""

from datetime import UTC, datetime

from sessions.compacting.dropping import Dropping
from sessions.compacting.exclusive import changed_meanwhile
from sessions.compacting.rank_files import Written
from sessions.folding import epochs_in, folded_into, unfolded
from sessions.records import CommitRecord, CommittedRows, Dropped, RankEntry
from sessions.runs import brought_up_to_date
from sessions.session import HEADER, Session
from sessions.storage.durable_json import dumped, replace
from sessions.version import software_version
from sessions.writing.commit import create_record
from sessions.writing.truncate import remove_folded


def commit_step(session: Session, written: Written, dropping: Dropping | None, last_epoch: int) -> None:
    """Make what was written part of the session, and commit records few: those up to ``last_epoch`` say no more than
    is needed of them.

    Raises SessionError if the session has a newer record, and OSError if it cannot be written.
    """
    record = _standing_for_all(session, written, _dropped(session, written, dropping), last_epoch)
    if not create_record(session.path, record):
        raise changed_meanwhile(session)
    header = brought_up_to_date(session.header, unfolded({**record}))
    replace(session.path / HEADER, dumped(header), record["run"])
    remove_folded(session.path, record["epoch"])


def _standing_for_all(session: Session, written: Written, dropped: list[Dropped], last_epoch: int) -> CommitRecord:
    """The record of the next number, which says what all records say, with new files in the place of others.

    What is last is said again, so that a run that goes on can withdraw an end, as it could before.
    """
    *earlier, last = [_changed(record, written) for record in session.epochs]
    number = last["epoch"] + 1
    if dropped:
        last["dropped"] = dropped
    if last.get("ended") or last.get("resumes"):
        again: list[RankEntry] = [_said_again(last["epoch"], entry) for entry in last["ranks"]]
        return folded_into({**last, "epoch": number, "ranks": again}, earlier, last_epoch + 1)
    nothing_new: list[RankEntry] = [{"tables": {}, "warc": [], "report": entry["report"]} for entry in last["ranks"]]
    standing: CommitRecord = {**last, "epoch": number, "epochs": 0, "ranks": nothing_new}
    last.pop("dropped", None)
    return folded_into(standing, [*earlier, last], last_epoch + 1)


def _changed(record: CommitRecord, written: Written) -> CommitRecord:
    epoch = record["epoch"]
    changed: CommitRecord = {
        **record,
        "ranks": [_with_new_files(epoch, rank, entry, written) for rank, entry in enumerate(record["ranks"])],
    }
    changed.pop("dropped", None)
    return changed


def _with_new_files(epoch: int, rank: int, entry: RankEntry, written: Written) -> RankEntry:
    tables = {name: written.tables.get((epoch, rank, name), file) for name, file in entry["tables"].items()}
    warc = [file for file in entry["warc"] if file["file"] not in written.replaced]
    return {**entry, "tables": tables, "warc": [*warc, *written.warcs.get((epoch, rank), [])]}


def _said_again(epoch: int, entry: RankEntry) -> RankEntry:
    """What a rank has in the last epoch, as another record may name it."""
    tables: dict[str, CommittedRows] = {}
    for name, file in entry["tables"].items():
        first, last = epochs_in(file, epoch)
        tables[name] = {**file, "first": first, "last": last}
    return {**entry, "tables": tables}


def _dropped(session: Session, written: Written, dropping: Dropping | None) -> list[Dropped]:
    """What bodies were dropped so far; a work that goes on is told of once."""
    notes = session.dropped
    if dropping is None or not written.pages:
        return notes
    note: Dropped = {
        "before": dropping.before.isoformat(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "software": f"cutweb {software_version()}",
        "pages": written.pages,
        "bytes": written.bytes,
    }
    if notes and notes[-1]["before"] == note["before"]:
        *notes, part = notes
        note["pages"] += part["pages"]
        note["bytes"] += part["bytes"]
    return [*notes, note]

"""How a session grows: a folder claimed once, committed epoch by epoch, taken over by a run that goes on with it.

Creating the commit record of an epoch is the one instant at which the epoch becomes part of the session, and nobody
can create a record that is there: of two runs that believe they own a session, one commits the next epoch, and the
other learns that it is fenced off.  ``session.json`` is written after the record, for people and other programs.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from sessions.folding import first_record, folded_into
from sessions.records import CommitRecord, Configuration, DatedEnd, Header, RankEntry, RunEnd, RunStart
from sessions.runs import Run, brought_up_to_date, holds_only_last_words
from sessions.schema import FORMAT_VERSION
from sessions.session import (
    EPOCHS,
    HEADER,
    SEEDS,
    Session,
    SessionError,
    check_claimable,
    epoch_path,
    read_json,
    record_numbers,
)
from sessions.storage.durable_json import (
    PARTIAL,
    create,
    dumped,
    dumped_by_lines,
    make_folder,
    partial_of,
    partials_of,
    replace,
)
from sessions.storage.tables import sync_folder
from sessions.version import software_version
from sessions.writing.merging import is_merged_at
from sessions.writing.truncate import remove_folded, unnamed_by_others


class FencedError(SessionError):
    """Another run has taken the session over; the message names it."""


def check_free(path: Path) -> None:
    """Raise SessionError if ``path`` cannot become a new session; what killed claims have left there is no obstacle."""
    if not _is_of_killed_claims(path):
        check_claimable(path)


def claim(
    path: Path,
    *,
    run: str,
    ranks: int,
    assignment: str,
    configuration: Configuration,
    previous: str | None = None,
    seeds: Sequence[str] = (),
) -> Header:
    """Make ``path`` a new session, one that follows ``previous`` if there is such, and return its header.

    ``seeds`` are canonical URLs, with which a run that goes on can begin again.  The header is created exclusively: of
    several processes that claim one folder, one succeeds, the others get SessionError, as they do for a folder with
    anything in it.  The seeds lie there before, under a name that carries the run's, and are given theirs afterwards.
    """
    check_free(path)
    started = _now()
    first = Run(run, ranks, assignment, configuration, started, first_epoch=1)
    header: Header = {
        "format": FORMAT_VERSION,
        "software": f"cutweb {software_version()}",
        "run": run,
        "started": started,
        "ranks": ranks,
        "assignment": assignment,
        "configuration": configuration,
        "runs": [first.as_record()],
        "previous": previous,
        "epochs": 0,
        "ended": None,
    }
    try:
        make_folder(path)
        (path / EPOCHS).mkdir(exist_ok=True)
        written = partial_of(path / SEEDS, "".join(f"{seed}\n" for seed in seeds), run) if seeds else None
        sync_folder(path)
        create(path / HEADER, dumped(header), run)
        if written is not None:
            name_seeds(path, [written])
        for left in unnamed_by_others(path, run):
            left.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _not_claimed(path, run, error) from error
    return header


def commit(
    path: Path,
    header: Header,
    superstep: int,
    ranks: list[RankEntry],
    ended: RunEnd | None = None,
) -> None:
    """Commit an epoch: ``ranks`` holds what each rank's `Recorder.close_epoch` returned, with its report.

    ``header`` is brought up to date.  ``ended`` is given with the last epoch.  Every so many epochs of a run the record
    stands for all before it as well, and these are removed.  Raises FencedError, having committed nothing, if another
    run has taken the session over, and OSError if the session cannot be written.
    """
    number = header["epochs"] + 1
    at = _now()
    dated: DatedEnd | None = {**ended, "at": at} if ended is not None else None
    record: CommitRecord = {
        "epoch": number,
        "run": header["run"],
        "superstep": superstep,
        "committed": at,
        "ended": dated,
        "ranks": ranks,
    }
    folds = ended is None and is_merged_at(number, header["runs"][-1]["first_epoch"])
    if folds:
        record = folded_into(record, Session.open(path).epochs)
    if not create_record(path, record):
        raise _fenced(path, _run_of(path, number))
    header["epochs"] = number
    header["ended"] = dated
    replace(path / HEADER, dumped(header), header["run"])
    if folds:
        remove_folded(path, number)


def create_record(path: Path, record: CommitRecord) -> bool:
    """Make a commit record, unless its number is taken, or was: by one that is folded into a later one."""
    number = record["epoch"]
    try:
        create(epoch_path(path, number), dumped_by_lines(record, "ranks"), record["run"])
    except FileExistsError:
        return False
    if record_numbers(path)[-1] == number or first_record(Session.open(path).epochs) <= number:
        return True
    epoch_path(path, number).unlink(missing_ok=True)
    return False


def _not_claimed(path: Path, run: str, error: OSError | ValueError) -> SessionError:
    """Why a run could not claim a folder, after what it has written there is removed, if the folder is not its own."""
    try:
        owner = str(Session.open(path).header["run"]) if path.is_dir() and (path / HEADER).exists() else None
    except (SessionError, OSError, ValueError):
        owner = None
    if owner != run:
        with suppress(OSError, ValueError):
            for left in partials_of(path / SEEDS, run):
                left.unlink(missing_ok=True)
    if owner not in (None, run):
        return SessionError(f"{path}: another process has just begun a session here")
    reason = f"{path}: {getattr(error, 'strerror', None) or error}"
    return SessionError(f"{reason}; the session has begun, go on with: --resume {path}" if owner == run else reason)


def name_seeds(path: Path, unnamed: Sequence[Path]) -> None:
    """Give the seeds of the run that claimed a folder their name; ``unnamed`` is their file, unless they have it.

    Another process may do the same at the same time; after a kill it is done again.
    """
    for written in unnamed:
        with suppress(FileNotFoundError):  # another process has given them their name
            written.rename(path / SEEDS)
    sync_folder(path)


def _is_of_killed_claims(path: Path) -> bool:
    """Is nothing in a folder but what claims leave that were killed before they had succeeded?"""
    unnamed = [f".{name}.*{PARTIAL}" for name in (SEEDS, HEADER)]
    try:
        left = {entry.name for entry in path.iterdir() if not any(map(entry.match, unnamed))}
        return left <= {EPOCHS} and not (left and any((path / EPOCHS).iterdir()))
    except (OSError, ValueError):  # which `check_claimable` tells of
        return False


def check_owner(path: Path, run: str) -> None:
    """Raise FencedError if another run has taken the session over; none if the session cannot be read."""
    owner = _owner_of(path)
    if owner not in (None, run):
        raise _fenced(path, owner)


def fence_and_take_over(
    session: Session, *, run: str, ranks: int, assignment: str, configuration: Configuration
) -> Header:
    """Make a session another run's, which goes on with it, and return its header.

    The run before can commit nothing from now on, even if it still lives; what it commits until then is part of the
    session, so open the session again afterwards.  Raises SessionError if the session cannot be gone on with, and
    OSError if it cannot be written.
    """
    if "runs" not in session.header:
        raise SessionError(
            f"{session.path}: made by an older version of cutweb, which did not note what is needed to go on with it"
        )
    if session.epochs and not holds_only_last_words(session.epochs[-1]):
        raise SessionError(f"{session.path}: made in one piece (imported?), so there is nothing to go on with")
    # Before this run owns the session: it removes what carries the name of an earlier run.
    name_seeds(session.path, partials_of(session.path / SEEDS, session.runs[0].run))
    resumes: RunStart = {"ranks": ranks, "assignment": assignment, "configuration": configuration, "started": _now()}
    while True:
        number = session.last_epoch + 1
        record: CommitRecord = {
            "epoch": number,
            "run": run,
            "superstep": session.superstep,
            "committed": _now(),
            "ended": None,
            "resumes": resumes,
            "ranks": [],
        }
        try:
            is_made = create_record(session.path, record)
        except FileNotFoundError:  # another run has taken it, and removed what was written
            is_made = False
            if Session.open(session.path).last_epoch < number:
                raise
        if not is_made:
            session = Session.open(session.path)
            continue
        header = brought_up_to_date(session.header, [*session.epochs, record])
        replace(session.path / HEADER, dumped(header), run)
        return header


def _run_of(path: Path, number: int) -> str:
    """The run that has committed the epoch of this number, or if that is folded, the one that has the session."""
    try:
        return str(read_json(epoch_path(path, number)).get("run"))
    except SessionError:
        return _owner_of(path) or "one that cannot be read"


def _owner_of(path: Path) -> str | None:
    try:
        return Session.open(path).header["run"]
    except SessionError:
        return None


def _fenced(path: Path, owner: str | None) -> FencedError:
    return FencedError(
        f"{path}: another run, {owner}, has taken this session over; this one ends here, and nothing of it is lost but "
        "what was not committed"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""A session's folder, opened for reading at any time, while `sessions.writing.commit` writes there or after.

Each epoch has a commit record ``epochs/NNNNNN.json`` with the names, lengths and checksums of what every rank had
brought to disk.  ``session.json`` says what was asked, and sums the records up; where it lags behind, they hold.
"""

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sessions.folding import epochs_in, table_files_of, unfolded, warc_files_of
from sessions.records import CommitRecord, DatedEnd, Dropped, Header, Report
from sessions.runs import Run, brought_up_to_date, counting, last_epoch, last_reports, merged, runs_of
from sessions.schema import FORMAT_VERSION, TABLES
from sessions.storage.durable_json import partials_of
from sessions.storage.tables import read_batches, read_row_groups, read_table

if TYPE_CHECKING:
    from networkx import DiGraph
    from pandas import DataFrame

HEADER = "session.json"
SEEDS = "seeds.txt"
MAP = "partition.json"
"""What lies in a partition map, which is taken for a session now and then."""
EPOCHS = "epochs"
DISCOVERER = "discoverer"
"""Stands in the name of an assignment by which a rank owns unknown URLs that it finds, so that two may own one."""
FIREWALL, CROSS_OVER = "firewall", "cross-over"
"""Modes of a replay in which ranks send each other nothing; see docs/replay.md."""
_SHAPES: dict[str, tuple[type, ...]] = {
    "ranks": (int,),
    "assignment": (str,),
    "configuration": (dict,),
    "ended": (dict, type(None)),
}
"""Keys of the header that every reader relies on, and what they can be."""


class SessionError(Exception):
    """A folder that is no session, or cannot become one; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class CommittedWarc:
    """A WARC file of a session, as far as it is committed: ``bytes`` long, with that xxh3."""

    path: Path
    rank: int
    bytes: int
    xxh3: str


@dataclass(frozen=True, slots=True)
class CommittedTable:
    """A finished table file of a session, with the rows of the epochs from ``first_epoch`` to ``epoch``.

    ``run`` stands in its name: the one that committed the last of them.
    """

    path: Path
    table: str
    rank: int
    run: str
    first_epoch: int
    epoch: int
    bytes: int
    rows: int
    xxh3: str


@dataclass(frozen=True)
class Session:
    """A session opened for reading: only what is committed is seen.

    ``header`` is the content of session.json, brought up to date; ``epochs`` are all commit records in order, those
    that do not count (see `sessions.runs`) among them, and where records were folded, what is left of them.
    """

    path: Path
    header: Header
    epochs: list[CommitRecord] = field(repr=False)

    @classmethod
    def open(cls, path: Path | str) -> "Session":
        """Open a session folder.  Raises SessionError if it is none or its format is newer than this program."""
        path = Path(path)
        if path.is_file():
            raise SessionError(
                f"{path}: is a file, not a session; if it is a WARC file, import it first: cutweb import warc {path} "
                "--out DIR"
            )
        header: Any = read_json(path / HEADER)
        if header.get("format") != FORMAT_VERSION:
            raise SessionError(f"{path / HEADER}: format {header.get('format')!r}; this version reads {FORMAT_VERSION}")
        for key, shape in _SHAPES.items():
            if key not in header:
                raise SessionError(f"{path / HEADER}: {key} is missing")
            if not isinstance(header[key], shape):
                raise SessionError(f"{path / HEADER}: {key} is {json.dumps(header[key])[:40]}, which is not valid")
        try:
            known = int(header["epochs"])
        except (KeyError, TypeError, ValueError) as error:
            raise SessionError(f"{path / HEADER}: does not say how many epochs are committed") from error
        try:
            epochs = _read_epochs(path, known)
            return cls(path, brought_up_to_date(header, epochs), epochs)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise SessionError(f"{path / HEADER}: the runs of the session cannot be read ({error})") from error

    def __repr__(self) -> str:
        """One line: the header has hundreds."""
        end = self.ended["reason"] if self.ended is not None else "open"
        return f"Session({str(self.path)!r}, {self.ranks} ranks, {self.epoch_count} epochs, {end})"

    @property
    def ranks(self) -> int:
        """K, the number of ranks that crawled: of the latest run, if there are several."""
        return self.header["ranks"]

    @property
    def most_ranks(self) -> int:
        """The most ranks that a run had; so many folders of ranks there may be."""
        return max(run.ranks for run in self.runs)

    @property
    def runs(self) -> list[Run]:
        """The run that began the session, and those that went on with it."""
        return runs_of(self.header, self.epochs)

    @property
    def has_moved(self) -> bool:
        """Whether URLs may have changed their owner from run to run."""
        return len({run.placing for run in self.runs}) > 1

    @property
    def counting(self) -> list[CommitRecord]:
        """The commit records that are part of the session, in order."""
        return counting(self.epochs)

    @property
    def epoch_count(self) -> int:
        """How many epochs were committed that count."""
        return sum(record.get("epochs", 1) for record in self.counting)

    @property
    def last_epoch(self) -> int:
        """The number of the last commit record, 0 before the first."""
        return last_epoch(self.epochs)

    @property
    def superstep(self) -> int:
        """How many supersteps are committed; a run that goes on counts from there."""
        return self.epochs[-1]["superstep"] if self.epochs else 0

    @property
    def seeds(self) -> tuple[str, ...]:
        """The canonical URLs that the crawl began with; none if it was no crawl of the web, or is of an older version.

        Raises SessionError if they cannot be read.
        """
        # A run that was killed just when it had claimed the folder has not given them their name; one that lives may
        # do so while this looks.
        first = self.runs[0].run
        named = self.path / SEEDS
        for path in (named, *partials_of(named, first), named):
            try:
                return tuple(path.read_text(encoding="utf-8").splitlines())
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                raise SessionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
        return ()

    @property
    def allows_overlap(self) -> bool:
        """Whether two ranks may have fetched one page: who found it may own it, or followed it though it did not."""
        return any(DISCOVERER in run.assignment or run.configuration.get("mode") == CROSS_OVER for run in self.runs)

    @property
    def drops_links(self) -> bool:
        """Whether links to URLs that other ranks own were dropped."""
        return any(run.configuration.get("mode") == FIREWALL for run in self.runs)

    @property
    def honours_nofollow(self) -> bool:
        """Whether links that say nofollow were not followed, and bodies of pages that say noindex not kept."""
        return any(run.configuration.get("honour_nofollow") for run in self.runs)

    @property
    def dropped(self) -> list[Dropped]:
        """What bodies were dropped from the session; of a page fetched before the time of one there may be none."""
        return self.header.get("dropped", [])

    @property
    def dropped_before(self) -> datetime | None:
        """Until when pages were fetched whose bodies were dropped; None if none were."""
        return max((datetime.fromisoformat(note["before"]) for note in self.dropped), default=None)

    @property
    def ended(self) -> DatedEnd | None:
        """How the crawl ended (reason, time, seconds); None while it runs, or if it was killed."""
        return self.header["ended"]

    def rank_reports(self) -> list[Report]:
        """The counters of each rank, of all runs together, as of the last epoch that counts; empty before the first."""
        runs = last_reports(self.epochs)
        return merged(runs) if len(self.runs) > 1 else [*runs[0]] if runs else []

    def table_files(self, table: str | None = None) -> list[CommittedTable]:
        """The finished files of one table, or of all, in order of rank and epoch.

        So rows come in the same order whichever files were merged.
        """
        return [
            CommittedTable(
                self.path / file["file"],
                name,
                rank,
                run,
                *epochs_in(file, epoch),
                file["bytes"],
                file["rows"],
                file["xxh3"],
            )
            for epoch, rank, name, run, file in sorted(table_files_of(self.epochs, table), key=lambda held: held.rank)
        ]

    def read(self, table: str, columns: Sequence[str] | None = None, rank: int | None = None) -> pa.Table:
        """The committed rows of a table (one of `sessions.schema.TABLES`), of one rank or of all."""
        return read_table(table, self._paths_of(table, rank), columns)

    def _paths_of(self, table: str, rank: int | None) -> list[Path]:
        if table not in TABLES:
            raise KeyError(f"no table {table!r}; there are {', '.join(TABLES)}")
        return [file.path for file in self.table_files(table) if rank is None or file.rank == rank]

    def batches(
        self, table: str, columns: Sequence[str] | None = None, rank: int | None = None, rows: int = 1 << 16
    ) -> Iterator[pa.RecordBatch]:
        """Yield what `read` returns in record batches of at most ``rows``: for tables that do not fit in memory."""
        return read_batches(table, self._paths_of(table, rank), columns, rows)

    def row_groups(self, table: str, columns: Sequence[str], share: int, shares: int) -> Iterator[tuple[int, pa.Table]]:
        """Yield one of ``shares`` shares of a table, a row group at a time, with its first row's number in `read`."""
        return read_row_groups(table, self._paths_of(table, None), columns, share, shares)

    def to_networkx(self, *, known: bool = False) -> "DiGraph[str]":
        """The pages and links as a networkx graph of URLs; see `sessions.networkx_graph.digraph`."""
        from sessions.networkx_graph import digraph

        return digraph(self, known=known)

    def site_graph(self, *, known: bool = False) -> "DiGraph[str]":
        """The sites and the links between them as a networkx graph; see `sessions.site_graph.site_digraph`."""
        from sessions.site_graph import site_digraph

        return site_digraph(self, known=known)

    def to_pandas(self, table: str, columns: Sequence[str] | None = None) -> "DataFrame":
        """The committed rows of a table as a pandas frame, with Arrow's types: hashes stay uint64, what is null NA.

        Raises ModuleNotFoundError, in one line, where pandas is not installed.
        """
        try:
            from pandas import ArrowDtype
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("Session.to_pandas needs pandas: pip install pandas") from error
        return self.read(table, columns).to_pandas(types_mapper=ArrowDtype)

    def warc_files(self) -> list[CommittedWarc]:
        """The WARC files with their committed lengths, in order of rank and name."""
        return [
            CommittedWarc(self.path / name, rank, file["bytes"], file["xxh3"])
            for name, (_, rank, file) in sorted(warc_files_of(self.epochs).items())
        ]


def new_run_id() -> str:
    """A name for one run of the crawler that sorts by time and that no other run has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def check_claimable(path: Path) -> None:
    """Raise SessionError unless ``path`` is absent or an empty folder."""
    try:
        if path.exists() and not path.is_dir():
            raise SessionError(f"{path}: is a file, not a folder")
        if path.is_dir() and any(path.iterdir()):
            raise SessionError(f"{path}: exists and is not empty; name a new folder, or remove this one")
    except (OSError, ValueError) as error:
        raise SessionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def epoch_path(path: Path, number: int) -> Path:
    """Where a session has the commit record of an epoch."""
    return path / EPOCHS / f"{number:06d}.json"


def record_numbers(path: Path) -> list[int]:
    """The numbers of the commit records that are there, in order; some may be folded into a later one."""
    return sorted(int(record.stem) for record in (path / EPOCHS).glob("*.json") if record.stem.isdigit())


def _read_epochs(path: Path, known: int) -> list[CommitRecord]:
    """The commit records, of which there are at least ``known``.  Raises SessionError if one is missing, or no JSON."""
    while True:
        there = record_numbers(path)
        try:
            return _read_back(path, max([known, *there]), known)
        except SessionError:
            if record_numbers(path) == there:  # else they were folded meanwhile
                raise


def _read_back(path: Path, last: int, known: int) -> list[CommitRecord]:
    """The commit records from the ``last`` one back to the first, or to one that holds those before it."""
    epochs: list[CommitRecord] = []
    for number in range(last, 0, -1):
        if number > known and not epoch_path(path, number).exists():
            epochs.clear()  # what comes after a gap is no part of the session
            continue
        record: Any = read_json(epoch_path(path, number))
        epochs[:0] = unfolded(record)
        if "folded" in record:
            break
    return epochs


def no_session(header: Path) -> str:
    """Why a folder without this header is no session."""
    if (header.parent / MAP).exists():
        return f"{header.parent}: is a partition map, not a session"
    return f"{header}: no such file; is {header.parent} a session?"


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a session.  Raises SessionError, which names the file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SessionError(no_session(path)) from error
    except OSError as error:
        raise SessionError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise SessionError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise SessionError(f"{path}: not a JSON object")
    return content


@contextmanager
def damage_told(session: Path, *, writes: bool = False) -> Iterator[None]:
    """Within it, whatever reading a damaged session raises becomes a SessionError that names its folder.

    Who ``writes`` as well gets errors of files as they are: they name the file.
    """
    try:
        yield
    except MemoryError:  # Arrow's is an ArrowException as well
        raise
    except (KeyError, TypeError, ValueError, OSError, pa.ArrowException) as error:
        if writes and isinstance(error, OSError):
            raise
        raise SessionError(f"{session} is damaged ({error}); cutweb check tells more") from error

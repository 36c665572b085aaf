"""The session that goes on, read by rank 0 alone: it tells the others what they need of the commit records.

K ranks that each read what K ranks have committed would read K times as much.  A rank needs to know of the table files
of its own share, and of those of all ranks for the tables that every rank reads; once URLs have moved between ranks, of
all.  Of what other ranks have counted it needs what limits are measured by.
"""

import pickle
import zlib
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.folding import folded_into, unfolded
from sessions.records import CommitRecord, CommittedRows, Header, RankEntry
from sessions.schema import TABLES
from sessions.session import Session, SessionError

if TYPE_CHECKING:
    from mpi4py import MPI

READ_BY_ALL = ("pages", "referrals", "rests")
"""Tables of which a rank that goes on reads the rows of all ranks (`crawler.rank.resuming.restore`)."""
_COUNTED = ("fetched", "seconds")

Own = dict[tuple[int, int], RankEntry]
"""Entries by the place of their commit record and by rank."""


def told_session(comm: "MPI.Intracomm", path: Path) -> Session:
    """Return the session as this rank needs it, on rank 0 the whole of it; collective.

    Raises SessionError on all ranks if rank 0 cannot read it.
    """
    session: Session | None = None
    common: bytes | SessionError = b""
    own = [b""] * comm.size
    if comm.rank == 0:
        try:
            session = Session.open(path)
            common, own = parts_of(session, comm.size)
        except SessionError as error:
            common = error
    common, mine = comm.bcast(common), comm.scatter(own)
    if isinstance(common, SessionError):
        raise common
    return session if session is not None else put_together(path, common, mine)


def parts_of(session: Session, ranks: int) -> tuple[bytes, list[bytes]]:
    """Return what rank 0 sends to all of ``ranks`` ranks, and what it sends to each."""
    epochs = _fewest(session.epochs)
    common = _packed((session.header, [_for_all(record, session.has_moved) for record in epochs]))
    return common, [_packed(_share(epochs, rank, ranks)) for rank in range(ranks)]


def put_together(path: Path, common: bytes, mine: bytes) -> Session:
    """Return the session that a rank is told of in two parts."""
    header: Header
    epochs: list[CommitRecord]
    header, epochs = _unpacked(common)
    own: Own = _unpacked(mine)
    for (place, rank), entry in own.items():
        epochs[place]["ranks"][rank] = entry
    return Session(path, header, epochs)


def _fewest(epochs: list[CommitRecord]) -> list[CommitRecord]:
    """The same records without what later ones replace."""
    return unfolded(folded_into(epochs[-1], epochs[:-1])) if epochs else []


def _for_all(record: CommitRecord, has_moved: bool) -> CommitRecord:
    tables = TABLES if has_moved else READ_BY_ALL
    return {**record, "ranks": [_known_by_all(entry, tables) for entry in record["ranks"]]}


def _known_by_all(entry: RankEntry, tables: Container[str]) -> RankEntry:
    known: RankEntry = {
        "tables": {name: _unverified(file) for name, file in entry["tables"].items() if name in tables},
        "warc": [],
    }
    if "report" in entry:
        known["report"] = {name: entry["report"][name] for name in _COUNTED}
    return known


def _unverified(file: CommittedRows) -> CommittedRows:
    """A file without its checksum, which does not pack and is looked at by one rank only."""
    return {**file, "xxh3": ""}


def _share(epochs: list[CommitRecord], rank: int, ranks: int) -> Own:
    return {
        (place, its): {**record["ranks"][its], "warc": []}
        for place, record in enumerate(epochs)
        for its in range(rank, len(record["ranks"]), ranks)
    }


def _packed(content: Any) -> bytes:
    return zlib.compress(pickle.dumps(content), 1)


def _unpacked(packed: bytes) -> Any:
    return pickle.loads(zlib.decompress(packed))

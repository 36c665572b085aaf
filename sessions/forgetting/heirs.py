"""Pages that had the same document as one that is forgotten: one of them takes its place.

That is the first of those whose record refers to the body of the forgotten page, which moves there.  If there is none,
each has a body of its own, and the first of all is the one that the others are duplicates of.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sessions.forgetting.gone import Gone, Mask
from sessions.hash_arrays import are_among
from sessions.session import Session
from sessions.storage.warc_members import WarcMember, member_at
from sessions.url import Hashes

_COLUMNS = ["url", "hash", "rank", "fetched", "warc_file", "warc_offset", "duplicate_of"]


class RecordPlace(NamedTuple):
    """Where a page's record stands: the rank in whose folder, the file's name, and the offset in bytes."""

    rank: int
    file: str
    offset: int


class Heir(NamedTuple):
    """The page that takes the place of a forgotten one.

    ``date`` is that of its record.  If it ``inherits``, its record is a revisit and gets the body that stands at this
    place.
    """

    url: str
    hash: int
    date: str
    inherits: RecordPlace | None


class _Candidate(NamedTuple):
    fetched: datetime
    hash: int
    url: str
    place: RecordPlace | None


class Heirs:
    """The heirs of a session's forgotten pages, by hash and by URL of the page whose place they take.

    In memory are the pages that are duplicates of forgotten ones.  Raises ValueError if a record that is needed is
    damaged.
    """

    def __init__(self, session: Session, gone: Gone) -> None:
        self._path = session.path
        candidates = _candidates(session, gone)
        places = _places(session, candidates)
        self.by_hash: dict[int, Heir] = {}
        self.by_url: dict[str, Heir] = {}
        for forgotten, group in candidates.items():
            url, place = places[forgotten]
            heir = self._heir_of(sorted(group, key=lambda one: one[:2]), place)
            self.by_hash[forgotten] = self.by_url[url] = heir
        self._forgotten = np.sort(np.fromiter(self.by_hash, np.uint64, len(self.by_hash)))
        self.bodies = {
            (heir.url, heir.date): heir.inherits for heir in self.by_hash.values() if heir.inherits is not None
        }

    def duplicate_of(self, hashes: Hashes, firsts: Hashes) -> tuple[Hashes, Mask]:
        """Whose duplicates pages are now that were those of ``firsts``, and which are nobody's any more: bool[n]."""
        now = firsts.copy()
        for place in np.flatnonzero(are_among(firsts, self._forgotten)):
            now[place] = self.by_hash[int(firsts[place])].hash
        return now, now == hashes

    def _heir_of(self, group: list[_Candidate], forgotten: RecordPlace | None) -> Heir:
        for page in group:
            record = self._record(page.place)
            if record is not None and record.field("WARC-Type") == "revisit":
                return Heir(page.url, page.hash, record.field("WARC-Date"), forgotten)
        first = group[0]
        record = self._record(first.place)
        return Heir(first.url, first.hash, record.field("WARC-Date") if record is not None else "", None)

    def _record(self, place: RecordPlace | None) -> WarcMember | None:
        return member_at(path_of(self._path, place), place.offset) if place is not None else None


def path_of(session: Path, place: RecordPlace) -> Path:
    """The WARC file in which a record stands."""
    return session / f"rank-{place.rank:04d}" / place.file


def _candidates(session: Session, gone: Gone) -> dict[int, list[_Candidate]]:
    """The pages that stay and are duplicates of forgotten ones, by hash of these."""
    found: dict[int, list[_Candidate]] = {}
    for batch in session.batches("pages", _COLUMNS):
        rows = batch.filter(batch["duplicate_of"].is_valid())
        stays = ~gone.among(rows["hash"].to_numpy())
        for row in rows.filter(pa.array(stays & gone.among(rows["duplicate_of"].to_numpy()))).to_pylist():
            page = _Candidate(row["fetched"], row["hash"], row["url"], _place(row))
            found.setdefault(row["duplicate_of"], []).append(page)
    return found


def _places(session: Session, candidates: Mapping[int, object]) -> dict[int, tuple[str, RecordPlace | None]]:
    """URL and place of the forgotten pages that others are duplicates of."""
    wanted = np.sort(np.fromiter(candidates, np.uint64, len(candidates)))
    found: dict[int, tuple[str, RecordPlace | None]] = {}
    for batch in session.batches("pages", _COLUMNS) if candidates else ():
        for row in batch.filter(pa.array(are_among(batch["hash"].to_numpy(), wanted))).to_pylist():
            found[row["hash"]] = row["url"], _place(row)
    return found


def _place(row: Mapping[str, Any]) -> RecordPlace | None:
    return RecordPlace(row["rank"], row["warc_file"], row["warc_offset"]) if row["warc_file"] is not None else None

"""Which bodies are dropped: those of pages fetched before a time, unless a page that keeps its own refers to them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.hash_arrays import are_among, distinct
from sessions.session import CommittedTable, Session
from sessions.storage.tables import read_batches
from sessions.url import Hashes

_COLUMNS = ["hash", "fetched", "warc_file", "warc_offset", "duplicate_of"]
_MICROSECOND = timedelta(microseconds=1)

Mask = npt.NDArray[np.bool_]


@dataclass
class BodiesOfRank:
    """Of each WARC file of a rank, how many bodies are to stay and how many to go; and where those that stay stand.

    Where all of a file's bodies stay, or all go, ``staying_at`` has nothing of it.
    """

    staying: Counter[str] = field(default_factory=Counter)
    going: Counter[str] = field(default_factory=Counter)
    staying_at: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)


class Dropping:
    """Bodies of pages fetched before ``before`` are dropped, or if that is None, all there are.

    A record that stands for a body of another page's (a revisit) is of no use without it: a body is kept for each page
    that keeps such a record.  Memory holds 8 bytes for each of these pages.
    """

    def __init__(self, session: Session, before: datetime | None) -> None:
        newest, needed = None, [np.empty(0, np.uint64)]
        for batch in session.batches("pages", ["fetched"] if before is None else _COLUMNS):
            newest = max(filter(None, (newest, pc.max(batch["fetched"]).as_py())), default=None)
            if before is not None:
                is_late = pc.greater_equal(batch["fetched"], pa.scalar(before))
                refers = pc.and_(pc.is_valid(batch["warc_file"]), pc.is_valid(batch["duplicate_of"]))
                needed.append(batch["duplicate_of"].filter(pc.and_(is_late, refers)).to_numpy())
        self.before: datetime = before or ((newest or datetime.fromtimestamp(0, UTC)) + _MICROSECOND)
        self._needed: Hashes = distinct(np.concatenate(needed))

    def bodies_of(self, files: list[CommittedTable]) -> BodiesOfRank:
        """What becomes of the bodies of a rank with these files of pages; 8 bytes for each that stays beside others."""
        bodies = BodiesOfRank()
        for name, stays, _ in self._by_file(files):
            count = int(np.count_nonzero(stays))
            bodies.staying[name] += count
            bodies.going[name] += len(stays) - count
        mixed = {name for name, count in bodies.staying.items() if count and bodies.going[name]}
        if mixed:
            parts: dict[str, list[npt.NDArray[np.int64]]] = {name: [] for name in mixed}
            for name, stays, offsets in self._by_file(files):
                if name in mixed:
                    parts[name].append(offsets[stays])
            bodies.staying_at = {name: np.sort(np.concatenate(its)) for name, its in parts.items()}
        return bodies

    def _by_file(self, files: list[CommittedTable]) -> Iterator[tuple[str, Mask, npt.NDArray[np.int64]]]:
        """Yield, of each batch of pages and each WARC file that it names, which bodies stay and their offsets."""
        for batch in read_batches("pages", [file.path for file in files], _COLUMNS):
            stays = pc.greater_equal(batch["fetched"], pa.scalar(self.before)).to_numpy(zero_copy_only=False)
            stays = stays | are_among(batch["hash"].to_numpy(), self._needed)
            encoded = batch["warc_file"].dictionary_encode()
            codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            offsets = batch["warc_offset"].fill_null(-1).to_numpy(zero_copy_only=False)
            for code, name in enumerate(encoded.dictionary.to_pylist()):
                yield name, stays[codes == code], offsets[codes == code]

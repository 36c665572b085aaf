"""DRUM: a repository of keys that is asked and updated in batches, in bounded memory whatever the number of keys."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.drum.answering import Answering, Asked
from crawler.drum.buckets import Buckets
from crawler.drum.chunk_file import NOTHING, End, Meter
from crawler.drum.disk_phase import Generation, OnDisk
from crawler.drum.keep_alive import Breathe, holding_breath
from crawler.drum.kind import UPDATE, Answers, Columns, Kind, Operations, Traffic, Values
from crawler.drum.memory_log import MemoryLog
from crawler.drum.memory_phase import InMemory
from crawler.drum.owned_files import OwnFiles
from crawler.drum.put_records import as_given, check_aux
from crawler.drum.record import Record, read_record
from crawler.drum.shape import Shape, shape_for
from crawler.urls.batch import Mask
from sessions.url import Hashes


class Drum:
    """Keys with values of a kind, in at most ``budget`` bytes of memory; on disk as ``folder``/``name``.*.

    ``answer`` is called with the answers to checks: in the memory phase before `put` returns and in order of arrival,
    on disk while a merge goes on (in `put` or `flush`), in order of arrival within a bucket and in blocks of bounded
    size.  It may put into other DRUMs, never into this one.  ``choose`` says of answers without aux which of them
    are handed on, bool[n]; by default those whose key was not found.  ``breathe`` is called again and again while a
    merge goes on, at least once for each block of a file; it may not use this DRUM either.

    With ``record``, what `commit` returned, the DRUM is exactly as it was then: files are cut off where they ended,
    files it does not name are removed, records that waited still wait.  Without, it is empty and older files of this
    name are removed.  ``shape`` overrules how the budget is divided.

    Raises SessionError, in any method, when a file is gone or damaged, and when ``record`` is of another kind.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        kind: Kind,
        *,
        budget: int,
        answer: Callable[[Answers], None],
        choose: Callable[[Answers], Mask] | None = None,
        breathe: Breathe = holding_breath,
        shape: Shape | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        if not name.replace("-", "").isalnum():
            raise ValueError(f"{name!r}: a DRUM's name has letters, digits and hyphens")
        last = read_record(record, name, kind.description()) if record else None
        self._kind = kind
        self._shape = _shape(budget, kind, shape, last)
        self._answering = Answering(answer, choose, self._shape.batch)
        self._breathe = breathe
        self._meter = Meter()
        self._records = 0
        ends = last.files if last else {}
        self._own = OwnFiles(folder, name, {file: end.length for file, end in ends.items()})
        self._memory: InMemory | None = None
        self._log = MemoryLog(self._own, kind, self._meter)
        self._disk = self._on_disk(Generation(0, 0, NOTHING), self._buckets(0))
        if last is None or last.is_in_memory:
            self._memory = InMemory(kind)
            self._load(last)
        else:
            self._resume(last)

    def __len__(self) -> int:
        """How many distinct keys are in it; those of records that wait do not count."""
        return len(self._memory) if self._memory is not None else self._disk.generation.keys

    @property
    def is_in_memory(self) -> bool:
        """Whether all keys are in memory, and every operation is answered at once."""
        return self._memory is not None

    @property
    def pending(self) -> int:
        """How many records were put and are not merged."""
        return self._disk.pending

    @property
    def traffic(self) -> Traffic:
        """What it has cost since it was opened."""
        return Traffic(self._meter.read, self._meter.written, self._disk.merges, self._records)

    def put(
        self,
        keys: Hashes,
        operation: int | Operations,
        values: Values | None = None,
        notes: Values | None = None,
        aux: Sequence[str] | None = None,
    ) -> None:
        """Put n operations, in this order.

        ``keys`` uint64[n]; ``operation`` CHECK, UPDATE or CHECK_UPDATE for all, or uint8[n]; ``values`` structured[n]
        of the kind's value, which updates need if it has fields; ``notes`` structured[n] of the kind's; ``aux`` n
        strings.  Notes and aux come back with the answers; what is not given is zeros and "".
        """
        self._refuse_while_answering()
        keys, operations, values, notes = as_given(self._kind, keys, operation, values, notes)
        check_aux(aux, keys)
        self._records += len(keys)
        for start in range(0, len(keys), self._shape.batch):
            cut = slice(start, start + self._shape.batch)
            asked = Asked(keys[cut], operations[cut], notes[cut])
            strings = None if aux is None else aux[cut]
            memory = self._memory_with_room(asked)
            if memory is not None:
                memory.put(asked, values[cut], strings, self._answering)
            else:
                self._disk.put(asked, values[cut], strings)

    def known(self, keys: Hashes) -> tuple[Mask, Columns]:
        """What can be said at once of keys: which are there, bool[n], and the fields of their values, by name.

        In the memory phase that is everything, on disk nothing: all False.  Of a key that is not there the fields mean
        nothing.
        """
        if self._memory is not None:
            return self._memory.known(keys)
        return np.zeros(len(keys), bool), {
            name: np.zeros(len(keys), self._kind.value[name]) for name in self._kind.rules
        }

    def look_up(self, keys: Hashes) -> tuple[Mask, Values]:
        """Which keys are there, bool[n], and their values, structured[n] with zeros for those that are not.

        Without a merge: on disk it is what was there after the last one.  Those blocks of the sorted file are read in
        which the keys may be, all of it if the DRUM was opened with a record and has not merged since.
        """
        if self._memory is not None:
            return self._memory.look_up(keys)
        return self._disk.look_up(keys)

    def flush(self) -> None:
        """Merge now, and answer what waits."""
        self._refuse_while_answering()
        if self._disk.pending:
            self._disk.merge()

    def blocks(self) -> Iterator[tuple[Hashes, Values]]:
        """All keys that are merged (after `flush`: all), in ascending order with their values, block by block.

        Nothing may be put before the last block was read.
        """
        return self._disk.blocks() if self._memory is None else self._memory.blocks(self._shape.batch)

    def commit(self) -> dict[str, Any]:
        """Bring everything to disk for good, records that wait too: the record (JSON) to open the DRUM with again.

        What a record names is kept, and not changed up to where it ends, until a later one was `committed`.
        """
        self._refuse_while_answering()
        record = self._written_out()
        self._own.hand_out(record.files)
        return record.as_json()

    def committed(self, record: Mapping[str, Any]) -> None:
        """That record is safe: files that only earlier ones name are removed."""
        self._own.committed(record["files"])

    def close(self) -> None:
        """Forget everything in memory; the files stay as they are."""
        self._memory = None

    def _memory_with_room(self, asked: Asked) -> InMemory | None:
        """The table in memory, or None, once there was no room in it for what is brought here."""
        if self._memory is None:
            return None
        brought = int(np.count_nonzero(asked.operations & np.uint8(UPDATE)))
        if not self._memory.has_room(brought, self._shape.table):
            self._disk.begin(self._memory.blocks(self._shape.batch))
            self._log.supersede()
            self._memory = None
        return self._memory

    def _load(self, last: Record | None) -> None:
        if last is not None and self._memory is not None:
            self._log = MemoryLog(self._own, self._kind, self._meter, last.number, last.files)
            for keys, values in self._log.read():
                self._memory.load(keys, values)

    def _resume(self, last: Record) -> None:
        path = self._own.path(f"{last.number:06d}.sorted")
        buckets = self._buckets(last.batch, np.array(last.pending), last.files)
        self._disk = self._on_disk(Generation(last.number, last.keys, last.files[path.name]), buckets)

    def _buckets(
        self, number: int, counts: npt.NDArray[np.int64] | None = None, ends: Mapping[str, End] | None = None
    ) -> Buckets:
        return Buckets(self._own, self._kind, self._shape, self._meter, number, counts, ends, self._breathe)

    def _on_disk(self, generation: Generation, buckets: Buckets) -> OnDisk:
        return OnDisk(
            self._own, self._kind, self._shape, self._meter, self._answering, generation, buckets, self._breathe
        )

    def _written_out(self) -> Record:
        kind = self._kind.description()
        if self._memory is not None:
            self._memory.write_changes(self._log, self._shape.batch)
            return Record(kind, True, self._log.number, len(self._memory), 0, [], self._log.ends)
        self._disk.write_out()
        generation, buckets = self._disk.generation, self._disk.buckets
        ends = {path.name: end for path, end in self._disk.ends.items()}
        pending = buckets.counts.tolist()
        return Record(kind, False, generation.number, generation.keys, buckets.number, pending, ends)

    def _refuse_while_answering(self) -> None:
        if self._answering.is_busy:
            raise RuntimeError("an answer may not use the DRUM that it came from")


def _shape(budget: int, kind: Kind, shape: Shape | None, last: Record | None) -> Shape:
    """As many buckets as there were at the last commit, whatever the budget is now: their files are there."""
    buckets = len(last.pending) if last is not None and not last.is_in_memory else None
    shape = shape or shape_for(budget, kind, buckets)
    return shape if buckets is None else shape._replace(buckets=buckets)

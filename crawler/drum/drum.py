"""DRUM: a repository of keys that is asked and updated in batches, in bounded memory whatever the number of keys."""

from collections.abc import Callable, Generator, Iterator, Sequence
from inspect import GEN_CLOSED, getgeneratorstate
from pathlib import Path

import numpy as np

from crawler.drum.answering import Answering, PutBatch
from crawler.drum.chunk_file import Meter
from crawler.drum.disk_files import OwnFiles
from crawler.drum.disk_phase import OnDisk
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import UPDATE, Answers, Columns, DrumTraffic, Kind, Operations, Values
from crawler.drum.memory_phase import InMemory
from crawler.drum.put_records import as_given, check_aux
from crawler.drum.shape import Shape, shape_for
from crawler.urls.batch import Mask
from sessions.url import Hashes


def stays_in_memory(keys: int, kind: Kind, budget: int) -> bool:
    """Would a DRUM of this budget have all of so many keys in memory?"""
    return InMemory(kind).has_room(keys, shape_for(budget, kind).table)


class Drum:
    """Keys with values of a kind, in at most ``budget`` bytes of memory; on disk as ``folder``/``name``.*.

    `put` and `flush` give the answers to checks, in blocks of bounded size: in the memory phase in order of arrival, on
    disk, where `put` answers what it merges and often nothing, in order of arrival within a bucket.  The work is done
    as they are taken, so they must be taken to their end before the DRUM is put to or flushed again.  ``choose`` says
    of answers without aux which of them are given, bool[n]; by default those whose key was not found.  ``keep_alive``
    serves again and again while a merge goes on, at least once for each block of a file; it may not use this DRUM.
    With ``in_pieces`` a merge that is due is only begun by `put`, and goes on by `merge_on`.  What is put meanwhile
    waits for the next merge; when that is due, `put` finishes the one before.

    It begins empty, and older files of this name are removed.  ``shape`` overrules how the budget is divided.

    Raises SessionError, in any method, when a file is gone or damaged.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        kind: Kind,
        *,
        budget: int,
        choose: Callable[[Answers], Mask] | None = None,
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
        shape: Shape | None = None,
        in_pieces: bool = False,
    ) -> None:
        if not name.replace("-", "").isalnum():
            raise ValueError(f"{name!r}: a DRUM's name has letters, digits and hyphens")
        self.name = name
        self._kind = kind
        self._shape = shape or shape_for(budget, kind, in_pieces=in_pieces)
        self._answering = Answering(choose, self._shape.batch)
        self._answers = _none()
        self._meter = Meter()
        self._records = 0
        self._memory: InMemory | None = InMemory(kind)
        own = OwnFiles(folder, name)
        self._disk = OnDisk(own, kind, self._shape, self._meter, self._answering, keep_alive, in_pieces=in_pieces)

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
        return 0 if self._memory is not None else self._disk.pending

    @property
    def traffic(self) -> DrumTraffic:
        """What it has cost since it was opened."""
        return DrumTraffic(self._meter.read, self._meter.written, self._disk.merges, self._records)

    def put(
        self,
        keys: Hashes,
        operation: int | Operations,
        values: Values | None = None,
        notes: Values | None = None,
        aux: Sequence[str] | None = None,
    ) -> Iterator[Answers]:
        """Put n operations, in this order, and give the answers that there are by now.

        ``keys`` uint64[n]; ``operation`` CHECK, UPDATE or CHECK_UPDATE for all, or uint8[n]; ``values`` structured[n]
        of the kind's value, which updates need if it has fields; ``notes`` structured[n] of the kind's; ``aux`` n
        strings.  Notes and aux come back with the answers; what is not given is zeros and "".
        """
        self._refuse_until_taken()
        keys, operations, values, notes = as_given(self._kind, keys, operation, values, notes)
        check_aux(aux, keys)
        self._answers = self._put(keys, operations, values, notes, aux)
        return self._answers

    def _put(
        self, keys: Hashes, operations: Operations, values: Values, notes: Values, aux: Sequence[str] | None
    ) -> Generator[Answers, None, None]:
        self._records += len(keys)
        for start in range(0, len(keys), self._shape.batch):
            cut = slice(start, start + self._shape.batch)
            asked = PutBatch(keys[cut], operations[cut], notes[cut])
            strings = None if aux is None else aux[cut]
            memory = self._memory_with_room(asked)
            if memory is not None:
                yield from memory.put(asked, values[cut], strings, self._answering)
            else:
                yield from self._disk.put(asked, values[cut], strings)

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
        which the keys may be.
        """
        if self._memory is not None:
            return self._memory.look_up(keys)
        return self._disk.look_up(keys)

    def flush(self) -> Iterator[Answers]:
        """Merge now, and give the answers to what waits."""
        self._refuse_until_taken()
        self._answers = self._merge()
        return self._answers

    def begin_merge(self) -> Iterator[Answers]:
        """Begin to merge what waits, though it is not due, for `merge_on`; a merge that goes on is finished before."""
        self._refuse_until_taken()
        self._answers = self._begun()
        return self._answers

    @property
    def is_merging(self) -> bool:
        """Has a merge been begun that `merge_on` has not brought to its end?"""
        return self._disk.is_merging

    @property
    def merge_lag(self) -> float:
        """How far the merge is behind what came since it was begun: above 0, `put` would have to finish it.

        In parts of a whole merge; `crawler.drum.disk_phase.NOT_MERGING` if there is none.
        """
        return self._disk.merge_lag

    def lag_within(self, part: float) -> float:
        """As `merge_lag`, of a merge that is to end before ``part`` as many operations have come as it merges."""
        return self._disk.lag_within(part)

    @property
    def merge_done(self) -> float:
        """Which part of the merge that was begun is done; 1 if there is none."""
        return self._disk.merge_done

    def merge_on(self) -> Iterator[Answers]:
        """Do a piece of the merge that was begun, and give the answers that come of it, which may be none."""
        self._refuse_until_taken()
        self._answers = self._piece()
        return self._answers

    def blocks(self) -> Iterator[tuple[Hashes, Values]]:
        """All keys that are merged (after `flush`: all), in ascending order with their values, block by block.

        Nothing may be put before the last block was read.
        """
        return self._disk.blocks() if self._memory is None else self._memory.blocks(self._shape.batch)

    def close(self) -> None:
        """Forget everything in memory; the files stay as they are."""
        self._memory = None

    def _memory_with_room(self, asked: PutBatch) -> InMemory | None:
        """The table in memory, or None, once there was no room in it for what is brought here."""
        if self._memory is None:
            return None
        if self._memory.has_room(len(asked.keys), self._shape.table):
            return self._memory
        brought = int(np.count_nonzero(asked.operations & np.uint8(UPDATE)))
        if not self._memory.has_room(brought, self._shape.table):
            self._disk.begin(self._memory.blocks(self._shape.batch))
            self._memory = None
        return self._memory

    def _begun(self) -> Generator[Answers, None, None]:
        if self._disk.pending:
            yield from self._disk.begin_merge()

    def _piece(self) -> Generator[Answers, None, None]:
        yield from self._disk.go_on()

    def _merge(self) -> Generator[Answers, None, None]:
        if self._disk.pending:
            yield from self._disk.merge()

    def _refuse_until_taken(self) -> None:
        if getgeneratorstate(self._answers) != GEN_CLOSED:
            raise RuntimeError("the answers of a DRUM are to be taken to their end before it is used again")


def _none() -> Generator[Answers, None, None]:
    """No answers, all taken."""
    nothing: list[Answers] = []
    taken = (answers for answers in nothing)
    taken.close()
    return taken

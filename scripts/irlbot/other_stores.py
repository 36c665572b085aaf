"""Ways to know which URLs were seen before, beside DRUM: databases, and the merge of Mercator-B.

Each is told keys a batch at a time and finds out which come for the first time; each may take ``budget`` bytes of
memory, and writes nothing that is there only to survive a crash.
"""

import sqlite3
from pathlib import Path
from typing import Protocol

import numpy as np

from scripts.irlbot.paper_load import Keys

_UINT64 = 1 << 64


class Seen(Protocol):
    """A set of keys."""

    unique: int
    """Keys that came for the first time, so far."""
    total: int | None
    """Their sum modulo 2^64, where the store says which they are."""
    merges: int | None
    """How often what was gathered was merged, where the store says so."""

    def put(self, keys: Keys) -> None:
        """Check these, and add the new ones."""

    def finish(self) -> None:
        """Settle what is still open."""


class Sqlite:
    """A table with nothing but its primary key; INSERT OR IGNORE, a transaction a batch."""

    total = None
    merges = None

    def __init__(self, folder: Path, budget: int) -> None:
        self._database = sqlite3.connect(folder / "seen.sqlite", isolation_level=None)
        cache = f"cache_size=-{budget // 1024}"
        for pragma in (cache, "journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"):
            self._database.execute(f"PRAGMA {pragma}").fetchall()
        self._database.execute("CREATE TABLE seen (key INTEGER PRIMARY KEY)")
        self.unique = 0

    def put(self, keys: Keys) -> None:
        before = self._database.total_changes
        self._database.execute("BEGIN")
        rows = ((key,) for key in np.sort(keys).view(np.int64).tolist())
        self._database.executemany("INSERT OR IGNORE INTO seen VALUES (?)", rows)
        self._database.execute("COMMIT")
        self.unique += self._database.total_changes - before

    def finish(self) -> None:
        self._database.close()


class Rocks:
    """A log-structured merge tree with a Bloom filter of 10 bits a key; half of the memory caches blocks.

    Its filters and indexes stay in memory beside that: in so small a cache they would push each other out.
    """

    merges = None

    def __init__(self, folder: Path, budget: int) -> None:
        import rocksdict

        options = rocksdict.Options(raw_mode=True)
        options.set_write_buffer_size(budget // 6)
        options.set_max_write_buffer_number(3)
        blocks = rocksdict.BlockBasedOptions()
        blocks.set_block_cache(rocksdict.Cache(budget // 2))
        blocks.set_bloom_filter(10, False)
        options.set_block_based_table_factory(blocks)
        self._new_batch = lambda: rocksdict.WriteBatch(raw_mode=True)
        self._database = rocksdict.Rdict(str(folder / "seen.rocks"), options)
        unlogged = rocksdict.WriteOptions()
        unlogged.disable_wal = True
        self._database.set_write_options(unlogged)
        self.unique = self.total = 0

    def put(self, keys: Keys) -> None:
        distinct = np.unique(keys)
        packed = distinct.astype(">u8").tobytes()
        named = [packed[at : at + 8] for at in range(0, len(packed), 8)]
        missing = np.array([found is None for found in self._database.get(named)], bool)
        batch = self._new_batch()
        for at in np.flatnonzero(missing).tolist():
            batch.put(named[at], b"")
        self._database.write(batch)
        self.unique += int(missing.sum())
        self.total = (self.total + int(distinct[missing].sum())) % _UINT64

    def finish(self) -> None:
        self._database.flush()
        self._database.close()


class Mercator:
    """Mercator-B: keys are gathered in memory, with pointers to where they came from; when it is full, they are merged
    with the sorted file of all, which is read once and written anew.  Half of the memory gathers, as in the paper's
    Theorem 1; the other half sorts.
    """

    _POINTER = np.dtype(np.uint32)

    def __init__(self, folder: Path, budget: int) -> None:
        self._folder = folder
        self._gathered: Keys = np.empty(budget // 2 // (8 + self._POINTER.itemsize), np.uint64)
        self._count = 0
        self._block = max(1, budget // 2 // 8 // 8)
        self._path = folder / "seen.0"
        self._path.touch()
        self.unique = self.total = self.merges = 0

    def put(self, keys: Keys) -> None:
        while len(keys):
            taken = keys[: len(self._gathered) - self._count]
            self._gathered[self._count : self._count + len(taken)] = taken
            self._count += len(taken)
            keys = keys[len(taken) :]
            if self._count == len(self._gathered):
                self._merge()

    def finish(self) -> None:
        if self._count:
            self._merge()

    def _merge(self) -> None:
        """One pass over the sorted file, block by block, with the gathered keys that fall into each."""
        fresh = np.unique(self._gathered[: self._count])
        self._count = 0
        self.merges += 1
        successor = self._folder / f"seen.{self.merges}"
        with self._path.open("rb") as old, successor.open("wb") as new:
            while True:
                block: Keys = np.fromfile(old, np.uint64, self._block)
                last = len(block) < self._block
                end = len(fresh) if last else int(np.searchsorted(fresh, block[-1], side="right"))
                self._write_together(block, fresh[:end], new)
                fresh = fresh[end:]
                if last:
                    break
        self._path.unlink()
        self._path = successor

    def _write_together(self, block: Keys, fresh: Keys, new: object) -> None:
        places = np.searchsorted(block, fresh)
        known = np.zeros(len(fresh), bool)
        inside = places < len(block)
        known[inside] = block[places[inside]] == fresh[inside]
        unique = fresh[~known]
        np.insert(block, places[~known], unique).tofile(new)  # type: ignore[arg-type]
        self.unique += len(unique)
        self.total = (self.total + int(unique.sum())) % _UINT64


OTHERS = {"sqlite": Sqlite, "rocksdict": Rocks, "Mercator-B": Mercator}

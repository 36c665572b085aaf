"""Distinct 64-bit keys in ascending order, sorted on disk, so that they may be many more than memory holds.

This is external merge sort (Knuth, "The Art of Computer Programming", volume 3, section 5.4).  Full buffers of keys are
sorted and written as runs; a run goes on as long as the next buffer lies behind it, so keys that came in order are one
run, and nothing is merged.  Otherwise runs are merged, `_FAN_IN` at a time, a block of each in memory.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sessions.hash_arrays import distinct

Keys = npt.NDArray[np.int64]
Run = tuple[int, int]
"""The keys of a file from one place on and below another."""

_KEYS_IN_MEMORY = 1 << 21
_FAN_IN = 64
_KEY_BYTES = 8
BLOCK = 1 << 18
"""Keys in a block of `SortedKeys.blocks`, but for the last."""


class SortedKeys:
    """The ``count`` keys in a file: int64, ascending, each once."""

    def __init__(self, path: Path, count: int) -> None:
        self._path = path
        self.count = count

    def blocks(self, size: int = BLOCK) -> Iterator[Keys]:
        """Yield all keys, ``size`` at a time."""
        for begin in range(0, self.count, size):
            yield self.between(begin, min(begin + size, self.count))

    def between(self, begin: int, end: int) -> Keys:
        """The keys from place ``begin`` on and below place ``end``."""
        return _read(self._path, begin, end)


class KeySorter:
    """Takes keys in any order, repeated ones among them, and gives them back sorted.

    It needs some 100 MB however many keys come, and on disk, in ``folder``, up to twice the 8 bytes of a key.  The
    folder is the caller's to remove; ``name`` is that of the files in it.  ``added`` is how many keys came.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path, self._merged_path = folder / name, folder / f"{name}.merged"
        self._waiting: list[Keys] = []
        self._waiting_keys = 0
        self._runs: list[Run] = []
        self._last = 0
        self.added = 0
        self._path.write_bytes(b"")

    def add(self, keys: Keys) -> None:
        """Take int64 keys.  Raises OSError if they cannot be written."""
        self._waiting.append(keys)
        self._waiting_keys += len(keys)
        self.added += len(keys)
        if self._waiting_keys >= _KEYS_IN_MEMORY:
            self._write_run()

    def sorted(self) -> SortedKeys:
        """All keys that were added, sorted; no more can be added.  Raises OSError if they cannot be written."""
        self._write_run()
        while len(self._runs) > 1:
            self._merge()
        return SortedKeys(self._path, sum(end - begin for begin, end in self._runs))

    def _write_run(self) -> None:
        keys = distinct(np.concatenate(self._waiting)) if self._waiting_keys else np.empty(0, np.int64)
        self._waiting, self._waiting_keys = [], 0
        if not len(keys):
            return
        _append(self._path, keys)
        end = self._runs[-1][1] if self._runs else 0
        if self._runs and keys[0] > self._last:
            self._runs[-1] = (self._runs[-1][0], end + len(keys))
        else:
            self._runs.append((end, end + len(keys)))
        self._last = int(keys[-1])

    def _merge(self) -> None:
        """Merge the runs of each group of `_FAN_IN` into one, in another file that takes the place of this one."""
        runs, end = [], 0
        for first in range(0, len(self._runs), _FAN_IN):
            begin = end
            for keys in _merged(self._path, self._runs[first : first + _FAN_IN]):
                _append(self._merged_path, keys)
                end += len(keys)
            runs.append((begin, end))
        self._merged_path.replace(self._path)
        self._runs = runs


def _merged(path: Path, runs: list[Run]) -> Iterator[Keys]:
    """Yield the distinct keys of runs, ascending."""
    size = max(1, _KEYS_IN_MEMORY // len(runs))
    rests = [_blocks(path, run, size) for run in runs]
    heads = [next(rest) for rest in rests]
    while heads:
        # Up to the least of the blocks' last keys, all keys of all runs are in memory.
        limit = min(head[-1] for head in heads)
        cuts = [int(np.searchsorted(head, limit, side="right")) for head in heads]
        yield distinct(np.concatenate([head[:cut] for head, cut in zip(heads, cuts, strict=True)]))
        left = [
            (head[cut:], rest) if cut < len(head) else (next(rest, None), rest)
            for head, cut, rest in zip(heads, cuts, rests, strict=True)
        ]
        heads = [head for head, _ in left if head is not None]
        rests = [rest for head, rest in left if head is not None]


def _blocks(path: Path, run: Run, size: int) -> Iterator[Keys]:
    begin, end = run
    for first in range(begin, end, size):
        yield _read(path, first, min(first + size, end))


def _read(path: Path, begin: int, end: int) -> Keys:
    return np.fromfile(path, np.int64, end - begin, offset=begin * _KEY_BYTES)


def _append(path: Path, keys: Keys) -> None:
    with open(path, "ab") as file:
        file.write(np.ascontiguousarray(keys).data)

"""A generation of the sorted file: all keys in ascending order with their values, written once, read in sequence.

A chunk is a block: the number of its keys (uint64), the keys, their values.  The last chunk has the greatest number
there is, and then the number of keys in the file.
"""

from collections.abc import Iterator
from pathlib import Path
from struct import Struct

import numpy as np

from crawler.drum.chunkfile import ChunkWriter, End, Meter, read_chunks
from crawler.drum.kind import Kind, Values
from sessions.session import SessionError
from sessions.url import Hashes

_COUNT = Struct("<Q")
_NO_MORE = 2**64 - 1
_KEY_BYTES = 8


def header_of(kind: Kind, generation: int) -> bytes:
    """What stands at the head of a generation."""
    return f"sorted generation {generation} of {kind.description()}".encode()


class SortedWriter:
    """Writes a generation in blocks of about ``block`` bytes."""

    def __init__(self, path: Path, kind: Kind, generation: int, block: int, meter: Meter) -> None:
        self._file = ChunkWriter(path, header_of(kind, generation), meter)
        size = max(1, block // (_KEY_BYTES + kind.value.itemsize))
        self._keys = np.empty(size, np.uint64)
        self._values = np.empty(size, kind.value)
        self._filled = 0
        self.count = 0

    def write(self, keys: Hashes, values: Values) -> None:
        """Append keys, ascending and beyond all that were written, with their values."""
        self.count += len(keys)
        start = 0
        while start < len(keys):
            taken = min(len(keys) - start, len(self._keys) - self._filled)
            place = slice(self._filled, self._filled + taken)
            self._keys[place] = keys[start : start + taken]
            self._values[place] = values[start : start + taken]
            self._filled += taken
            start += taken
            if self._filled == len(self._keys):
                self._write_block()

    def close(self) -> End:
        """Write what is left, and the number of keys."""
        self._write_block()
        self._file.append(_COUNT.pack(_NO_MORE) + _COUNT.pack(self.count))
        return self._file.end

    def _write_block(self) -> None:
        if self._filled:
            count = self._filled
            block = (_COUNT.pack(count), self._keys[:count].tobytes(), self._values[:count].tobytes())
            self._file.append(b"".join(block))
            self._filled = 0


class SortedReader:
    """Reads a generation from front to back.  Raises SessionError if it is damaged."""

    def __init__(self, path: Path, kind: Kind, generation: int, end: End, meter: Meter) -> None:
        self._path = path
        self._kind = kind
        self._chunks = read_chunks(path, header_of(kind, generation), end, meter)
        self._read = 0
        self._rest: tuple[Hashes, Values] | None = self._next_block()

    def below(self, bound: int) -> Iterator[tuple[Hashes, Values]]:
        """The keys less than ``bound`` that were not read yet, with their values, block by block; both writable."""
        while self._rest is not None:
            keys, values = self._rest
            cut = len(keys) if int(keys[-1]) < bound else int(np.searchsorted(keys, np.uint64(bound)))
            if cut:
                yield keys[:cut], values[:cut]
            if cut < len(keys):
                self._rest = keys[cut:], values[cut:]
                return
            self._rest = self._next_block()

    def _next_block(self) -> tuple[Hashes, Values] | None:
        chunk = next(self._chunks, None)
        if chunk is None:
            raise SessionError(f"{self._path}: damaged at its end: the number of keys is missing")
        (count,) = _COUNT.unpack_from(chunk)
        if count == _NO_MORE:
            self._finish(*_COUNT.unpack_from(chunk, _COUNT.size))
            return None
        self._read += count
        keys = np.frombuffer(chunk, np.uint64, count, _COUNT.size)
        if not self._kind.rules:
            return keys, np.empty(count, self._kind.value)
        return keys, np.frombuffer(chunk, self._kind.value, count, _COUNT.size + count * _KEY_BYTES)

    def _finish(self, count: int) -> None:
        if next(self._chunks, None) is not None or count != self._read:
            raise SessionError(f"{self._path}: damaged at its end: {self._read} keys, but {count} were written")

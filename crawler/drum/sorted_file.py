"""A generation of the sorted file: all keys in ascending order with their values, written once, read in sequence.

A chunk is a block: the number of its keys (uint64), the keys, their values.  The last chunk has the greatest number
there is, and then the number of keys in the file.
"""

from array import array
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

import numpy as np

from crawler.drum.chunk_file import NOTHING, ChunkWriter, FileEnd, Meter, read_chunks
from crawler.drum.kind import Kind, Values
from sessions.session import SessionError
from sessions.url import Hashes

_COUNT = Struct("<Q")
_NO_MORE = 2**64 - 1
_KEY_BYTES = 8


def header_of(kind: Kind, generation: int) -> bytes:
    """What stands at the head of a generation."""
    return f"sorted generation {generation} of {kind.description()}".encode()


class SortedIndex:
    """The first key of each block of a generation, and where the block ends: 24 bytes a block."""

    def __init__(self) -> None:
        self._firsts, self._lengths, self._checksums = array("Q"), array("Q"), array("Q")

    def add(self, first: int, end: FileEnd) -> None:
        """Note the next block."""
        for column, number in ((self._firsts, first), (self._lengths, end.length), (self._checksums, end.checksum)):
            column.append(number)

    def spans(self, keys: Hashes) -> Iterator[tuple[FileEnd, FileEnd]]:
        """Where the blocks begin and end that may have any of the ``keys``, which ascend: adjacent ones together."""
        blocks = np.searchsorted(np.array(self._firsts, np.uint64), keys, "right") - 1
        blocks = np.unique(blocks[blocks >= 0])
        for run in np.split(blocks, np.flatnonzero(np.diff(blocks) > 1) + 1) if len(blocks) else ():
            yield self._end(int(run[0]) - 1), self._end(int(run[-1]))

    def _end(self, block: int) -> FileEnd:
        return FileEnd(self._lengths[block], self._checksums[block]) if block >= 0 else NOTHING


class SortedWriter:
    """Writes a generation in blocks of about ``block`` bytes; ``index`` says where those are."""

    def __init__(self, path: Path, kind: Kind, generation: int, block: int, meter: Meter) -> None:
        self.index = SortedIndex()
        self._file = ChunkWriter(path, header_of(kind, generation), meter)
        size = max(1, block // (_KEY_BYTES + kind.value.itemsize))
        self._keys = np.empty(size, np.uint64)
        self._raw = np.dtype((np.void, kind.value.itemsize))
        self._values = np.empty(size, self._raw)
        self._filled = 0
        self.count = 0

    def write(self, keys: Hashes, values: Values) -> None:
        """Append keys, ascending and beyond all that were written, with their values."""
        self.count += len(keys)
        values = np.ascontiguousarray(values).view(self._raw)  # numpy copies structures field by field
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

    def close(self) -> FileEnd:
        """Write what is left, and the number of keys."""
        self._write_block()
        self._file.append(_COUNT.pack(_NO_MORE) + _COUNT.pack(self.count))
        return self._file.end

    def _write_block(self) -> None:
        if self._filled:
            count = self._filled
            block = (_COUNT.pack(count), self._keys[:count].tobytes(), self._values[:count].tobytes())
            self._file.append(b"".join(block))
            self.index.add(int(self._keys[0]), self._file.end)
            self._filled = 0


class SortedReader:
    """Reads a generation from front to back.  Raises SessionError if it is damaged."""

    def __init__(self, path: Path, kind: Kind, generation: int, end: FileEnd, meter: Meter) -> None:
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
        return _block(chunk, self._kind)

    def _finish(self, count: int) -> None:
        if next(self._chunks, None) is not None or count != self._read:
            raise SessionError(f"{self._path}: damaged at its end: {self._read} keys, but {count} were written")


def read_blocks(
    path: Path, kind: Kind, generation: int, spans: Iterator[tuple[FileEnd, FileEnd]], meter: Meter
) -> Iterator[tuple[Hashes, Values]]:
    """The keys and values in ``spans`` of a generation's `SortedIndex`, block by block.

    Raises SessionError if the file is damaged there.
    """
    for start, end in spans:
        for chunk in read_chunks(path, header_of(kind, generation), end, meter, start):
            yield _block(chunk, kind)


def _block(chunk: bytearray, kind: Kind) -> tuple[Hashes, Values]:
    (count,) = _COUNT.unpack_from(chunk)
    keys = np.frombuffer(chunk, np.uint64, count, _COUNT.size)
    if not kind.rules:
        return keys, np.empty(count, kind.value)
    return keys, np.frombuffer(chunk, kind.value, count, _COUNT.size + count * _KEY_BYTES)

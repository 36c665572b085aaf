"""Byte strings in an append-only file, found again by offset and length."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from xxhash import xxh3_64_digest

from crawler.drum import disk_files
from sessions.session import SessionError
from sessions.url import Hashes

_MAGIC = b"cutweb blobs 1\n\n"
_CHECKSUM = 8


class Blobs:
    """The file ``folder``/``name``.blobs: after 16 bytes of magic, each string behind its checksum (xxh3, 8 bytes).

    It begins empty.  The last ``memory`` bytes wait in memory, so that few strings make no file.  Raises SessionError
    if a string was damaged.
    """

    def __init__(self, folder: Path, name: str, *, memory: int = 0) -> None:
        self._path = folder / f"{name}.blobs"
        self._memory = memory
        self._length = 0
        self._tail = bytearray()
        self._descriptor = -1
        disk_files.remove(self._path)

    def append(self, strings: Sequence[bytes]) -> Hashes:
        """Write strings at the end: the offset of each, uint64[n], to `read` it by."""
        if not self._length:
            self._tail += _MAGIC
            self._length = len(_MAGIC)
        sizes = np.fromiter((len(string) + _CHECKSUM for string in strings), np.int64, len(strings))
        ends = self._length + np.cumsum(sizes)
        pieces = [piece for string in strings for piece in (xxh3_64_digest(string), string)]
        self._tail += b"".join(pieces)
        self._length += int(sizes.sum())
        if len(self._tail) > self._memory:
            self._write()
        return (ends - sizes).astype(np.uint64)

    def read(self, offset: int, length: int) -> bytes:
        """The string of ``length`` bytes at ``offset``.  Raises SessionError if it is damaged."""
        written = self._length - len(self._tail)
        if written <= offset < self._length:
            start = offset - written + _CHECKSUM
            return bytes(self._tail[start : start + length])
        if self._descriptor < 0:
            try:
                self._descriptor = os.open(self._path, os.O_RDONLY)
            except OSError as error:
                raise SessionError(f"{self._path}: {error.strerror}") from error
        data = os.pread(self._descriptor, _CHECKSUM + length, offset)
        string = data[_CHECKSUM:]
        if len(string) != length or xxh3_64_digest(string) != data[:_CHECKSUM]:
            raise SessionError(f"{self._path}: damaged at byte {offset}: the checksum is another")
        return string

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self) -> None:
        if self._tail:
            disk_files.make_folder(self._path.parent)
            disk_files.write_at(self._path, self._length - len(self._tail), bytes(self._tail))
            self._tail.clear()

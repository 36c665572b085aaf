"""The form of every file of a DRUM: a magic number, then chunks, each with length and checksum.

A chunk's checksum is xxh3 of its bytes, seeded with the checksum of the chunk before it: the last one speaks for the
whole file, and a chunk that was torn, rotted, moved or left over from something else is found.  The first chunk is a
header that says what the file is.  Layout: magic (16 bytes), then per chunk length (uint64), checksum (uint64), bytes.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from crawler.drum import disk_files
from sessions.session import SessionError

MAGIC = b"cutweb drum 1\n\n\n"
_CHUNK = Struct("<QQ")


class FileEnd(NamedTuple):
    """How far a file goes: its length in bytes, and the checksum of its last chunk."""

    length: int
    checksum: int


NOTHING = FileEnd(0, 0)
"""The end of a file that was not begun."""


class Meter:
    """Bytes read and written by all files of a DRUM."""

    def __init__(self) -> None:
        self.read = 0
        self.written = 0


class ChunkWriter:
    """Appends chunks to a file; the file and its header are made with the first."""

    def __init__(self, path: Path, header: bytes, meter: Meter) -> None:
        self.path = path
        self.end = NOTHING
        self._header = header
        self._meter = meter

    def append(self, data: bytes) -> None:
        """Write one chunk."""
        start = self.end.length
        pieces = []
        if not start:
            pieces = [MAGIC, *self._sealed(self._header)]
        pieces += self._sealed(data)
        written = b"".join(pieces)
        disk_files.write_at(self.path, start, written)
        self._meter.written += len(written)
        self.end = FileEnd(start + len(written), self.end.checksum)

    def _sealed(self, data: bytes) -> tuple[bytes, bytes]:
        checksum = xxh3_64_intdigest(data, self.end.checksum)
        self.end = self.end._replace(checksum=checksum)
        return _CHUNK.pack(len(data), checksum), data


def read_chunks(path: Path, header: bytes, end: FileEnd, meter: Meter, start: FileEnd = NOTHING) -> Iterator[bytearray]:
    """The chunks of a file up to its known end, in order, without the header.

    ``start`` and ``end`` may be where it ended when fewer chunks were written: then the chunks in between are read.
    Raises SessionError, which names the file, if it is not there, is another file, or is damaged.
    """
    if end == start:
        return
    try:
        with path.open("rb", buffering=0) as file:
            descriptor = file.fileno()
            os.posix_fadvise(descriptor, start.length, end.length - start.length, os.POSIX_FADV_SEQUENTIAL)
            checksum, offset = start.checksum, max(start.length, len(MAGIC))
            if start == NOTHING and _read(descriptor, 0, len(MAGIC)) != MAGIC:
                raise SessionError(f"{path}: not a file of this program's DRUM, or of another version")
            while offset < end.length:
                is_header = offset == len(MAGIC)
                length, expected = _CHUNK.unpack(_read(descriptor, offset, _CHUNK.size).ljust(_CHUNK.size, b"\0"))
                data = _read(descriptor, offset + _CHUNK.size, min(length, end.length - offset))
                checksum = xxh3_64_intdigest(data, checksum)
                if len(data) != length or checksum != expected:
                    raise SessionError(f"{path}: damaged at byte {offset}: the checksum is another")
                offset += _CHUNK.size + length
                meter.read += _CHUNK.size + length + (len(MAGIC) if is_header else 0)
                if not is_header:
                    yield data
                elif data != header:
                    raise SessionError(f"{path}: is {data.decode(errors='replace')}, not {header.decode()}")
            if FileEnd(offset, checksum) != end:
                raise SessionError(f"{path}: damaged at byte {end.length}: ends otherwise than it was left")
    except OSError as error:
        raise SessionError(f"{path}: {error.strerror}") from error


def _read(descriptor: int, offset: int, length: int) -> bytearray:
    """So many bytes from ``offset``, fewer only at the end of the file."""
    data = bytearray(length)
    view = memoryview(data)
    done = 0
    while done < length and (count := os.preadv(descriptor, [view[done:]], offset + done)):
        done += count
    del view
    return data if done == length else data[:done]

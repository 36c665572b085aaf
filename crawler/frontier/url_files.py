"""Batches of URLs that wait on disk, first in, first out, in a sequence of files.

A file begins with eight bytes that say what it is and in what version; then block follows block: length in bytes
(uint64), URLs in it (uint32), a checksum (uint64: xxh3 of the block, seeded with length and URLs), and the block, which
is a batch as `crawler.urls.front_coding` writes it.  A file is written front to back, never changed, read front to
back, and removed when all of it has been read.
"""

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from crawler.drum.disk_files import make_folder, remove, write_at
from crawler.urls.batch import UrlBatch
from crawler.urls.front_coding import decode, encode
from sessions.session import SessionError

_VERSION = 1
_MAGIC = b"CWQUEUE" + bytes([_VERSION])
_HEADER = Struct("<QIQ")
_FILE_BYTES = 16 << 20


class FileTraffic(NamedTuple):
    """Bytes read from disk and written to it, and how many URLs these were."""

    read: int = 0
    written: int = 0
    urls_read: int = 0
    urls_written: int = 0

    def plus(self, other: "FileTraffic") -> "FileTraffic":
        """That of both together."""
        return FileTraffic(*map(sum, zip(self, other, strict=True)))


@dataclass(slots=True)
class _File:
    path: Path
    length: int
    at: int


class UrlFiles:
    """Batches in files ``folder/name-000000.urls`` and so on, made when they are needed.

    A file takes blocks until it has ``file_bytes``.  What an earlier run left under these names is written over.
    ``traffic`` is what was read and written so far.
    """

    def __init__(self, folder: Path, name: str, *, file_bytes: int = _FILE_BYTES) -> None:
        self._folder = folder
        self._name = name
        self._file_bytes = file_bytes
        self._files: deque[_File] = deque()
        self._files_made = 0
        self.traffic = FileTraffic()

    def __bool__(self) -> bool:
        """Is there a batch to take?"""
        return bool(self._files)

    def append(self, batch: UrlBatch) -> None:
        """Write a batch behind all others, as a block of its own."""
        file = self._file_to_write()
        block = encode(batch)
        head = b"" if file.length else _MAGIC
        data = head + _HEADER.pack(len(block), len(batch), _checksum(block, len(batch))) + block
        write_at(file.path, file.length, data)
        file.length += len(data)
        self.traffic = self.traffic.plus(FileTraffic(written=len(data), urls_written=len(batch)))

    def take(self) -> UrlBatch:
        """Remove and return the first batch.  Raises SessionError, which names the file, if it is damaged."""
        file = self._files[0]
        try:
            batch, until = _block_of(file)
        except (OSError, ValueError) as error:
            raise SessionError(f"{file.path}, URLs that wait, is damaged at byte {file.at}: {error}") from error
        self.traffic = self.traffic.plus(FileTraffic(read=until - file.at, urls_read=len(batch)))
        file.at = until
        if file.at == file.length:
            remove(file.path)
            self._files.popleft()
        return batch

    def _file_to_write(self) -> _File:
        if not self._files or self._files[-1].length >= self._file_bytes:
            make_folder(self._folder)
            self._files.append(_File(self._folder / f"{self._name}-{self._files_made:06d}.urls", 0, 0))
            self._files_made += 1
        return self._files[-1]


def _block_of(file: _File) -> tuple[UrlBatch, int]:
    """The batch that begins where a file has been read up to, and where it ends."""
    with file.path.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it does not begin with this version's header")
        stream.seek(file.at or len(_MAGIC))
        header = stream.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise ValueError("it is cut off")
        length, count, checksum = _HEADER.unpack(header)
        until = stream.tell() + length
        if until > file.length:
            raise ValueError("a block is longer than the file")
        block = stream.read(length)
        if len(block) < length:
            raise ValueError("it is cut off")
    if _checksum(block, count) != checksum:
        raise ValueError("a block has another checksum")
    batch = decode(block)
    if len(batch) != count:
        raise ValueError(f"a block has {len(batch)} URLs instead of {count}")
    return batch, until


def _checksum(block: bytes, count: int) -> int:
    return xxh3_64_intdigest(block, (count << 32) ^ len(block))

"""Pages that wait, first in, first out: in memory as long as there is room, behind those in files on disk.

A waiting page is there as it will be written if its document is new: its row, and its WARC records ready to be
appended.  So little is left to be done once it need not wait any longer.  On disk each is a chunk of a file
(`crawler.drum.chunk_file`), and is looked at once its checksum has been found right.
"""

import pickle
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crawler.drum.chunk_file import NOTHING, ChunkWriter, Meter, read_chunks
from crawler.drum.disk_files import make_folder, remove
from crawler.urls.targets import PageTargets
from sessions.schema import Page
from sessions.storage.warc import Exchange, Members

_FIXED_BYTES = 2048
_FILES = 8
_FRAME_BYTES = 128
"""At most what stands on disk beside a page: the head of a file, and the length and checksum of a chunk."""


class FoundLinks(NamedTuple):
    """The distinct links of a page, by its site and hash; ``depth`` and ``hops`` are those of the targets."""

    site: str
    source: int
    depth: int
    hops: int
    found: PageTargets


class PendingPage(NamedTuple):
    """A page that waits: its row without a place, its HTTP exchange without the body, and its records.

    Row and exchange have the digests of the document and of the body.  ``links`` are those that are followed only if
    the document is new.
    """

    row: Page
    exchange: Exchange
    members: Members | None
    links: FoundLinks | None


class PageSpool:
    """Pages in order of arrival, in at most ``memory`` bytes of memory and ``disk`` bytes of files in ``folder``.

    The files are made when they are needed, written from front to back, read once, and removed.  Raises SessionError,
    which names the file and the byte, when a page is taken that was damaged there.
    """

    def __init__(self, folder: Path, memory: int, disk: int) -> None:
        self._folder = folder
        self._memory = memory
        self._disk = disk
        self._head: deque[PendingPage] = deque()
        self._head_bytes = 0
        self._files: deque[_PageFile] = deque()
        self._files_made = 0

    def __len__(self) -> int:
        return len(self._head) + sum(len(file) for file in self._files)

    @property
    def taken(self) -> float:
        """The part of the room on disk that is taken; all of it where there is none."""
        return self._on_disk / self._disk if self._disk else 1.0

    @property
    def _on_disk(self) -> int:
        return sum(file.nbytes for file in self._files)

    def extend(self, disk: int) -> None:
        """Let the files take as many bytes, if these are more than before."""
        self._disk = max(self._disk, disk)

    def append(self, page: PendingPage) -> bool:
        """Let a page wait behind all others; False if there is no room for it."""
        size = _bytes_of(page)
        if not self._files and self._head_bytes + size <= self._memory:
            self._head.append(page)
            self._head_bytes += size
            return True
        data = pickle.dumps(page, pickle.HIGHEST_PROTOCOL)
        if self._on_disk + len(data) + _FRAME_BYTES > self._disk:
            return False
        self._last_file().append(data)
        return True

    def take(self, count: int) -> Iterator[PendingPage]:
        """Remove the first ``count`` pages, one at a time; there must be so many.

        To be looped over to the end before anything else is done here.
        """
        in_memory = min(count, len(self._head))
        for _ in range(in_memory):
            page = self._head.popleft()
            self._head_bytes -= _bytes_of(page)
            yield page
        missing = count - in_memory
        while missing:
            file = self._files[0]
            in_file = min(missing, len(file))
            yield from file.take(in_file)
            missing -= in_file
            if not len(file):
                file.remove()
                self._files.popleft()

    def _last_file(self) -> "_PageFile":
        if not self._files or self._files[-1].nbytes >= self._disk // _FILES:
            make_folder(self._folder)
            self._files.append(_PageFile(self._folder / f"waiting-{self._files_made:06d}.pages"))
            self._files_made += 1
        return self._files[-1]


class _PageFile:
    """A file that pages are appended to and read from in order; its length is the number of those not yet read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._header = path.name.encode()
        self._writer = ChunkWriter(path, self._header, Meter())
        self._reading: Iterator[bytearray] = iter(())
        self._read_until = NOTHING
        self._unread = 0

    def __len__(self) -> int:
        return self._unread

    @property
    def nbytes(self) -> int:
        return self._writer.end.length

    def append(self, data: bytes) -> None:
        self._writer.append(data)
        self._unread += 1

    def take(self, count: int) -> Iterator[PendingPage]:
        for _ in range(count):
            page = pickle.loads(self._next_chunk())
            self._unread -= 1
            yield page

    def remove(self) -> None:
        self._reading = iter(())
        remove(self._path)

    def _next_chunk(self) -> bytearray:
        """The next page's chunk: of those that were there when it was last looked, or of those that came since."""
        if (chunk := next(self._reading, None)) is None:
            start, self._read_until = self._read_until, self._writer.end
            self._reading = read_chunks(self._path, self._header, self._read_until, Meter(), start)
            chunk = next(self._reading)
        return chunk


def _bytes_of(page: PendingPage) -> int:
    """What a page takes in memory while it waits, its Python objects estimated."""
    size = _FIXED_BYTES + len(page.exchange.response_head) + len(page.exchange.request_head)
    if page.members is not None:
        size += page.members.nbytes
    if page.links is not None:
        size += page.links.found.targets.nbytes
    return size

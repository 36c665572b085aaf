"""WARC 1.1 files, appended to: read by any tool that knows the format."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64

from sessions.storage.os_errors import naming
from sessions.storage.warc import Exchange, Members, info_record, members_of, naming_info, new_record_id

ROLL_OVER_BYTES = 1 << 30
_WRITE_BEHIND_BYTES = 1 << 20


class Place(NamedTuple):
    """Where a record stands: the file's name, and the offset and length of its gzip member in bytes."""

    file: str
    offset: int
    length: int


class WarcFile:
    """One WARC file, appended to.  Records reach the file whole, in large writes; `flush` forces them out.

    The file is made exclusively: an existing one raises FileExistsError.  ``information`` are fields of its warcinfo
    record beside those that say what wrote it, and in which format; ``info_id`` is that record's id.
    """

    def __init__(self, path: Path, information: Mapping[str, str] | None = None, info_id: bytes = b"") -> None:
        self.path = path
        info_id = info_id or new_record_id()
        self._common = naming_info(info_id)
        self.length = 0
        self._digest = xxh3_64()
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._append(info_record(path.name, info_id, information or {}))

    def append(self, exchange: Exchange) -> Place:
        """Append a page's response record and, if there is a request, its request record."""
        return self.append_members(members_of(exchange, self._common))

    def append_members(self, members: Members) -> Place:
        """Append a page's records; the place is that of the response."""
        place = Place(self.path.name, self.length, len(members.response))
        self._append(members.response, members.request)
        if self._pending_bytes >= _WRITE_BEHIND_BYTES:
            self.flush()
        return place

    def flush(self) -> None:
        """Hand everything appended so far to the operating system."""
        if not self._pending:
            return
        data = b"".join(self._pending)
        self._pending.clear()
        self._pending_bytes = 0
        view = memoryview(data)
        with naming(self.path):
            while view:
                view = view[os.write(self._descriptor, view) :]
        self._digest.update(data)

    def sync(self) -> tuple[int, str]:
        """Force the file to disk; its length in bytes and the xxh3 of that many bytes."""
        self.flush()
        with naming(self.path):
            os.fsync(self._descriptor)
        return self.length, self._digest.hexdigest()

    def close(self) -> None:
        """Flush and close the file; nothing can be appended afterwards."""
        self.flush()
        os.close(self._descriptor)

    def _append(self, *members: bytes) -> None:
        self._pending += members
        size = sum(map(len, members))
        self._pending_bytes += size
        self.length += size


class WarcSeries:
    """A rank's WARC files: one after the other, a new one when the last has grown to ``roll_over`` bytes.

    Each begins with a warcinfo record that has the fields of ``information`` (see `WarcFile`).
    """

    def __init__(
        self,
        folder: Path,
        stem: str,
        roll_over: int = ROLL_OVER_BYTES,
        information: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._stem = stem
        self._information = information
        self._name_next_file()
        self._roll_over = roll_over
        self._count = 0
        self._current: WarcFile | None = None
        self._finished: list[tuple[str, int, str]] = []

    def prepare(self, exchange: Exchange) -> Members:
        """A page's records as they are appended, now or later.

        They name the warcinfo record of the file that the next records go to.  Should they wait for longer than that,
        it is in a file before theirs, and says the same.
        """
        return members_of(exchange, self._common)

    def append(self, members: Members) -> Place:
        """Append a page's records to the current file."""
        current = self._current
        if current is None or current.length >= self._roll_over:
            current = self._next_file()
        place = current.append_members(members)
        if current.length >= self._roll_over:
            self._name_next_file()
        return place

    def sync(self) -> list[tuple[str, int, str]]:
        """Force everything to disk: (name, committed length, xxh3) of the files that grew since the last call."""
        grown, self._finished = self._finished, []
        if self._current is not None:
            grown.append((self._current.path.name, *self._current.sync()))
        return grown

    def flush(self) -> None:
        """Hand everything appended so far to the operating system."""
        if self._current is not None:
            self._current.flush()

    def close(self) -> None:
        """Close the current file."""
        if self._current is not None:
            self._current.close()
            self._current = None

    def _name_next_file(self) -> None:
        self._info_id = new_record_id()
        self._common = naming_info(self._info_id)

    def _next_file(self) -> WarcFile:
        if self._current is not None:
            self._finished.append((self._current.path.name, *self._current.sync()))
            self._current.close()
        path = self._folder / f"{self._stem}-{self._count:05d}.warc.gz"
        self._current = WarcFile(path, self._information, self._info_id)
        self._count += 1
        return self._current

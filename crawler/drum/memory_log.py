"""The memory phase on disk: a log of what changed from commit to commit.

A chunk is a block: keys, then the values they have since that commit; later ones count.  When the log has become much
longer than what it tells, a new one is begun with all that there is.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from crawler.drum.chunk_file import NOTHING, ChunkWriter, End, Meter, read_chunks
from crawler.drum.kind import Kind, Values
from crawler.drum.owned_files import OwnFiles
from sessions.url import Hashes

_LONGEST = 4
"""Entries in a log, over keys in memory, before it is begun anew."""
_SHORTEST = 64
"""Keys in memory, at least, for which that is asked."""
_KEY_BYTES = 8


class MemoryLog:
    """The log of a DRUM, the ``number``-th; ``ends`` has the end of its file, by name, if it is already there."""

    def __init__(
        self, own: OwnFiles, kind: Kind, meter: Meter, number: int = 0, ends: Mapping[str, End] | None = None
    ) -> None:
        self.number = number
        self._entries = 0
        self._own = own
        self._kind = kind
        self._meter = meter
        self._file = self._writer(ends or {})

    @property
    def ends(self) -> dict[str, End]:
        """How far the file goes, by its name; empty if it was not begun."""
        return {} if self._file.end == NOTHING else {self._file.path.name: self._file.end}

    def is_too_long(self, count: int) -> bool:
        """Whether it should be begun anew, with so many keys in memory."""
        return self._entries > _LONGEST * max(count, _SHORTEST)

    def begin_anew(self) -> None:
        """Begin the next log, in place of this one."""
        self.supersede()
        self.number += 1
        self._entries = 0
        self._file = self._writer({})

    def append(self, keys: Hashes, values: Values) -> None:
        """Note that these keys have these values now."""
        self._own.about_to_write(self._file.path)
        self._file.append(keys.tobytes() + values.tobytes())
        self._entries += len(keys)

    def read(self) -> Iterator[tuple[Hashes, Values]]:
        """All entries, in order, once.  Raises SessionError if the file is damaged."""
        for chunk in read_chunks(self._file.path, self._header(), self._file.end, self._meter):
            count = len(chunk) // (_KEY_BYTES + self._kind.value.itemsize)
            values = np.empty(count, self._kind.value)
            if self._kind.rules:
                values = np.frombuffer(chunk, self._kind.value, count, count * _KEY_BYTES)
            self._entries += count
            yield np.frombuffer(chunk, np.uint64, count), values

    def supersede(self) -> None:
        """The log is needed no more."""
        if self._file.end != NOTHING:
            self._own.supersede([self._file.path])

    def _writer(self, ends: Mapping[str, End]) -> ChunkWriter:
        path = self._own.path(f"{self.number:06d}.log")
        return ChunkWriter(path, self._header(), self._meter, ends.get(path.name, NOTHING))

    def _header(self) -> bytes:
        return f"log {self.number} of {self._kind.description()}".encode()

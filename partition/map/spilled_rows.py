"""Rows of a map that is being written, on disk: they are as many as the web has pages."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.url import Hashes

_SCHEMA = pa.schema([("url", pa.large_string()), ("hash", pa.uint64()), ("part", pa.uint16())])


class Rows(NamedTuple):
    """Canonical URLs (large_string[n]), their hashes (uint64[n]) and their parts (uint16[n])."""

    urls: pa.Array
    hashes: Hashes
    parts: npt.NDArray[np.uint16]

    def take(self, order: npt.NDArray[np.integer[Any]]) -> "Rows":
        """The rows in another order, or some of them."""
        return Rows(self.urls.take(pa.array(order)), self.hashes[order], self.parts[order])

    def slice(self, begin: int, end: int) -> "Rows":
        """The rows from one on and below another."""
        return Rows(self.urls.slice(begin, end - begin), self.hashes[begin:end], self.parts[begin:end])


NO_ROWS = Rows(pa.array([], pa.large_string()), np.empty(0, np.uint64), np.empty(0, np.uint16))


class SpilledRows:
    """A file of rows in groups, each of which is read by itself; it is removed at the end of its ``with`` statement."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("x+b")
        self._pieces: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)

    def append(self, rows: Rows, group: int = 0) -> None:
        """Put rows at the end of a group."""
        content = pa.record_batch([rows.urls, pa.array(rows.hashes), pa.array(rows.parts)], _SCHEMA).serialize()
        self._file.seek(self._end)
        self._file.write(content)
        self._pieces[group].append((self._end, len(content)))
        self._end += len(content)

    def read(self, group: int = 0) -> Iterator[Rows]:
        """The rows of a group in the pieces in which they came."""
        for begin, size in self._pieces[group]:
            self._file.seek(begin)
            batch = pa.ipc.read_record_batch(pa.py_buffer(self._file.read(size)), _SCHEMA)
            urls, hashes, parts = batch.columns
            yield Rows(urls, hashes.to_numpy(), parts.to_numpy())

    def all(self, group: int) -> Rows:
        """All rows of a group."""
        pieces = [NO_ROWS, *self.read(group)]
        return Rows(
            pa.concat_arrays([piece.urls for piece in pieces]),
            np.concatenate([piece.hashes for piece in pieces]),
            np.concatenate([piece.parts for piece in pieces]),
        )

"""Rows of a map that is being written, on disk: they are as many as the web has pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from partition.map.spilled_batches import SpilledBatches
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


class SpilledRows(SpilledBatches):
    """A file of rows in groups; it is removed at the end of its ``with`` statement."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _SCHEMA)

    def append(self, rows: Rows, group: int = 0) -> None:
        """Put rows at the end of a group."""
        self.put([rows.urls, rows.hashes, rows.parts], group)

    def read(self, group: int = 0) -> Iterator[Rows]:
        """The rows of a group in the pieces in which they came."""
        for batch in self.batches(group):
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

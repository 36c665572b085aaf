"""The aux strings of a bucket: one stream of UTF-8, read once from front to back for those that are wanted."""

from collections.abc import Iterator

import numpy as np

from crawler.drum.fold_updates import Positions
from sessions.session import SessionError

_LEFT_ALONE = "surrogatepass"  # a lone surrogate is no reason to lose a record


def encoded(strings: list[str]) -> bytes:
    """Strings one after the other, in bytes."""
    return "".join(strings).encode("utf-8", _LEFT_ALONE)


def encoded_lengths(strings: list[str]) -> list[int]:
    """How many bytes each string takes."""
    if "".join(strings).isascii():
        return list(map(len, strings))
    return [len(string.encode("utf-8", _LEFT_ALONE)) for string in strings]


def pieces_of(lengths: Positions, most: int) -> list[int]:
    """Where to cut a row of lengths into pieces of at most ``most`` together, or one alone: the ends of the pieces."""
    sums = np.cumsum(lengths)
    ends: list[int] = []
    end = 0
    while end < len(sums):
        before = int(sums[end - 1]) if end else 0
        end = max(end + 1, int(np.searchsorted(sums, before + most, "right")))
        ends.append(end)
    return ends


class NoAux:
    """The aux strings of records that have none."""

    def parts(self, positions: Positions) -> list[int]:
        """One piece."""
        return [len(positions)] if len(positions) else []

    def read(self, positions: Positions) -> list[str]:
        """Empty strings."""
        return [""] * len(positions)


class AuxStream:
    """The strings of n records out of ``chunks`` of their stream, of which at most about two are held at a time."""

    def __init__(self, chunks: Iterator[bytearray], lengths: Positions, most: int, name: str) -> None:
        self._chunks = chunks
        self._lengths = lengths
        self._ends = np.cumsum(lengths)
        self._most = most
        self._name = name
        self._start = 0
        self._held = bytearray()

    def parts(self, positions: Positions) -> list[int]:
        """Pieces of at most a block of bytes each."""
        return pieces_of(self._lengths.take(positions), self._most)

    def read(self, positions: Positions) -> list[str]:
        """The strings at these positions, ascending and beyond all that were read before."""
        ends = self._ends.take(positions)
        starts = ends - self._lengths.take(positions)
        strings: list[str] = []
        while len(strings) < len(positions):
            done = len(strings)
            self._hold(int(starts[done]), int(ends[done]))
            upto = int(np.searchsorted(ends, self._start + len(self._held), "right"))
            strings += self._cut(starts[done:upto] - self._start, ends[done:upto] - self._start)
        return strings

    def _hold(self, start: int, end: int) -> None:
        """Read on until the bytes from ``start`` to ``end`` are held."""
        while self._start + len(self._held) < end:
            chunk = next(self._chunks, None)
            if chunk is None:
                raise SessionError(f"{self._name}: ends before the strings that its records tell of")
            kept = self._held[max(0, start - self._start) :] if start > self._start else self._held
            self._start += len(self._held) - len(kept)
            self._held = kept + chunk

    def _cut(self, starts: Positions, ends: Positions) -> list[str]:
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        if self._held.isascii():
            text = self._held.decode("ascii")
            return [text[start:end] for start, end in spans]
        return [self._held[start:end].decode("utf-8", _LEFT_ALONE) for start, end in spans]

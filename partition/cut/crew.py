"""Threads that share work whose pieces do not depend on each other: vertices of a level, candidates, whole descents.

Compiled functions run without the interpreter lock (`sessions.compiled`), so Python's threads are enough.  Numba's own
parallel loops are not used: its threading layer `workqueue` must not be entered by two threads at once, as descents
do, GNU OpenMP ends a process that forks after a parallel loop, and TBB is no part of numba's wheel.

Whoever hands in pieces gets the results in the order of the pieces.  As long as a piece looks at nothing that another
changes, they are the same whatever the number of threads.

Each thread has a heap of its own in glibc, from which others get nothing.  So arrays that are large are kept out of
heaps: those of a descent are given back as soon as they are free, which is a seventh of a cut's memory.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

_M_MMAP_THRESHOLD = -3  # malloc.h
_LARGE = 1 << 23  # bytes; with a threshold of a mebibyte cuts took some 7% longer

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Stretch = TypeVar("Stretch", bound=np.generic)


def _keep_large_arrays_out_of_heaps() -> None:
    """Have the C library ask the system for each large array, and give it back; others than glibc do so anyway."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


class Crew:
    """``threads`` threads, 1 at least, until the ``with`` statement ends."""

    def __init__(self, threads: int) -> None:
        self.threads = max(1, threads)
        self._pool = ThreadPoolExecutor(self.threads)
        if self.threads > 1:
            _keep_large_arrays_out_of_heaps()

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        self._pool.shutdown()

    def in_order(self, do: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        """The result for each piece, told as soon as it is there; not to be asked for inside a piece."""
        return self._pool.map(do, pieces)

    def each(self, do: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
        """The result for each piece.

        The thread that asks works on the pieces, too, and threads that have nothing else to do help it.  So a piece may
        ask in its turn: nobody waits for a thread that waits.
        """
        if self.threads == 1 or len(pieces) < 2:
            return [do(piece) for piece in pieces]
        results: dict[int, Result] = {}
        left = iter(range(len(pieces)))  # each number goes to one thread: the interpreter lock sees to it

        def work() -> None:
            for number in left:
                results[number] = do(pieces[number])

        helpers = [self._pool.submit(work) for _ in range(min(self.threads, len(pieces)) - 1)]
        try:
            work()
        finally:
            called = [helper for helper in helpers if not helper.cancel()]
            for helper in called:
                helper.exception()  # waits for it
        for helper in called:
            helper.result()
        return [results[number] for number in range(len(pieces))]

    def stretches(self, numbers: npt.NDArray[Stretch]) -> list[npt.NDArray[Stretch]]:
        """An array cut into as many stretches as there are threads."""
        return np.array_split(numbers, self.threads)


ALONE = Crew(1)
"""The thread that asks, without help."""

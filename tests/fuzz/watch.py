"""Looks over each input: how much processor time it takes, how much memory, and which it is if the process dies."""

import marshal
import mmap
import resource
import struct
import time
from collections import Counter
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_intdigest

from tests.fuzz.target import Check

MOST_SECONDS = 1.0
"""Processor time that one input may take."""
MOST_GROWTH = 256 << 20
"""Bytes by which the peak memory may grow from the first input on."""
MOST_ADDRESSES = 4 << 30
"""Bytes by which the address space may grow: beyond it allocations fail, whatever was asked for."""

_BEGIN = struct.Struct("<QI")
_NOTED_BYTES = 4 << 20


class NotBoundedError(BaseException):
    """An input took too much time or memory.  No `Exception`, so that hypothesis does not try it again and again."""


class Note:
    """A file that both processes see: which input is being looked at, by number, and the input itself."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_bytes(bytes(_BEGIN.size + _NOTED_BYTES))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def write(self, number: int, packed: bytes) -> None:
        """Note down that an input is next."""
        if len(packed) > _NOTED_BYTES:
            packed = marshal.dumps(f"an input of {len(packed)} bytes", 2)
        self._map[: _BEGIN.size + len(packed)] = _BEGIN.pack(number, len(packed)) + packed

    @property
    def number(self) -> int:
        """The number of the input."""
        return int(_BEGIN.unpack_from(self._map)[0])

    def read(self) -> Any:
        """The input; None if there was none yet."""
        size = _BEGIN.unpack_from(self._map)[1]
        return marshal.loads(self._map[_BEGIN.size : _BEGIN.size + size]) if size else None


class Watch:
    """Runs a check on input after input, in one process.

    ``inputs`` counts them, ``hashes`` tells different ones apart, ``outcomes`` counts what the check says of them;
    ``slowest`` is the most processor time, in seconds, that one has taken.  ``failing`` is the smallest input of
    which something did not hold.
    """

    def __init__(
        self, note: Note | None = None, most_seconds: float = MOST_SECONDS, most_growth: int = MOST_GROWTH
    ) -> None:
        self._note = note
        self._most_seconds = most_seconds
        self._most_growth = most_growth
        self._base = 0
        self.inputs = 0
        self.hashes: set[int] = set()
        self.outcomes: Counter[str] = Counter()
        self.slowest = 0.0
        self.failing: Any = None
        self._failing_bytes = 0

    def limit_memory(self) -> None:
        """Let allocations fail that no input has reason for; for good, in this process."""
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MOST_ADDRESSES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def look(self, check: Check, value: Any) -> None:
        """Run the check on an input.  Raises what it raises, and `NotBoundedError`."""
        packed = marshal.dumps(value, 2)
        self.inputs += 1
        self.hashes.add(xxh3_64_intdigest(packed))
        if self._note is not None:
            self._note.write(self.inputs, packed)
        self._base = self._base or peak_memory()
        begin = time.process_time()
        try:
            outcome = check(value)
        except BaseException:
            self._fail(value, len(packed))
            raise
        seconds = time.process_time() - begin
        self.outcomes[outcome] += 1
        self.slowest = max(self.slowest, seconds)
        growth = peak_memory() - self._base
        if seconds > self._most_seconds or growth > self._most_growth:
            self._fail(value, len(packed))
            raise NotBoundedError(f"an input took {seconds:.3f} s; memory has grown by {growth >> 20} MiB")

    def _fail(self, value: Any, size: int) -> None:
        if self.failing is None or size <= self._failing_bytes:
            self.failing, self._failing_bytes = value, size


def peak_memory() -> int:
    """The most bytes of memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

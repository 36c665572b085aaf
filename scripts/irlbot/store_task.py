"""One measurement of scripts/irlbot/bench_drum.py, which calls this in a process of its own: a load put into one store.

python -m scripts.irlbot.store_task '{"store": "DRUM", "keys": 1000000, "budget": 16777216, "aux": 0}'
"""

import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from scripts.irlbot.drum_store import DrumSeen
from scripts.irlbot.other_stores import OTHERS, Seen
from scripts.irlbot.paper_load import LINKS_PER_KEY, batches
from sessions.peak_memory import peak_memory

ROOT = Path(__file__).resolve().parents[2]
STORES = {"DRUM": DrumSeen, **OTHERS}
_BATCH = 1 << 16
_PARTS = 50
"""A small load has at least so many batches."""


@dataclass(frozen=True)
class Task:
    """What one process measures."""

    store: str
    keys: int
    budget: int
    """Bytes of memory."""
    aux: int
    """Bytes of text with each key; DRUM only."""


def main() -> None:
    print(json.dumps(measured(Task(**json.loads(sys.argv[1])))))


class Clock:
    """Wall and CPU seconds of what is done while it runs."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> None:
        self._began = perf_counter(), process_time()

    def __exit__(self, *_: object) -> None:
        self.wall += perf_counter() - self._began[0]
        self.cpu += process_time() - self._began[1]


def measured(task: Task) -> dict[str, Any]:
    """Put the load into a store; its figures."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as folder:
        before, moved_before = _resident(), _moved()
        store = _opened(task, Path(folder))
        clock, spans, wanted = Clock(), Spans(task), 0
        for batch in batches(task.keys, min(_BATCH, -(-LINKS_PER_KEY * task.keys // _PARTS))):
            wanted += int(batch.keys[batch.new].sum())
            given = [str(number).rjust(task.aux, "x") for number in batch.numbers.tolist()] if task.aux else None
            with clock:
                store.put(batch.keys) if given is None else store.put(batch.keys, given)
            spans.went_on(len(batch.keys), clock.wall, store.merges or 0)
        with clock:
            store.finish()
        spans.end(clock.wall)
        moved = [now - then for now, then in zip(_moved(), moved_before, strict=True)]
    if store.unique != task.keys or store.total not in (None, wanted % (1 << 64)):
        sys.exit(f"error: {task.store} found {store.unique:,} new keys where {task.keys:,} came")
    return {
        **asdict(task),
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "operations": spans.operations,
        "wall": clock.wall,
        "cpu": clock.cpu,
        "tenths": spans.tenths,
        "cycles": spans.cycles,
        "merges": store.merges,
        "resident_before": before,
        "peak": peak_memory(),
        "system_read": moved[0],
        "system_written": moved[1],
        **getattr(store, "figures", {}),
    }


def _opened(task: Task, folder: Path) -> Seen:
    return STORES[task.store](folder, task.budget)


class Spans:
    """Operations a second: in each tenth of the load, and from one merge to the next."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.tenths: list[float] = []
        self.cycles: list[tuple[int, float]] = []
        self.operations = 0
        self._tenth = self._cycle = (0, 0.0)
        self._merges = 0

    def went_on(self, operations: int, wall: float, merges: int) -> None:
        """So many more operations, ``wall`` seconds in all."""
        self.operations += operations
        if merges > self._merges:
            self._merges = merges
            self._close_cycle(wall)
        if self.operations >= (len(self.tenths) + 1) * LINKS_PER_KEY * self._task.keys / 10 and len(self.tenths) < 9:
            self._close_tenth(wall)

    def end(self, wall: float) -> None:
        """The store is finished: what that took belongs to the last tenth."""
        self._close_tenth(wall)
        if self._cycle[0] < self.operations:
            self._close_cycle(wall)

    def _close_tenth(self, wall: float) -> None:
        begun, since = self._tenth
        self.tenths.append((self.operations - begun) / (wall - since))
        self._tenth = self.operations, wall
        print(f"  {self.operations:,} operations, {self.tenths[-1]:,.0f} a second", file=sys.stderr)

    def _close_cycle(self, wall: float) -> None:
        begun, since = self._cycle
        self.cycles.append((self.operations - begun, wall - since))
        self._cycle = self.operations, wall


def _resident() -> int:
    """Bytes of memory that this process has now."""
    return _of_process("status", "VmRSS:") * 1024


def _moved() -> list[int]:
    """Bytes that this process has read and written by system calls, from the cache of the system or not."""
    return [_of_process("io", name) for name in ("rchar:", "wchar:")]


def _of_process(file: str, name: str) -> int:
    lines = Path(f"/proc/self/{file}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()

"""`make fuzz`: a hundred thousand damaged inputs and more, on all targets.

FUZZ_INPUTS: how many different inputs at least (100,000).  FUZZ_SEED: the seed; each one gives other inputs.
FUZZ_PROCESSES: how many processes try them.  With names of files that a failing run has left, these inputs are tried
again instead, and nothing else.
"""

import ast
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from math import ceil
from pathlib import Path
from time import monotonic

from xxhash import xxh3_64_hexdigest

from tests.fuzz.batch import BatchResult
from tests.fuzz.crew import Worker
from tests.fuzz.targets import TARGETS
from tests.fuzz.watch import Watch

FAILURES = Path("build/fuzz")
_ROW = "{:<10} {:>9} {:>9} {:>11} {:>9}  {}"


class Total:
    """What a target's batches came to together."""

    def __init__(self, name: str, wanted: int) -> None:
        self.name = name
        self.wanted = wanted
        self.inputs = self.peak = 0
        self.slowest = 0.0
        self.hashes: set[int] = set()
        self.outcomes: Counter[str] = Counter()

    def add(self, result: BatchResult) -> None:
        """Count a batch."""
        self.inputs += result.inputs
        self.hashes |= result.hashes
        self.outcomes += result.outcomes
        self.slowest = max(self.slowest, result.slowest)
        self.peak = max(self.peak, result.peak)

    def __str__(self) -> str:
        came = ", ".join(f"{outcome} {count:,}" for outcome, count in self.outcomes.most_common(8))
        numbers = (f"{self.inputs:,}", f"{len(self.hashes):,}", f"{1000 * self.slowest:.0f}", f"{self.peak >> 20:,}")
        return _ROW.format(self.name, *numbers, came)


def main(again: list[str]) -> int:
    """Run it; the exit status."""
    if again:
        for name in again:
            try_again(Path(name))
        return 0
    wanted = int(os.environ.get("FUZZ_INPUTS") or 100_000)
    seed = int(os.environ.get("FUZZ_SEED") or 4)
    processes = int(os.environ.get("FUZZ_PROCESSES") or os.cpu_count() or 1)
    print(f"FUZZ_SEED={seed} FUZZ_INPUTS={wanted} FUZZ_PROCESSES={processes}", flush=True)
    print(_ROW.format("target", "inputs", "different", "slowest ms", "peak MiB", "what came of them"), flush=True)
    begin = monotonic()
    totals = [Total(target.name, ceil(wanted * target.share)) for target in TARGETS.values()]
    failed = fuzz(totals, seed, processes)
    different = sum(len(total.hashes) for total in totals)
    print(f"{different:,} different inputs in {monotonic() - begin:.0f} s: {'FAILED' if failed else 'all is well'}")
    return 1 if failed else 0


def fuzz(totals: list[Total], seed: int, processes: int) -> bool:
    """Try batches until each target has had as many different inputs as are wanted, or one fails; whether one did."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(processes) as threads:
        crew = [Worker(Path(scratch), number, seed) for number in range(processes)]
        try:
            for total in totals:
                failures = _try_batches(total, threads, crew)
                print(total, flush=True)
                for failure in failures:
                    _tell(total.name, failure)
                if failures:
                    return True
            return False
        finally:
            for worker in crew:
                worker.end()


def _try_batches(total: Total, threads: ThreadPoolExecutor, crew: list[Worker]) -> list[BatchResult]:
    """As many batches of a target as it needs; those that failed."""
    numbers = count()
    at_work: dict[Future[BatchResult], Worker] = {}
    free, failures = list(crew), []
    while True:
        while free and not failures and len(total.hashes) < total.wanted:
            worker = free.pop()
            at_work[threads.submit(worker.try_batch, total.name, next(numbers))] = worker
        if not at_work:
            return failures
        for future in wait(at_work, return_when=FIRST_COMPLETED).done:
            free.append(at_work.pop(future))
            result = future.result()
            total.add(result)
            if result.failure:
                failures.append(result)


def _tell(name: str, result: BatchResult) -> None:
    """Say what failed, and keep the input."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    text = ascii((name, result.failing))
    path = FAILURES / f"{name}-{xxh3_64_hexdigest(text.encode())}.txt"
    path.write_text(text, encoding="ascii")
    print(f"{result.failure}\nThe input is in {path}; to try it again: python -m tests.fuzz {path}")


def try_again(path: Path) -> None:
    """Try an input that failed; raises what it raises."""
    name, value = ast.literal_eval(path.read_text(encoding="ascii"))
    watch = Watch()
    with TARGETS[name].opened() as check:
        watch.look(check, value)
    print(f"{path}: {', '.join(watch.outcomes)} in {1000 * watch.slowest:.0f} ms")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

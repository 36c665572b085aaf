"""Worker processes that try batches: one of them may crash or hang, and it is known at which input."""

import multiprocessing
import signal
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz.batch import BatchResult, run_batch
from tests.fuzz.watch import Note, Watch

HANGS_AFTER_SECONDS = 60.0
"""Of wall time at one input: an input that never ends takes no processor time to its end."""

_SPAWN = multiprocessing.get_context("spawn")


class Worker:
    """A process that tries batch after batch; ``scratch`` is a folder for what it notes down.

    ``source`` is the module that has the targets; ``patience`` is how long one input may take, in seconds.
    """

    def __init__(
        self,
        scratch: Path,
        number: int,
        seed: int,
        source: str = "tests.fuzz.targets",
        patience: float = HANGS_AFTER_SECONDS,
    ) -> None:
        self._patience = patience
        self._note = Note(scratch / f"worker-{number}")
        self._connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(theirs, self._note.path, seed, source), daemon=True)
        self._process.start()
        theirs.close()

    def try_batch(self, target: str, number: int) -> BatchResult:
        """A batch's result; a crash or a hang of the process is one too, and the worker is of no use after it."""
        self._connection.send((target, number))
        at_input = -1
        while not self._connection.poll(self._patience):
            if self._note.number == at_input:
                self._process.kill()
                return BatchResult(failure=f"no end after {self._patience} s", failing=self._note.read())
            at_input = self._note.number
        try:
            result = self._connection.recv()
        except EOFError:
            self._process.join()
            return BatchResult(failure=_cause(self._process.exitcode or 0), failing=self._note.read())
        assert isinstance(result, BatchResult)
        return result

    def end(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join(10.0)
        self._process.kill()


def _cause(code: int) -> str:
    return f"the process died: {signal.Signals(-code).name if code < 0 else code}"


def _work(connection: Connection, path: Path, seed: int, source: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    note, targets = Note(path), import_module(source).TARGETS
    Watch().limit_memory()
    while True:
        try:
            name, number = connection.recv()
        except EOFError:
            return
        connection.send(run_batch(targets[name], number, seed, Watch(note)))

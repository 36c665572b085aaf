"""Many trials, each in a process of its own, so that none inherits another's memory, caches or end."""

import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from traceback import format_exc

from partition.graphs.link_graph import LinkGraph
from partition.map.manifest import MapError
from partition.quality.fork_server import fork_server
from partition.quality.request import QualityRequest, Trial
from partition.quality.trial import Outcome, run_trial

Progress = Callable[[Outcome, int, int], None]
"""Called after each trial with what came of it, how many are done, and of how many."""

_GRAPH = "graph.pickle"


@dataclass(frozen=True)
class _Failure:
    """Why a process could not do its trial; ``is_a_bug`` if it is no fault of the user's or the machine's."""

    text: str
    is_a_bug: bool


def run_trials(
    graph: LinkGraph, trials: Sequence[Trial], request: QualityRequest, folder: Path, progress: Progress | None = None
) -> list[Outcome]:
    """Run all trials, ``request.jobs`` at a time, and return what came of each, in order.

    ``folder`` is for what the processes leave each other; it may be removed afterwards.  Raises MapError if a map
    cannot be written.  A process that is killed, as the kernel does when memory runs out, is an outcome with a reason.
    """
    with (folder / _GRAPH).open("wb") as file:
        pickle.dump(graph, file, protocol=pickle.HIGHEST_PROTOCOL)
    outcomes: dict[Trial, Outcome] = {}
    for outcome in _as_they_end(trials, request, folder):
        outcomes[outcome.trial] = outcome
        if progress:
            progress(outcome, len(outcomes), len(trials))
    return [outcomes[trial] for trial in trials]


def _as_they_end(trials: Sequence[Trial], request: QualityRequest, folder: Path) -> Iterator[Outcome]:
    longest_first = sorted(trials, key=lambda trial: -trial.k)
    waiting = list(reversed(longest_first))  # so that none of them is left at the end
    with _running() as running:
        while waiting or running:
            while waiting and len(running) < request.jobs:
                trial = waiting.pop()
                _start(trial, request, folder, running)
            for connection in set(running) & set(wait(list(running))):
                trial, process = running[connection]
                yield _outcome(connection, trial, process)
                del running[connection]


@contextmanager
def _running() -> Iterator[dict[Connection, tuple[Trial, BaseProcess]]]:
    """A place for the processes that run; those that still do when it is left are ended."""
    running: dict[Connection, tuple[Trial, BaseProcess]] = {}
    try:
        yield running
    finally:
        for connection, (_, process) in running.items():
            if process.pid is not None:
                process.kill()
                process.join()
            connection.close()


def _start(
    trial: Trial, request: QualityRequest, folder: Path, running: dict[Connection, tuple[Trial, BaseProcess]]
) -> None:
    context = fork_server()
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, trial, request, folder))
    running[here] = (trial, process)  # first, lest an interruption leave a process that nobody ends
    with _signals_wait():
        process.start()
    there.close()


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Within it no handler runs: of a start that was cut short the fork server would complain with a traceback."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, set(filter(_is_handled, signal.valid_signals())))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _is_handled(number: int) -> bool:
    return callable(signal.getsignal(number))


def _work(connection: Connection, trial: Trial, request: QualityRequest, folder: Path) -> None:
    """Do one trial in this process, and send what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the report means its process, which ends this one
    sent = _result(trial, request, folder)
    with suppress(BrokenPipeError):  # who asked has ended
        connection.send(sent)


def _result(trial: Trial, request: QualityRequest, folder: Path) -> Outcome | _Failure:
    try:
        with (folder / _GRAPH).open("rb") as file:
            graph = pickle.load(file)
        return run_trial(graph, trial, request, folder)
    except MapError as error:
        return _Failure(str(error), is_a_bug=False)
    except MemoryError:
        return Outcome(trial, reason="there is not enough memory")
    except Exception:
        return _Failure(format_exc(), is_a_bug=True)


def _outcome(connection: Connection, trial: Trial, process: BaseProcess) -> Outcome:
    try:
        sent = connection.recv()
    except (EOFError, OSError):
        sent = None
    process.join()
    connection.close()
    if isinstance(sent, Outcome):
        return sent
    if sent is None:
        code = process.exitcode or 0
        how = f"was killed (signal {-code})" if code < 0 else f"ended with exit code {code}"
        return Outcome(trial, reason=f"its process {how}; there may not be enough memory")
    assert isinstance(sent, _Failure)
    if sent.is_a_bug:
        raise RuntimeError(f"{trial}: {sent.text}")
    raise MapError(sent.text)

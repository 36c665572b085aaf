"""Ending a rank by a second signal, whatever its main thread does."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from crawler.process.end_at_once import ending_on_second_signal

PROGRAM = """
import ctypes, signal, sys
from crawler.process import end_at_once
from crawler.process.stop_signals import StopSignal

end_at_once.REPETITION_SECONDS = float(sys.argv[1])
StopSignal().listen()
with end_at_once.ending_on_second_signal("rank 0", {abort}, has_launcher={launcher}):
    print("there", flush=True)
    while True:
        ctypes.CDLL(None).sleep(1000)  # as deep in C code as a collective of MPI
"""


def deep_in_c(repetition: float, abort: str = "lambda code: None", launcher: bool = False) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM.format(abort=abort, launcher=launcher), str(repetition)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    return process


def send_until(process: subprocess.Popen[str], number: int, is_done: Callable[[], object]) -> None:
    while not is_done():
        process.send_signal(number)
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_a_process_that_is_deep_in_c(number: signal.Signals) -> None:
    process = deep_in_c(0.0)
    send_until(process, number, lambda: process.poll() is not None)
    assert process.returncode == 128 + number
    assert process.communicate()[1].startswith(
        "rank 0: asked to stop a second time: it ends at once; what was committed"
    )


def test_a_signal_that_is_repeated_at_once_is_one() -> None:
    process = deep_in_c(1000.0)
    for _ in range(50):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            process.send_signal(number)
    process.send_signal(signal.SIGUSR2)
    told, error = process.communicate()
    assert (process.returncode, told) == (128 + signal.SIGUSR2, "")
    assert error == "rank 0: told to end at once; what was committed is kept\n"


def test_what_does_not_answer_keeps_nothing_from_its_end() -> None:
    process = deep_in_c(0.0, abort="lambda code: ctypes.CDLL(None).sleep(1000)")
    process.send_signal(signal.SIGUSR2)
    assert process.wait(30) == 128 + signal.SIGUSR2
    process.communicate()


def test_a_rank_ends_when_what_has_started_it_is_gone() -> None:
    program = PROGRAM.format(abort="lambda code: None", launcher=True)
    above = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', *sys.argv[1:]]); sys.stdin.read()"
    command = [sys.executable, "-c", above, program, "0"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "there\n"
        process.kill()
        assert "the process that started it is gone" in process.stderr.read()  # which ends when the rank does


def test_afterwards_signals_are_as_before() -> None:
    handler = signal.getsignal(signal.SIGUSR2)
    with ending_on_second_signal("rank 0", lambda code: None, has_launcher=False):
        assert signal.getsignal(signal.SIGUSR2) != handler
    assert signal.getsignal(signal.SIGUSR2) == handler
    assert signal.set_wakeup_fd(-1) == -1

"""A time limit that holds in C code."""

import os
import signal
import subprocess
import sys

import pytest

WORDS = "lambda: print('too late', flush=True) or {answer}"
CODE = """
import ctypes, os
from crawler.process.killed_after import killed_after
with killed_after({seconds}, {words}):
    {within}
print("in time", flush=True)
"""
HELD = "ctypes.PyDLL(None).sleep(60)"
"""Python's lock is not given up meanwhile."""


@pytest.mark.parametrize(
    ("seconds", "answer", "within", "said", "code"),
    [
        (0.2, True, HELD, "too late\n", -signal.SIGKILL),
        (0.2, False, HELD, "too late\n", -signal.SIGKILL),
        (0.0, False, "ctypes.PyDLL(None).usleep(200_000)", "too late\nin time\n", 0),
        (60, True, "pass", "in time\n", 0),
        (60, True, "os.kill(os.getpid(), 9)", "", -signal.SIGKILL),
    ],
)
def test_a_limit(seconds: float, answer: bool, within: str, said: str, code: int) -> None:
    text = CODE.format(seconds=seconds, words=WORDS.format(answer=answer), within=within)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=50, env=os.environ)
    assert (done.stdout, done.stderr, done.returncode) == (said, "", code)

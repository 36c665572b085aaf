"""Targets that are the death of the process that tries them, for the test of the fuzzer itself."""

import os
import signal

from hypothesis import strategies as st

from tests.fuzz.target import Target, alone


def _kill(value: int) -> str:
    if value > 1000:
        os.kill(os.getpid(), signal.SIGSEGV)
    return "alive"


def _hang(value: int) -> str:
    while value > 1000:
        signal.pause()
    return "alive"


TARGETS = {
    name: Target(name, st.integers(0, 1 << 32), alone(check), 1.0) for name, check in (("kill", _kill), ("hang", _hang))
}

"""The most memory that a process has had."""

import subprocess
import sys
from pathlib import Path

import pytest

from sessions import peak_memory as module
from sessions.peak_memory import forget_peak, peak_memory

_ASK = "from sessions.peak_memory import peak_memory; print(peak_memory())"

HOLDS = """
import numpy as np
from sessions.peak_memory import forget_peak, peak_memory
forget_peak()
before = peak_memory()
held = np.ones(20_000_000)
assert peak_memory() > before + 100e6
del held
with_array = peak_memory()
forget_peak()
assert peak_memory() <= with_array
"""


def test_what_was_given_back_still_counts() -> None:
    block = bytearray(b"x") * (64 << 20)
    del block
    assert peak_memory() >= 64 << 20


def test_a_small_process_does_not_answer_for_the_large_one_that_started_it() -> None:
    block = bytearray(b"x") * (512 << 20)
    told = int(subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True).stdout)
    assert 0 < told < len(block) / 2


def test_the_peak_is_what_was_held_since_it_was_forgotten() -> None:
    # In a process of its own: here, libraries give memory back when they like.
    subprocess.run([sys.executable, "-c", HOLDS], check=True)


@pytest.mark.parametrize("status", [None, "Name:\tpython\nVmRSS:\t1 kB\n"], ids=["no status", "no peak in it"])
def test_where_the_system_tells_nothing_the_largest_ever_is_told(
    status: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if status is not None:
        (tmp_path / "status").write_text(status)
    monkeypatch.setattr(module, "_STATUS", tmp_path / "status")
    monkeypatch.setattr(module, "_CLEAR_REFS", Path("/no/such/file"))
    forget_peak()
    assert 1e6 < peak_memory() < 1e12

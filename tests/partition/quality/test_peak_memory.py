"""The peak of this process's peak_memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from partition.quality import peak_memory
from partition.quality.peak_memory import forget_peak, peak_bytes

HOLDS = """
import numpy as np
from partition.quality.peak_memory import forget_peak, peak_bytes
forget_peak()
before = peak_bytes()
held = np.ones(20_000_000)
assert peak_bytes() > before + 100e6
del held
with_array = peak_bytes()
forget_peak()
assert peak_bytes() <= with_array
"""


def test_the_peak_is_what_was_held_since_it_was_forgotten() -> None:
    # In a process of its own: here, libraries give memory back when they like.
    subprocess.run([sys.executable, "-c", HOLDS], check=True)


def test_where_the_system_tells_nothing_the_largest_ever_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak_memory, "_STATUS", Path("/no/such/file"))
    monkeypatch.setattr(peak_memory, "_CLEAR_REFS", Path("/no/such/file"))
    forget_peak()
    assert 1e6 < peak_bytes() < 1e12

"""The most memory that a process has had."""

import subprocess
import sys

from crawler.process.peak_memory import peak_memory

_ASK = "from crawler.process.peak_memory import peak_memory; print(peak_memory())"


def test_what_was_given_back_still_counts() -> None:
    block = bytearray(b"x") * (64 << 20)
    del block
    assert peak_memory() >= 64 << 20


def test_a_small_process_does_not_answer_for_the_large_one_that_started_it() -> None:
    block = bytearray(b"x") * (512 << 20)
    told = int(subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True).stdout)
    assert 0 < told < len(block) / 2

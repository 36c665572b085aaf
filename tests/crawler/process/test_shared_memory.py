"""What killed ranks leave in shared memory is removed, and nothing else."""

import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.process.shared_memory import FOLDER, remove_shared_memory, shared_memory_of

NAME = f"mpich_shm_cutwebtest{os.getpid()}_0"


@pytest.fixture
def segment() -> Iterator[Path]:
    path = FOLDER / NAME
    path.write_bytes(bytes(mmap.PAGESIZE))
    yield path
    path.unlink(missing_ok=True)


def test_a_segment_stays_while_a_process_has_it(segment: Path) -> None:
    with segment.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        assert NAME in shared_memory_of(os.getpid())
        assert remove_shared_memory([NAME]) == []
    assert segment.exists()
    assert remove_shared_memory([NAME]) == [NAME]
    assert not segment.exists()


@pytest.mark.parametrize("name", ["../tmp/x", "other", "", "mpich_shm_x/../../etc", "mpich_shm_that_is_gone"])
def test_nothing_but_segments_is_removed(name: str) -> None:
    assert remove_shared_memory([name]) == []


def test_a_process_that_is_gone_has_none() -> None:
    assert shared_memory_of(1 << 30) == ()

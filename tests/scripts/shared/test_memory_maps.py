"""What a process holds by its mappings: what it has written is its own, what it has read of a file is not."""

import mmap
from pathlib import Path

import pytest

from scripts.shared.memory_maps import memory_of

BYTES = 32 << 20
NEARLY = BYTES // 2


def test_only_what_is_written_is_own(tmp_path: Path) -> None:
    file = tmp_path / "library"
    file.write_bytes(bytes(range(256)) * (BYTES // 256))
    before = memory_of()
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        assert sum(mapped[:: mmap.PAGESIZE]) == 0
        read = memory_of()
        assert read["Rss"] - before["Rss"] > NEARLY > read["Own"] - before["Own"]
    with mmap.mmap(-1, BYTES, flags=mmap.MAP_PRIVATE) as written:  # a list might take memory that lies ready
        written.write(b"x" * BYTES)
        assert memory_of()["Own"] - read["Own"] > NEARLY


def test_a_process_that_is_not_there_cannot_be_looked_at(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="smaps_rollup"):
        memory_of(tmp_path)
    (tmp_path / "smaps_rollup").write_text("")
    assert memory_of(tmp_path) == {}

"""What is read of a rank's memory, and that ranks on one machine have the map in common."""

from pathlib import Path

from partition.map.partition_map import PartitionMap
from scripts.bench import map_memory
from sessions.url import url_hashes

SMAPS = """\
5581c0a00000-5581c0c00000 r-xp 00001000 fd:00 123  /usr/bin/my python
Size:               2048 kB
Rss:                 100 kB
Pss:                  50 kB
THPeligible:           0
VmFlags: rd ex mr mw me
5581c0c00000-5581c0d00000 rw-p 00000000 00:00 0  [heap]
Rss:                  10 kB
Pss:                  10 kB
5581c0d00000-5581c0e00000 rw-p 00000000 00:00 0
Rss:                   4 kB
Pss:                   4 kB
7f0000000000-7f0000001000 r--s 00000000 fd:00 124  /usr/bin/my python
Rss:                   8 kB
Pss:                   2 kB
"""


def test_memory_by_file() -> None:
    found = map_memory.memory_by_file(SMAPS)
    assert {file: (memory["Rss"], memory["Pss"]) for file, memory in found.items()} == {
        "/usr/bin/my python": (108 << 10, 52 << 10),
        "": (14 << 10, 14 << 10),
    }


def test_memory_of_this_process_adds_up() -> None:
    by_file = map_memory.memory_by_file(Path("/proc/self/smaps").read_text())
    assert 10 << 20 < sum(memory["Rss"] for memory in by_file.values()) < 10 << 30
    assert any("python" in file for file in by_file)


def test_ranks_have_the_map_in_common(tmp_path: Path) -> None:
    count, folder = 20_000, tmp_path / "map"
    map_memory.make_map(folder, count)
    held = PartitionMap.open(folder)
    assert len(held) == count
    urls = map_memory.urls_of(0, count)
    assert set(held.parts_of(url_hashes(urls), urls).tolist()) == set(range(map_memory.PARTS))
    del held
    run = map_memory.measured(folder, count, 2)
    assert len(run) == 2
    in_files = sum(path.stat().st_size for path in folder.glob("*.bin"))
    for rank in run:
        assert 0.95 * in_files < rank["map"]["Rss"] < rank["process"]["Rss"] <= rank["peak"] + (1 << 20)
    assert sum(rank["map"]["Pss"] for rank in run) < 1.1 * max(rank["map"]["Rss"] for rank in run)
    lines = map_memory.told(count, in_files, [run[:1], run]).splitlines()
    assert lines[0].startswith("A map of 20,000 URLs")
    assert [line.split(" | ")[0] for line in lines[4:]] == ["| 1", "| 2"]

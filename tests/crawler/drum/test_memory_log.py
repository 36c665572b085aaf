"""The log of the memory phase."""

from pathlib import Path

import numpy as np

from crawler.drum.chunk_file import Meter
from crawler.drum.memory_log import MemoryLog
from crawler.drum.owned_files import OwnFiles
from tests.crawler.drum.support.oracle import KINDS


def test_entries_are_read_as_they_were_appended(tmp_path: Path) -> None:
    for name, kind in KINDS.items():
        own = OwnFiles(tmp_path, name.replace(" ", "-"), {})
        log = MemoryLog(own, kind, Meter())
        assert log.ends == {}
        keys = [np.array([1, 5], np.uint64), np.array([0], np.uint64)]
        for some in keys:
            log.append(some, np.zeros(len(some), kind.value))
        again = MemoryLog(own, kind, Meter(), 0, log.ends)
        read = list(again.read())
        assert [some.tolist() for some, _ in read] == [[1, 5], [0]]
        assert all(values.dtype == kind.value and len(values) == len(some) for some, values in read)


def test_a_log_that_is_long_for_what_it_tells_is_begun_anew(tmp_path: Path) -> None:
    kind = KINDS["set"]
    own = OwnFiles(tmp_path, "x", {})
    log = MemoryLog(own, kind, Meter())
    keys = np.arange(100, dtype=np.uint64)
    for _ in range(4):
        log.append(keys, np.zeros(100, kind.value))
    assert not log.is_too_long(100)
    log.append(keys[:1], np.zeros(1, kind.value))
    assert log.is_too_long(100)
    again = MemoryLog(own, kind, Meter(), 0, log.ends)
    assert len(list(again.read())) == 5
    assert again.is_too_long(100)
    log.begin_anew()
    assert not log.is_too_long(1)
    assert list(tmp_path.iterdir()) == []
    log.append(keys, np.zeros(100, kind.value))
    assert [path.name for path in tmp_path.iterdir()] == list(log.ends) == ["x.000001.log"]
    log.supersede()
    assert list(tmp_path.iterdir()) == []

"""Byte strings in a file, over commits and crashes."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.blobs import Blobs
from sessions.session import SessionError
from tests.crawler.drum.support.crashing import CrashingDisk

STRINGS = st.lists(st.binary(max_size=30), max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blobs")


@settings(deadline=None, derandomize=True)
@given(STRINGS, STRINGS, STRINGS, st.sampled_from([0, 40, 1000]))
def test_strings_are_read_again_as_of_the_last_commit(
    folder: Path, before: list[bytes], lost: list[bytes], after: list[bytes], memory: int
) -> None:
    blobs = Blobs(folder, "robots", memory=memory)
    first = blobs.append(before).tolist()
    record = json.loads(json.dumps(blobs.commit()))
    blobs.committed(record)
    blobs.append(lost)
    blobs.close()
    blobs = Blobs(folder, "robots", memory=memory, record=record)
    second = [offset for string in after for offset in blobs.append([string]).tolist()]
    for offset, string in zip(first + second, before + after, strict=True):
        assert blobs.read(offset, len(string)) == string
    blobs.close()


def test_a_commit_is_safe_from_a_crash(tmp_path: Path) -> None:
    disk = CrashingDisk(tmp_path)
    disk.start()
    try:
        blobs = Blobs(tmp_path, "robots")
        record = None
        for number in range(20):
            offsets = blobs.append([b"a" * number, b"b"]).tolist()
            record = blobs.commit()
            blobs.append([b"lost"])
            blobs.close()
            disk.crash(random.Random(number))
            blobs = Blobs(tmp_path, "robots", record=record)
            assert blobs.read(offsets[0], number) == b"a" * number
            assert blobs.read(offsets[1], 1) == b"b"
    finally:
        disk.stop()


def test_damage_is_found(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path, "robots")
    (offset,) = blobs.append([b"abcdef"]).tolist()
    record = blobs.commit()
    for wrong in ((offset + 1, 6), (offset, 5), (offset, 100)):
        with pytest.raises(SessionError, match=r"robots\.blobs: damaged at byte"):
            blobs.read(*wrong)
    path = tmp_path / "robots.blobs"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(SessionError, match=r"robots\.blobs: damaged at byte"):
        blobs.read(offset, 6)
    blobs.close()
    path.write_bytes(content[:-1])
    with pytest.raises(SessionError, match=r"robots\.blobs: 29 bytes, but 30 were committed"):
        Blobs(tmp_path, "robots", record=record)
    path.unlink()
    with pytest.raises(SessionError, match=r"robots\.blobs: 0 bytes, but 30 were committed"):
        Blobs(tmp_path, "robots", record=record)


def test_without_a_record_it_begins_empty(tmp_path: Path) -> None:
    Blobs(tmp_path / "sub", "robots").append([b"x"])
    blobs = Blobs(tmp_path / "sub", "robots")
    assert list((tmp_path / "sub").iterdir()) == []
    assert blobs.commit() == {"length": 0}
    with pytest.raises(SessionError, match=r"robots\.blobs: No such file"):
        blobs.read(16, 1)

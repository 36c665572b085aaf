"""Byte strings in a file, found again by offset."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.blobs import Blobs
from sessions.session import SessionError

STRINGS = st.lists(st.binary(max_size=30), max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blobs")


@settings(deadline=None, derandomize=True)
@given(STRINGS, STRINGS, st.sampled_from([0, 40, 1000]))
def test_strings_are_read_as_they_were_appended(
    folder: Path, together: list[bytes], one_by_one: list[bytes], memory: int
) -> None:
    blobs = Blobs(folder, "robots", memory=memory)
    offsets = blobs.append(together).tolist()
    offsets += [offset for string in one_by_one for offset in blobs.append([string]).tolist()]
    for offset, string in zip(offsets, together + one_by_one, strict=True):
        assert blobs.read(offset, len(string)) == string
    blobs.close()


def test_damage_is_found(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path, "robots")
    (offset,) = blobs.append([b"abcdef"]).tolist()
    for wrong in ((offset + 1, 6), (offset, 5), (offset, 100)):
        with pytest.raises(SessionError, match=r"robots\.blobs: damaged at byte"):
            blobs.read(*wrong)
    path = tmp_path / "robots.blobs"
    content = bytearray(path.read_bytes())
    path.write_bytes(content[:-1])
    with pytest.raises(SessionError, match=r"robots\.blobs: damaged at byte"):
        blobs.read(offset, 6)
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(SessionError, match=r"robots\.blobs: damaged at byte"):
        blobs.read(offset, 6)
    blobs.close()


def test_it_begins_empty(tmp_path: Path) -> None:
    Blobs(tmp_path / "sub", "robots").append([b"x"])
    blobs = Blobs(tmp_path / "sub", "robots")
    assert list((tmp_path / "sub").iterdir()) == []
    with pytest.raises(SessionError, match=r"robots\.blobs: No such file"):
        blobs.read(16, 1)

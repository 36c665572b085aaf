"""The files of a DRUM and of byte strings: how they are written, whose they are, what is damage."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum import disk_files
from crawler.drum.aux_file import AuxStream, NoAux, encoded, encoded_lengths, pieces_of
from crawler.drum.blobs import Blobs
from crawler.drum.disk_files import OwnFiles
from sessions.session import SessionError


def test_files_are_written_made_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    disk_files.make_folder(folder)
    disk_files.make_folder(folder)
    path = folder / "x"
    disk_files.write_at(path, 0, b"abcdef")
    disk_files.write_at(path, 6, b"ghi")
    assert path.read_bytes() == b"abcdefghi"
    disk_files.write_at(path, 4, b"")
    assert path.read_bytes() == b"abcdefghi"
    disk_files.remove(path)
    disk_files.remove(path)
    assert not path.exists()


def test_no_folder_is_made_in_one_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        disk_files.make_folder(tmp_path / "session" / "rank")
    assert not (tmp_path / "session").exists()


def test_a_full_disk_is_reported_with_the_name_of_the_file() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        disk_files.write_at(Path("/dev/full"), 0, b"x")


# The files of one DRUM: those of an earlier process go, and the folder comes with the first.


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def make(folder: Path, *files: str) -> None:
    for name in files:
        (folder / name).write_bytes(b"0123456789")


def test_at_the_start_files_of_this_name_go_and_no_others(tmp_path: Path) -> None:
    others = ["x.blobs", "xy.000001.aux", "x-y.000001.sorted", "y.000001.records"]
    make(tmp_path, "x.000000.0001.aux", "x.000000.0001.records", "x.000003.sorted", *others)
    OwnFiles(tmp_path, "x")
    assert names(tmp_path) == sorted(others)


def test_files_that_were_read_to_their_end_are_removed(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path, "x")
    make(tmp_path, "x.1.sorted", "x.2.sorted")
    own.remove([own.path("1.sorted"), own.path("0.sorted")])
    assert names(tmp_path) == ["x.2.sorted"]


def test_the_folder_is_made_for_the_first_file(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path / "a", "x")
    assert own.path("1.sorted") == tmp_path / "a" / "x.1.sorted"
    assert names(tmp_path) == []
    own.make_folder()
    own.make_folder()
    assert names(tmp_path) == ["a"]


# Byte strings in a file, found again by offset.

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


# Strings of a stream, taken out of its chunks.

TEXT = st.text(max_size=20) | st.just("\ud800 alone") | st.text("ab", max_size=5)


def chunks_of(data: bytes, size: int) -> list[bytearray]:
    return [bytearray(data[start : start + size]) for start in range(0, len(data), size)]


@given(st.lists(TEXT, max_size=30), st.integers(1, 60), st.integers(1, 60), st.data())
def test_the_wanted_strings_come_as_they_were(strings: list[str], chunk: int, most: int, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.booleans(), min_size=len(strings), max_size=len(strings)))
    lengths = np.array(encoded_lengths(strings), np.int64)
    assert int(lengths.sum()) == len(encoded(strings))
    stream = AuxStream(iter(chunks_of(encoded(strings), chunk)), lengths, most, "x")
    positions = np.flatnonzero(np.array(wanted, bool))
    ends = stream.parts(positions)
    starts = [0, *ends][:-1]
    got = [stream.read(positions[start:end]) for start, end in zip(starts, ends, strict=True)]
    assert [string for piece in got for string in piece] == [strings[position] for position in positions.tolist()]
    assert all(len(piece) == 1 or len(encoded(piece)) <= most for piece in got)


def test_a_stream_that_ends_early_is_damage() -> None:
    stream = AuxStream(iter([bytearray(b"ab")]), np.array([2, 1]), 10, "bucket 3")
    with pytest.raises(SessionError, match="bucket 3"):
        stream.read(np.array([0, 1]))


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 12))
def test_pieces_are_as_long_as_they_may_be(lengths: list[int], most: int) -> None:
    ends = pieces_of(np.array(lengths, np.int64), most)
    starts = [0, *ends][:-1]
    assert ends[-1:] == [len(lengths)][: len(lengths)]
    for start, end in zip(starts, ends, strict=False):
        assert sum(lengths[start:end]) <= most or end == start + 1
        assert end == len(lengths) or sum(lengths[start : end + 1]) > most


def test_records_without_strings_have_empty_ones() -> None:
    none = NoAux()
    assert none.parts(np.array([4, 7])) == [2]
    assert none.parts(np.array([], np.int64)) == []
    assert none.read(np.array([4, 7])) == ["", ""]

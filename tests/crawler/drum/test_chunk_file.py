"""Files of chunks: what was written is read, and nothing else is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.drum.chunk_file import NOTHING, ChunkWriter, FileEnd, Meter, read_chunks
from sessions.session import SessionError


def written(path: Path, chunks: list[bytes], meter: Meter | None = None) -> FileEnd:
    writer = ChunkWriter(path, b"header", meter or Meter())
    for chunk in chunks:
        writer.append(chunk)
    return writer.end


def read(
    path: Path, end: FileEnd, header: bytes = b"header", meter: Meter | None = None, start: FileEnd = NOTHING
) -> list[bytes]:
    return [bytes(chunk) for chunk in read_chunks(path, header, end, meter or Meter(), start)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chunks") / "x.sorted"


@given(st.lists(st.binary(max_size=40), max_size=6), st.lists(st.binary(max_size=40), max_size=6))
def test_chunks_are_read_as_they_were_written(path: Path, before: list[bytes], after: list[bytes]) -> None:
    path.unlink(missing_ok=True)
    writer = ChunkWriter(path, b"header", Meter())
    for chunk in before:
        writer.append(chunk)
    end = writer.end
    assert read(path, end) == before
    for chunk in after:
        writer.append(chunk)
    assert read(path, end) == before
    assert read(path, writer.end) == before + after
    assert read(path, writer.end, start=end) == after


def test_what_is_read_from_within_must_be_what_was_written_there(tmp_path: Path) -> None:
    path = tmp_path / "y.log"
    writer = ChunkWriter(path, b"header", Meter())
    ends = []
    for chunk in (b"abc", b"abc", b"abc"):
        writer.append(chunk)
        ends.append(writer.end)
    assert read(path, ends[1], start=ends[0]) == [b"abc"]
    with pytest.raises(SessionError, match=r"y\.log: damaged at byte"):
        read(path, ends[2], start=ends[1]._replace(checksum=ends[0].checksum))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert read(path, ends[1], start=ends[0]) == [b"abc"]
    with pytest.raises(SessionError, match=rf"y\.log: damaged at byte {ends[1].length}"):
        read(path, ends[2], start=ends[1])


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=4), st.data())
def test_any_byte_that_is_another_is_found(path: Path, chunks: list[bytes], data: st.DataObject) -> None:
    path.unlink(missing_ok=True)
    end = written(path, chunks)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(SessionError, match=r"x\.sorted"):
        read(path, end)


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=4), st.data())
def test_a_file_that_is_too_short_is_found(path: Path, chunks: list[bytes], data: st.DataObject) -> None:
    path.unlink(missing_ok=True)
    end = written(path, chunks)
    path.write_bytes(path.read_bytes()[: data.draw(st.integers(0, end.length - 1))])
    with pytest.raises(SessionError, match=r"x\.sorted"):
        read(path, end)


def test_a_file_that_is_gone_or_another_is_named(tmp_path: Path) -> None:
    path = tmp_path / "y.log"
    with pytest.raises(SessionError, match=r"y\.log: No such file"):
        read(path, FileEnd(100, 1))
    end = written(path, [b"a"])
    with pytest.raises(SessionError, match=r"y\.log: is header, not other"):
        read(path, end, b"other")
    longer = written(path, [b"b", b"c"])
    with pytest.raises(SessionError, match=r"y\.log: damaged at byte"):
        read(path, end)
    with pytest.raises(SessionError, match=r"y\.log: damaged at byte"):
        read(path, longer._replace(checksum=longer.checksum ^ 1))


def test_a_file_that_was_not_begun_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path / "none", NOTHING) == []


def test_bytes_are_counted(tmp_path: Path) -> None:
    meter = Meter()
    end = written(tmp_path / "z", [b"abc", b"d"], meter)
    assert meter.written == end.length == (tmp_path / "z").stat().st_size
    read(tmp_path / "z", end, meter=meter)
    assert meter.read == end.length

"""Files unpacked by what they are, not by what they are called."""

import gzip
import os
import random
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing import gzip_files
from sessions.importing.gzip_files import lines, pieces
from sessions.importing.source import SourceError

TEXT = b"".join(b"line %d\n" % number for number in range(2000))


def content(path: Path) -> bytes:
    return b"".join(piece.data for piece in pieces(path))


@given(st.lists(st.binary(max_size=3000), max_size=5), st.booleans())
def test_what_was_packed_comes_out(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], is_padded: bool
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.txt"
    path.write_bytes((b"\0" * 9 * is_padded).join(map(gzip.compress, parts)) + b"\0" * 5 * (is_padded and bool(parts)))
    assert content(path) == b"".join(parts)


@given(st.binary(max_size=3000))
def test_what_was_not_packed_is_as_it_is(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "x.gz"
    path.write_bytes(b"-" + data)
    assert content(path) == b"-" + data


def test_pieces_are_small_and_know_where_they_are_from(tmp_path: Path) -> None:
    path = tmp_path / "large"
    large = bytes(20 << 20)
    members = [gzip.compress(TEXT), gzip.compress(large), gzip.compress(random.Random(1).randbytes(200_000))]
    path.write_bytes(b"".join(members))
    found = list(pieces(path))
    assert max(len(piece.data) for piece in found) <= 1 << 20
    starts = [0, len(members[0]), len(members[0]) + len(members[1])]
    assert sorted({piece.origin for piece in found}) == starts
    assert b"".join(piece.data for piece in found if piece.origin == starts[1]) == large
    assert found[-1].read == path.stat().st_size
    path.write_bytes(large)
    assert [(piece.origin, piece.read) for piece in pieces(path)][1] == (1 << 16, (1 << 16) + (1 << 20))


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(gzip.compress(TEXT)))
    writer.start()
    assert content(path) == TEXT
    writer.join()


@pytest.mark.parametrize("length", [1, 2, 11, 100, -1, -4, -8])
def test_a_packed_file_that_ends_too_early(tmp_path: Path, length: int) -> None:
    first, second = gzip.compress(TEXT), gzip.compress(TEXT[::-1])
    path = tmp_path / "cut.gz"
    path.write_bytes(first + second[:length])
    size = path.stat().st_size
    place = f"{path}: offset {size}: the file ends in the middle of the gzip member that begins at offset {len(first)}"
    with pytest.raises(SourceError, match=f"^{place}$"):
        content(path)


@pytest.mark.parametrize("at", [2, 3, 50, 400, -1, -7])
def test_a_packed_file_that_is_damaged(tmp_path: Path, at: int) -> None:
    first, second = gzip.compress(TEXT), bytearray(gzip.compress(TEXT[::-1]))
    second[at] ^= 0xFF
    path = tmp_path / "damaged.gz"
    path.write_bytes(first + second)
    with pytest.raises(
        SourceError, match=rf"^{path}: offset \d+: .* {len(first)}|^{path}: offset {len(first)}: a damaged"
    ):
        content(path)


def test_what_follows_a_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "longer.gz"
    path.write_bytes(gzip.compress(TEXT) + b"more")
    with pytest.raises(SourceError, match=f"offset {len(gzip.compress(TEXT))}: what follows"):
        content(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"^{tmp_path}/none: No such file or directory$"):
        content(tmp_path / "none")
    with pytest.raises(SourceError, match=f"^{tmp_path}: is a folder, not a file$"):
        content(tmp_path)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_lines(tmp_path: Path, end: bytes, is_packed: bool) -> None:
    path = tmp_path / "list"
    text = end.join([b"\xef\xbb\xbfone", b"", b" two\t", "drei \N{LATIN SMALL LETTER U WITH DIAERESIS}".encode()])
    path.write_bytes(gzip.compress(text) if is_packed else text)
    assert list(lines(path)) == [(1, b"one"), (2, b""), (3, b" two\t"), (4, b"drei \xc3\xbc")]
    path.write_bytes(b"one" + end)
    assert list(lines(path)) == [(1, b"one")]
    path.write_bytes(b"")
    assert list(lines(path)) == []


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gzip_files, "LONGEST_LINE", 100)
    path = tmp_path / "list"
    path.write_bytes(b"one\n" + bytes(200))
    with pytest.raises(SourceError, match=f"^{path}: line 2: longer than 100 bytes"):
        list(lines(path))

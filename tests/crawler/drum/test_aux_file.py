"""Strings of a stream, taken out of its chunks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.drum.aux_file import AuxStream, NoAux, encoded, encoded_lengths, pieces_of
from sessions.session import SessionError

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

"""Numbers as they travel."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partition.map.url_numbers import decode_numbers, encode_all_numbers, encode_numbers


def ascending(numbers: list[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(sorted(numbers), np.int64)


NUMBERS = st.one_of(
    st.lists(st.integers(0, 300)), st.lists(st.integers(0, 2**63 - 1)), st.lists(st.integers(0, 50), min_size=200)
)


@given(NUMBERS)
@example([])
@example([0])
@example([2**63 - 1])
@example([127, 128, 16383 + 128, 2**56])
@example([7] * 1000)
def test_what_is_encoded_is_decoded(numbers: list[int]) -> None:
    decoded = decode_numbers(memoryview(bytearray(encode_numbers(ascending(numbers)))))
    assert decoded.dtype == np.int64
    assert decoded.tolist() == sorted(numbers)


def test_neighbours_take_about_a_byte_and_runs_much_less() -> None:
    random = np.sort(np.random.default_rng(2).choice(1_000_000, 20_000, replace=False))
    assert len(encode_numbers(random)) < 1.2 * len(random)
    assert len(encode_numbers(np.arange(20_000))) < 100
    assert encode_numbers(np.empty(0, np.int64)) == b""


@given(st.binary(min_size=1, max_size=60))
@example(b"\0")
@example(b"\0\x80")
@example(b"\0" + b"\xff" * 9 + b"\0")
@example(b"\1\0\0\0")
@example(b"\1\xff\0\0\0abc")
def test_other_bytes_are_refused_or_some_numbers(data: bytes) -> None:
    try:
        numbers = decode_numbers(data)
    except ValueError as error:
        assert "damaged numbers" in str(error)  # noqa: PT017
    else:
        assert len(numbers)


@pytest.mark.parametrize("data", [b"\0", b"\0\x80", b"\0" + b"\xff" * 9 + b"\0", b"\1\0\0\0", b"\2\0"])
def test_what_cannot_be_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="damaged numbers"):
        decode_numbers(data)


@given(st.lists(NUMBERS, max_size=6))
def test_of_many_sequences_each_is_encoded_as_if_alone(sequences: list[list[int]]) -> None:
    bounds = np.cumsum([0, *map(len, sequences)])
    together = np.concatenate([np.empty(0, np.int64), *map(ascending, sequences)])
    assert encode_all_numbers(together, bounds) == [encode_numbers(ascending(numbers)) for numbers in sequences]

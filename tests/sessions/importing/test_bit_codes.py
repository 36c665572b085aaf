"""The codes of WebGraph, against a writer of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing.bit_codes import BROKEN, Code, read_coded, read_gamma, read_unary
from tests.sessions.importing.support.bvwriter import as_bytes, coded

CODES = [(code, 1) for code in Code] + [(Code.ZETA, 2), (Code.ZETA, 3), (Code.ZETA, 7), (Code.GOLOMB, 3)]
CODES += [(Code.GOLOMB, 8), (Code.GOLOMB, 13)]
SMALL = {Code.UNARY, Code.GOLOMB}
"""Codes in which a large number is very long."""


def stream(bits: str) -> np.ndarray:
    return np.frombuffer(as_bytes(bits), np.uint8)


@pytest.mark.parametrize(
    ("code", "k", "number", "bits"),
    [
        (Code.UNARY, 1, 0, "1"),
        (Code.UNARY, 1, 3, "0001"),
        (Code.GAMMA, 1, 0, "1"),
        (Code.GAMMA, 1, 1, "010"),
        (Code.GAMMA, 1, 6, "00111"),
        (Code.DELTA, 1, 0, "1"),
        (Code.DELTA, 1, 1, "0100"),
        (Code.DELTA, 1, 7, "00100000"),
        (Code.ZETA, 3, 0, "100"),
        (Code.ZETA, 3, 1, "1010"),
        (Code.ZETA, 3, 6, "1111"),
        (Code.ZETA, 3, 7, "0100000"),
        (Code.NIBBLE, 1, 5, "1101"),
        (Code.NIBBLE, 1, 8, "00011000"),
        (Code.GOLOMB, 3, 5, "0111"),
    ],
)
def test_codes_of_the_papers(code: Code, k: int, number: int, bits: str) -> None:
    assert read_coded(stream(bits), len(bits), 0, code, k) == (number, len(bits))


@given(st.sampled_from(CODES), st.lists(st.integers(0, (1 << 50) - 1)), st.integers(0, 20))
def test_what_was_written_is_read(how: tuple[Code, int], numbers: list[int], position: int) -> None:
    code, k = how
    if code in SMALL:
        numbers = [number % 500 for number in numbers]
    bits = "0" * position + "".join(coded(number, code, k) for number in numbers)
    data = stream(bits)
    for number in numbers:
        value, position = read_coded(data, len(bits), position, code, k)
        assert value == number
    assert position == len(bits)


@given(st.sampled_from(CODES), st.integers(0, (1 << 50) - 1), st.data())
def test_a_number_that_is_cut_off_is_broken(how: tuple[Code, int], number: int, data: st.DataObject) -> None:
    code, k = how
    bits = coded(number % 500 if code in SMALL else number, code, k)
    end = data.draw(st.integers(0, len(bits) - 1))
    value, position = read_coded(stream(bits[:end]), end, 0, code, k)
    assert value == BROKEN
    assert position <= (end + 7) // 8 * 8


@given(st.binary(max_size=40), st.integers(0, 320), st.sampled_from(CODES))
def test_any_bits_give_a_number_or_none_and_an_end(data: bytes, position: int, how: tuple[Code, int]) -> None:
    end = 8 * len(data)
    position = min(position, end)
    value, after = read_coded(np.frombuffer(data, np.uint8), end, position, *how)
    assert value >= BROKEN
    assert position <= after <= end
    assert value == BROKEN or after > position


def test_numbers_that_no_graph_needs_are_broken() -> None:
    for code, k in CODES:
        if code not in SMALL:
            bits = coded(1 << 64, code, k)
            assert read_coded(stream(bits), len(bits), 0, code, k)[0] == BROKEN


def test_bits_behind_the_end_are_not_looked_at() -> None:
    data = stream("00000001")
    assert read_unary(data, 8, 0) == (7, 8)
    assert read_unary(data, 7, 0)[0] == BROKEN
    assert read_gamma(stream("0001111"), 6, 0)[0] == BROKEN

"""Gzip members, read by Python's own gzip."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.storage.gzip_members import compressed_member, stored_member


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_members_one_after_the_other_hold_what_they_were_made_of(parts: list[bytes]) -> None:
    for make in (compressed_member, stored_member):
        assert gzip.decompress(b"".join(map(make, parts))) == b"".join(parts)


@pytest.mark.parametrize("length", [1, 0xFFFE, 0xFFFF, 0x10000, 2 * 0xFFFF, 2 * 0xFFFF + 1])
def test_a_stored_member_is_as_long_as_its_data_and_little_more(length: int) -> None:
    member = stored_member(bytes(length))
    assert gzip.decompress(member) == bytes(length)
    assert length < len(member) <= length + 18 + 5 * (1 + length // 0xFFFF)

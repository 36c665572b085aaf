"""Hashes in order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.map.hash_index import HashOrder, bucket_bits_for, order_bytes, order_of
from sessions.url import Hashes

# few leading bytes and few trailing ones, so that hashes share buckets and rests
HASHES = st.builds(
    lambda head, middle, tail: head << 56 | middle << 24 | tail,
    st.sampled_from([0, 1, 0x7F, 0xFF]),
    st.sampled_from([0, 1, 0xFFFFFFFF]),
    st.sampled_from([0, 1, 2, 0xFFFFFF]),
)


def order_with(hashes: Hashes, bits: int) -> HashOrder:
    data = order_of(np.sort(hashes), bits)
    assert len(data) == order_bytes(len(hashes), bits)
    return HashOrder(data, len(hashes), bits)


@given(st.sets(HASHES), st.lists(HASHES, max_size=30), st.sampled_from([8, 16]))
def test_a_hash_is_found_if_and_only_if_it_was_put_in(hashes: set[int], asked: list[int], bits: int) -> None:
    ascending = sorted(hashes)
    order = order_with(np.array(ascending, np.uint64), bits)
    expected = [ascending.index(wanted) if wanted in hashes else -1 for wanted in asked]
    assert order.find(np.array(asked, np.uint64)).tolist() == expected
    assert order.find(np.array(ascending, np.uint64)).tolist() == list(range(len(ascending)))


@pytest.mark.parametrize("bits", [8, 16, 24])
def test_many_hashes_are_found_and_their_neighbours_are_not(bits: int) -> None:
    hashes = np.unique(np.random.default_rng(1).integers(0, 2**64, 5000, np.uint64))
    order = order_with(hashes, bits)
    assert order.find(hashes).tolist() == list(range(len(hashes)))
    assert (order.find(hashes + np.uint64(1)) == -1).all()
    assert (order.find(hashes ^ np.uint64(1 << 63)) == -1).all()


def test_buckets_are_as_many_as_make_the_fewest_bytes() -> None:
    assert [bucket_bits_for(count) for count in (0, 1000, 10**6, 10**9)] == [8, 8, 16, 24]
    assert order_bytes(10**6, 16) / 10**6 < 6.3

"""Maps of format 1 are read: hashes in order, numbers in few bits, prefixes, and all of it together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.map.format_1 import HashOrder, order_bytes
from partition.map.packed_integers import PackedIntegers, packed, packed_bytes, width_for
from partition.map.prefix_table import PrefixTable, make_trie, numbers_in
from sessions.url import Hashes
from tests.partition.map.support.format_1 import bucket_bits_for, order_of

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


# Integers of any number of bytes.


@given(st.integers(1, 8), st.lists(st.integers(0, 2**64 - 1), max_size=20), st.randoms(use_true_random=False))
def test_what_is_packed_is_read_at_any_place(width: int, values: list[int], random) -> None:  # type: ignore[no-untyped-def]
    data = packed(np.array(values, np.uint64), width)
    assert len(data) == len(values) * width
    padded = data + bytes(packed_bytes(len(values), width) - len(data))
    integers = PackedIntegers(padded, len(values), width)
    places = random.choices(range(len(values)), k=30) if values else []
    assert len(integers) == len(values)
    assert integers.take(np.array(places, np.int64)).tolist() == [values[place] % 256**width for place in places]


@pytest.mark.parametrize(
    ("largest", "width"), [(0, 1), (255, 1), (256, 2), (65535, 2), (65536, 3), (2**24, 4), (2**64 - 1, 8)]
)
def test_as_few_bytes_as_it_takes(largest: int, width: int) -> None:
    assert width_for(largest) == width


# The longest prefix in a table.

TEXTS = st.text("ab/", min_size=1, max_size=6)


@given(st.dictionaries(TEXTS, st.integers(0, 300)), st.lists(TEXTS, max_size=20))
def test_the_longest_string_that_a_text_begins_with(part_of: dict[str, int], asked: list[str]) -> None:
    trie = make_trie(list(part_of))
    parts = np.zeros(len(part_of), np.uint16)
    parts[numbers_in(trie, list(part_of))] = list(part_of.values())
    table = PrefixTable(trie, parts)
    assert len(table) == len(part_of)
    for text in asked:
        prefixes = [prefix for prefix in part_of if text.startswith(prefix)]
        assert table.longest_match(text) == (part_of[max(prefixes, key=len)] if prefixes else -1)
        assert table.part_of(text) == part_of.get(text, -1)

"""Pages of a site that are like others."""

from collections import OrderedDict, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.intake.duplicates import near_duplicates
from crawler.intake.duplicates.near_duplicates import NearDuplicates


@pytest.mark.parametrize("bits", [0, 1, 3, 64])
def test_hashes_may_differ_in_so_many_bits(bits: int) -> None:
    for difference in range(65):
        near = NearDuplicates(bits)
        assert not near.meets("a.example", 0)
        assert near.meets("a.example", (1 << difference) - 1) == (difference <= bits)


def test_sites_have_nothing_to_do_with_each_other() -> None:
    near = NearDuplicates(3)
    assert not near.meets("a.example", 5)
    assert not near.meets("b.example", 5)
    assert near.meets("a.example", 5)


def test_near_duplicates_are_not_remembered_themselves() -> None:
    near = NearDuplicates(1)
    assert [near.meets("a.example", value) for value in (0b0, 0b1, 0b11)] == [False, True, False]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 40) | st.integers(0, 2**64 - 1)), max_size=120),
    st.integers(0, 2),
)
def test_the_last_pages_of_the_last_sites_are_known(pages: list[tuple[str, int]], bits: int) -> None:
    sites: OrderedDict[str, deque[int]] = OrderedDict()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_duplicates, "PAGES_PER_SITE", 16)
        patch.setattr(near_duplicates, "_SITES", 3)
        near = NearDuplicates(bits)
        for site, simhash in pages:
            known = sites.setdefault(site, deque(maxlen=16))
            sites.move_to_end(site)
            while len(sites) > 3:
                sites.popitem(last=False)
            is_near = any((simhash ^ one).bit_count() <= bits for one in known)
            assert near.meets(site, simhash) == is_near
            if not is_near:
                known.append(simhash)

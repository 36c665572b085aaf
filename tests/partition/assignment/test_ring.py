"""Consistent hashing: against its definition, and who moves when K changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.assignment.hashing import PageHash
from partition.assignment.ring import PLACES, HashRing, PageRing, SiteRing
from sessions.url import Hashes, site_of, url_hash, url_hashes

WORD = 2**64
KS = st.integers(1, 24)
HASHES = st.lists(st.integers(0, WORD - 1), max_size=50)
SPREAD = np.random.default_rng(3).integers(0, WORD, 100_000, dtype=np.uint64)


def array(hashes: list[int]) -> Hashes:
    return np.array(hashes, np.uint64)


def places(rank: int) -> list[int]:
    """Where a rank stands, by the definition of splitmix64 in whole numbers."""
    found = []
    for number in range(rank * PLACES, (rank + 1) * PLACES):
        mixed = (number + 1) * 0x9E3779B97F4A7C15 % WORD
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % WORD
        found.append(mixed ^ (mixed >> 31))
    return found


@given(st.integers(1, 3), HASHES, st.data())
def test_the_owner_is_the_rank_at_the_next_place(ranks: int, hashes: list[int], data: st.DataObject) -> None:
    own = [(place, rank) for rank in range(ranks) for place in places(rank)]
    at = data.draw(st.lists(st.sampled_from(own), max_size=5))  # on a place, and right after one
    hashes += [(place + step) % WORD for place, _ in at for step in (0, 1)]
    owners = HashRing(ranks).owners(array(hashes)).tolist()
    assert owners == [min(own, key=lambda one, it=it: ((one[0] - it) % WORD, one[1]))[1] for it in hashes]


@given(KS, st.integers(1, 8), HASHES)
def test_with_more_ranks_pages_move_to_the_new_ones_only(ranks: int, more: int, hashes: list[int]) -> None:
    before, after = (HashRing(k).owners(array(hashes)) for k in (ranks, ranks + more))
    assert ((after == before) | (after >= ranks)).all()


@pytest.mark.parametrize("ranks", [1, 8, 63])
@pytest.mark.parametrize("more", [1, 8])
def test_what_moves_is_what_the_new_ranks_own(ranks: int, more: int) -> None:
    small, large = HashRing(ranks), HashRing(ranks + more)
    moved = (small.owners(SPREAD) != large.owners(SPREAD)).mean()
    assert moved == pytest.approx(large.shares()[ranks:].sum(), abs=0.005)
    assert moved == pytest.approx(more / (ranks + more), rel=0.15)
    by_modulo = PageHash(ranks).owners(SPREAD, []) != PageHash(ranks + more).owners(SPREAD, [])
    assert ranks == 1 or moved <= by_modulo.mean() + 0.005


@pytest.mark.parametrize("ranks", [1, 2, 8, 64, 300])
def test_shares_are_those_of_the_ring_and_about_even(ranks: int) -> None:
    """Deviations of an arc's length are about 1/sqrt(PLACES) = 3%; four of them are far out."""
    shares = HashRing(ranks).shares()
    assert shares.sum() == pytest.approx(1)
    assert np.abs(ranks * shares - 1).max() < (4 / PLACES**0.5 if ranks > 1 else 1e-9)
    counts = np.bincount(HashRing(ranks).owners(SPREAD), minlength=ranks)
    assert counts / len(SPREAD) == pytest.approx(shares, abs=5 * (shares.max() / len(SPREAD)) ** 0.5)


@given(KS, st.lists(st.sampled_from(["http://a.example/", "http://b.example/1", "https://b.example:8443/2"])))
def test_pages_go_by_their_hash_and_sites_by_theirs(ranks: int, urls: list[str]) -> None:
    ring, hashes = HashRing(ranks), url_hashes(urls)
    assert PageRing(ranks).owners(hashes, urls).tolist() == ring.owners(hashes).tolist()
    assert SiteRing(ranks).owners(hashes, urls).tolist() == [ring.owner(url_hash(site_of(url))) for url in urls]

"""Pairs of domains on their way to the ranks that count them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.referrals import NewReferrals, Referrals, owners, pair_keys
from sessions.url import Hashes

PLENTY = 1 << 20


def hashes(numbers: object) -> Hashes:
    """Numbers spread as hashes are."""
    return np.array(numbers, np.uint64).reshape(-1) * np.uint64(0xD6E8FEB86659FD93)


def pairs_of(taken: Referrals) -> list[tuple[int, int]]:
    return list(zip(taken.sources.tolist(), taken.domains.tolist(), strict=True))


def test_a_pair_is_sent_once_and_a_domain_does_not_refer_to_itself() -> None:
    new = NewReferrals(PLENTY)
    new.add(hashes([1, 1, 1, 2]), hashes([2, 2, 1, 1]))
    new.add(hashes([1]), hashes([2]))
    a, b = hashes([1, 2]).tolist()
    assert sorted(pairs_of(new.take())) == sorted([(a, b), (b, a)])
    new.add(hashes([1]), hashes([2]))
    assert pairs_of(new.take()) == []


def test_one_source_for_many_links() -> None:
    new = NewReferrals(PLENTY)
    new.add(np.full(3, hashes(1)[0]), hashes([1, 2, 3]))
    assert len(new.take().domains) == 2


LINKS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=30)


@settings(deadline=None, derandomize=True)
@given(st.lists(LINKS, max_size=8), st.integers(0, 3), st.sets(st.integers(0, 7)))
def test_everything_between_domains_is_sent_however_little_is_remembered(
    batches: list[list[tuple[int, int]]], remembered: int, takes: set[int]
) -> None:
    new = NewReferrals(remembered * 500)
    sent: list[tuple[int, int]] = []
    for number, batch in enumerate(batches):
        sources, domains = np.array(batch, np.int64).reshape(-1, 2).T
        new.add(hashes(sources), hashes(domains))
        if number in takes:
            sent += pairs_of(new.take())
    sent += pairs_of(new.take())
    links = {(source, domain) for batch in batches for source, domain in batch if source != domain}
    expected = {tuple(hashes(pair).tolist()) for pair in links}
    assert set(sent) == expected
    if remembered * 500 >= 2 * 4 * 8 * 72:
        assert len(sent) == len(expected)


def test_many_links_are_sifted_before_they_are_taken() -> None:
    new = NewReferrals(PLENTY)
    random = np.random.default_rng(3)
    sources, domains = random.integers(1, 60, (2, 100_000))
    for start in range(0, 100_000, 1000):
        new.add(hashes(sources[start : start + 1000]), hashes(domains[start : start + 1000]))
        assert new._unsifted_links < 1 << 14
    assert len(new.take().domains) == 59 * 58


def test_keys_of_pairs_are_distinct_and_spread_over_all_prefixes() -> None:
    random = np.random.default_rng(7)
    sources = np.repeat(random.integers(0, 2**64 - 1, 1000, np.uint64), 1000)
    domains = np.tile(random.integers(0, 2**64 - 1, 1000, np.uint64), 1000)
    keys = pair_keys(Referrals(sources, domains))
    assert len(np.unique(keys)) == len(keys)
    spread = np.bincount((keys >> np.uint64(58)).astype(np.int64), minlength=64)
    assert spread.max() < 1.05 * len(keys) / 64 < 1.1 * spread.min()
    assert not (pair_keys(Referrals(domains, sources)) == keys).any()


def test_the_key_of_a_pair_has_the_same_owner_as_its_domain() -> None:
    random = np.random.default_rng(8)
    sources, domains = random.integers(0, 2**64 - 1, (2, 10_000), np.uint64)
    keys = pair_keys(Referrals(sources, domains))
    for ranks in (1, 2, 3, 48):
        assert (owners(keys, ranks) == owners(domains, ranks)).all()
        shares = np.bincount(owners(domains, ranks), minlength=ranks)
        assert shares.min() > 0.6 * len(domains) / ranks

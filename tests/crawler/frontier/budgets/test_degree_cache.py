"""In-degrees as a rank was told."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.degree_cache import KnownDegrees
from crawler.frontier.budgets.ranking import Degrees
from sessions.url import Hashes

PLENTY = 1 << 20


def hashes(numbers: object) -> Hashes:
    return np.array(numbers, np.uint64).reshape(-1)


def degrees(numbers: object) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
    return np.array(numbers, np.uint32).reshape(-1)


def note(known: KnownDegrees, domains: Hashes, degrees: Degrees) -> None:
    """Of domains of which no URL waits anywhere."""
    known.note(domains, degrees, *(np.zeros(len(domains), np.int64) for _ in range(2)))


def renew(known: KnownDegrees, domains: Hashes, degrees: Degrees) -> None:
    """Likewise."""
    known.renew(domains, degrees, *(np.zeros(len(domains), np.int64) for _ in range(2)))


def test_what_was_told_last_holds_and_what_never_was_is_0() -> None:
    known = KnownDegrees(PLENTY)
    note(known, hashes([5, 6]), degrees([50, 60]))
    note(known, hashes([6, 7]), degrees([61, 70]))
    assert known.of(hashes([5, 6, 7, 8])).tolist() == [50, 61, 70, 0]
    assert [known.of_one(domain) for domain in (5, 6, 7, 8)] == [50, 61, 70, 0]
    assert len(known) == 3


def test_to_renew_what_is_not_known_does_not_make_it_known() -> None:
    known = KnownDegrees(PLENTY)
    note(known, hashes([5]), degrees([50]))
    renew(known, hashes([5, 6]), degrees([51, 60]))
    assert known.of(hashes([5, 6])).tolist() == [51, 0]


def test_a_domain_in_both_generations_is_renewed_in_both() -> None:
    known = KnownDegrees(2 * 4 * 20 * 2)
    note(known, hashes([5, 6]), degrees([50, 60]))
    note(known, hashes([7]), degrees([70]))
    note(known, hashes([5]), degrees([51]))
    assert known.of(hashes([5, 6, 7])).tolist() == [51, 60, 70]
    renew(known, hashes([5, 6, 7]), degrees([1, 2, 3]))
    assert known.of(hashes([5, 6, 7])).tolist() == [1, 2, 3]
    assert [known.of_one(domain) for domain in (5, 6, 7)] == [1, 2, 3]
    note(known, hashes([8]), degrees([80]))
    assert known.of(hashes([5, 6, 7, 8])).tolist() == [1, 0, 3, 80]


def test_what_is_looked_for_in_vain_is_noted_once() -> None:
    known = KnownDegrees(PLENTY)
    note(known, hashes([5]), degrees([0]))
    known.of(hashes([5, 6, 7, 6]))
    known.of_one(8)
    known.of_one(5)
    assert sorted(known.take_missing().tolist()) == [6, 7, 8]
    assert known.take_missing().tolist() == []


def test_not_more_is_noted_than_can_be_asked_for() -> None:
    known = KnownDegrees(PLENTY)
    known.of(hashes(range(1, 100_000)))
    known.of(hashes([100_001]))
    known.of_one(100_002)
    assert len(known.take_missing()) == 1 << 16
    known.of_one(100_002)
    assert known.take_missing().tolist() == [100_002]


def test_all_have_their_turn() -> None:
    known = KnownDegrees(PLENTY)
    assert known.in_turn(10).tolist() == []
    random = np.random.default_rng(5)
    domains = random.integers(1, 2**63, 105, np.uint64)
    note(known, domains, degrees(np.ones(105)))
    turns = [known.in_turn(10) for _ in range(11)]
    assert max(map(len, turns)) == 10
    assert np.concatenate(turns).tolist() == sorted(domains.tolist()), "near ones together"
    assert sorted(np.concatenate(turns).tolist()) == sorted(domains.tolist())
    assert sorted(np.concatenate([known.in_turn(10) for _ in range(11)]).tolist()) == sorted(domains.tolist())


@settings(deadline=None, derandomize=True)
@given(st.lists(st.dictionaries(st.integers(1, 40), st.integers(0, 9)), max_size=12), st.integers(0, 6000))
def test_it_knows_what_it_was_told_or_nothing(told: list[dict[int, int]], budget: int) -> None:
    known = KnownDegrees(budget)
    latest: dict[int, int] = {}
    for batch in told:
        note(known, hashes(list(batch)), degrees(list(batch.values())))
        latest |= batch
        assert known.of(hashes(list(batch))).tolist() == list(batch.values())
        everything = list(range(1, 41))
        for domain, degree in zip(everything, known.of(hashes(everything)).tolist(), strict=True):
            assert degree in (0, latest.get(domain, 0))
            assert known.of_one(domain) == degree


def numbers(some: list[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(some, np.int64)


def test_a_part_is_what_waits_here_of_what_waits_on_all_ranks() -> None:
    known = KnownDegrees(PLENTY)
    known.note(hashes([5, 6, 7]), degrees([1, 1, 1]), numbers([3, 0, 4]), numbers([12, 9, 2]))
    assert known.parts(hashes([5, 6, 7, 8])).tolist() == [1 / 4, 1, 1, 1], "never more than all"
    known.renew(hashes([5, 8]), degrees([1, 1]), numbers([6, 1]), numbers([12, 2]))
    assert known.parts(hashes([5, 8])).tolist() == [1 / 2, 1]
    assert known.told(hashes([5, 6, 7, 8])).tolist() == [6, 0, 4, 0]


@settings(deadline=None, derandomize=True)
@given(st.lists(st.dictionaries(st.integers(1, 40), st.integers(0, 9)), max_size=20), st.integers(0, 4000))
def test_what_was_told_is_known_or_was_forgotten_and_given_back(batches: list[dict[int, int]], budget: int) -> None:
    known = KnownDegrees(budget)
    standing = dict.fromkeys(range(1, 41), 0)
    for batch in batches:
        domains, told = hashes(list(batch)), numbers(list(batch.values()))
        standing.update(batch)
        known.note(domains, degrees([0] * len(batch)), told, told)
        forgotten, given = known.take_forgotten()
        assert len(set(forgotten.tolist())) == len(forgotten)
        for domain, number in zip(forgotten.tolist(), given.tolist(), strict=True):
            assert number == standing[domain] != 0
            standing[domain] = 0
        assert known.told(hashes(list(standing))).tolist() == list(standing.values())

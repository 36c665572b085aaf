"""When others are let in, against a model that remembers every count and every question."""

from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.fetching.refill_policy import LEFT_OVER, RefillPolicy, few_sites

VISITS_A_COUNT = 16


class Sites:
    """How many sites have URLs, and how often that was counted."""

    def __init__(self, sites: int) -> None:
        self.sites = sites
        self.counted = 0

    def count(self) -> int:
        self.counted += 1
        return self.sites


class Model:
    """Everything that happened since others were let in last, as it would be told."""

    def __init__(self, few: int) -> None:
        self._few = few
        self._counts: list[int] = []
        self._visits_since_count = 0
        self._must_count = True
        self._said: bool = False

    def visited(self) -> None:
        self._visits_since_count += 1

    def came(self) -> None:
        if self._said:
            self._counts.clear()
        self._said, self._must_count = False, True

    def is_time(self, sites: int) -> bool:
        if self._must_count or self._visits_since_count >= self._counts[-1] / VISITS_A_COUNT:
            self._counts.append(sites)
            self._visits_since_count, self._must_count = 0, False
        now = self._counts[-1]
        self._said = now <= self._few or now <= LEFT_OVER * max(self._counts)
        return self._said


HAPPENS = st.one_of(
    st.just(("visited", 0)), st.just(("asked", 0)), st.tuples(st.sampled_from(["came", "emptied"]), st.integers(0, 40))
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.integers(0, 10), st.integers(0, 60), st.lists(HAPPENS, max_size=60))
def test_it_is_time_when_most_of_the_sites_have_been_served(
    few: int, at_first: int, story: list[tuple[str, int]]
) -> None:
    sites = Sites(at_first)
    let_in, model = RefillPolicy(sites.count, few), Model(few)
    for what, number in story:
        if what == "asked":
            assert let_in.is_time == model.is_time(sites.sites)
            continue
        sites.sites = max(0, sites.sites + {"visited": -1, "came": number, "emptied": -number}[what])
        if what == "visited":
            let_in.visited()
            model.visited()
        elif what == "came":
            let_in.came()
            model.came()


@pytest.mark.parametrize(("sites", "few"), [(1, 64), (64, 64), (65, 64), (100, 0), (1000, 64), (20_000, 64)])
def test_others_come_after_about_three_in_ten_and_sites_are_counted_seldom(sites: int, few: int) -> None:
    left = Sites(sites)
    let_in = RefillPolicy(left.count, few)
    while not let_in.is_time:
        let_in.visited()
        left.sites -= 1
    threshold = max(few, LEFT_OVER * sites)
    assert left.sites <= threshold
    assert left.sites >= min(sites, threshold) - ceil(sites / VISITS_A_COUNT)
    assert left.counted <= 8


def test_few_sites_never_hold_others_up() -> None:
    assert RefillPolicy(Sites(64).count, 64).is_time
    assert not RefillPolicy(Sites(65).count, 64).is_time
    assert RefillPolicy(Sites(0).count, 0).is_time


def test_a_site_that_stays_does_not_hold_others_up_for_good() -> None:
    """Those that came before others were let in are counted afresh with them."""
    sites = Sites(100)
    let_in = RefillPolicy(sites.count, 0)
    assert not let_in.is_time
    sites.sites = 60
    for _ in range(40):
        let_in.visited()
    assert let_in.is_time
    let_in.came()
    sites.sites = 61
    assert not let_in.is_time, "the most is 61 now: 100 count no more"


def test_what_comes_before_its_time_adds_to_the_sites_that_must_be_served() -> None:
    sites = Sites(100)
    let_in = RefillPolicy(sites.count, 0)
    assert not let_in.is_time
    let_in.came()
    sites.sites = 71
    assert not let_in.is_time
    let_in.came()
    sites.sites = 70
    assert let_in.is_time, "of a hundred, though more URLs came meanwhile"


def test_all_ranks_together_let_in_as_few_sites_as_one() -> None:
    assert [few_sites(64, ranks) for ranks in (1, 2, 16, 100)] == [64, 32, 4, 1]

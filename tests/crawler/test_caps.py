"""The account of pages per site and per prefix, against plain sums."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.caps import Caps, Grant, prefix_of

PREFIXES = [(f"{site}.example", f"{site}.example/{directory}") for site in "ab" for directory in ("", "x/", "y/")]
STEPS = st.lists(
    st.tuples(st.sampled_from(PREFIXES), st.integers(0, 6), st.lists(st.integers(0, 100), max_size=4)), max_size=24
)
CAPS = st.one_of(st.none(), st.integers(1, 12))
A = ("a.example", "a.example/")


@settings(derandomize=True, deadline=None)
@given(CAPS, CAPS, STEPS)
def test_never_more_than_the_caps_and_as_much_as_they_allow(
    per_site: int | None, per_prefix: int | None, steps: list[tuple[tuple[str, str], int, list[int]]]
) -> None:
    caps = Caps(per_site, per_prefix)
    held: list[tuple[str, str]] = []
    for (site, prefix), wanted, returns in steps:
        of_site = (per_site or 10**9) - sum(site == other for other, _ in held)
        of_prefix = (per_prefix or 10**9) - sum(prefix == other for _, other in held)
        pages = min(wanted, of_site, of_prefix)
        reached = "" if pages == wanted else "site-cap" if of_site <= of_prefix else "prefix-cap"
        assert caps.grant(site, prefix, wanted) == Grant(pages, reached)
        held += [(site, prefix)] * pages
        for place in returns:
            if held:
                caps.give_back(*held.pop(place % len(held)), 1)


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.lists(st.integers(0, 9), max_size=12), st.randoms())
def test_the_sum_is_the_same_in_whatever_order_ranks_ask(
    per_site: int, per_prefix: int, wants: list[int], dice: random.Random
) -> None:
    """For requests under one prefix; under several, who comes first may use up the site."""
    sums = set()
    for _ in range(3):
        dice.shuffle(wants)
        caps = Caps(per_site, per_prefix)
        sums.add(sum(caps.grant(*A, wanted).pages for wanted in wants))
    assert sums == {min(sum(wants), per_site, per_prefix)}


def test_what_comes_back_can_be_granted_again() -> None:
    caps = Caps(3, None)
    assert caps.grant(*A, 5) == Grant(3, "site-cap")
    assert caps.grant(*A, 1) == Grant(0, "site-cap")
    caps.give_back(*A, 2)
    assert caps.grant(*A, 5).pages == 2


def test_what_an_earlier_run_fetched_counts_and_may_be_more_than_the_cap_is_now() -> None:
    caps = Caps(5, 4)
    caps.count(*A, 3)
    assert caps.grant(*A, 9) == Grant(1, "prefix-cap")
    caps.count(*A, 7)
    assert caps.grant(*A, 9) == Grant(0, "site-cap")


@pytest.mark.parametrize(("per_site", "per_prefix"), [(5, None), (None, 5), (5, 5)])
def test_more_than_was_granted_cannot_come_back(per_site: int | None, per_prefix: int | None) -> None:
    caps = Caps(per_site, per_prefix)
    caps.grant(*A, 3)
    with pytest.raises(ValueError, match="more pages"):
        caps.give_back(*A, 4)
    with pytest.raises(ValueError, match="more pages"):
        caps.give_back("b.example", "b.example/", 1)
    caps.give_back(*A, 3)
    assert caps.grant(*A, 6).pages == 5


def test_without_caps_all_is_granted() -> None:
    caps = Caps(None, None)
    assert caps.is_everything
    assert not Caps(1, None).is_everything
    assert not Caps(None, 1).is_everything
    assert caps.grant(*A, 10**9) == Grant(10**9, "")
    assert caps.prefix is None


def test_a_page_is_counted_under_its_prefix_only_where_that_is_capped() -> None:
    by_site, by_prefix = Caps(1, None).prefix, Caps(None, 1, 2).prefix
    assert by_site is not None
    assert by_prefix is not None
    assert by_site("http://a.example/x/y/z/1") == "a.example"
    assert by_prefix("http://a.example/x/y/z/1") == "a.example/x/y/"


@pytest.mark.parametrize(
    ("url", "segments", "prefix"),
    [
        ("http://a.example/", 1, "a.example/"),
        ("http://a.example/?x/y", 1, "a.example/"),
        ("http://a.example/page", 1, "a.example/"),
        ("http://a.example/x/", 1, "a.example/x/"),
        ("https://a.example:81/x/page?q=/y/", 1, "a.example:81/x/"),
        ("http://a.example/x/y/z", 1, "a.example/x/"),
        ("http://a.example/x/y/z", 2, "a.example/x/y/"),
        ("http://a.example/x/y/z", 9, "a.example/x/y/"),
        ("http://a.example//x/y", 1, "a.example//"),
        ("http://u@a.example/x/y", 1, "a.example/x/"),
    ],
)
def test_prefixes_are_directories(url: str, segments: int, prefix: str) -> None:
    assert prefix_of(url, segments) == prefix

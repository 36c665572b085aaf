"""The account of pages per site and per prefix, against plain sums."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.caps import REASONS, Caps, prefix_of

URLS = [f"http://{site}.example/{directory}{page}" for site in "ab" for directory in ("", "x/", "y/") for page in "12"]
REQUESTS = st.lists(st.tuples(st.sampled_from(URLS), st.integers(0, 6)), max_size=8)
STEPS = st.lists(st.tuples(REQUESTS, st.lists(st.integers(0, 100), max_size=4)), max_size=8)
CAPS = st.one_of(st.none(), st.integers(1, 12))


def as_counts(counts: list[int]) -> np.ndarray:
    return np.array(counts, np.int64)


@settings(derandomize=True, deadline=None)
@given(CAPS, CAPS, STEPS)
def test_never_more_than_the_caps_and_as_much_as_they_allow(
    per_site: int | None, per_prefix: int | None, steps: list[tuple[list[tuple[str, int]], list[int]]]
) -> None:
    caps = Caps(per_site, per_prefix)
    most_of_site, most_of_prefix = per_site or 10**9, per_prefix or 10**9
    held: list[str] = []
    for requests, returns in steps:
        urls, wanted = [url for url, _ in requests], [count for _, count in requests]
        grants = caps.grant(*caps.keys(urls), as_counts(wanted))
        answers = zip(urls, wanted, grants.pages.tolist(), grants.codes.tolist(), strict=True)
        for url, count, granted, code in answers:
            of_site = most_of_site - sum(url.split("/")[2] == other.split("/")[2] for other in held)
            of_prefix = most_of_prefix - sum(url[:-1] == other[:-1] for other in held)
            assert granted == min(count, of_site, of_prefix)
            refusal = "" if granted == count else "site-cap" if of_site <= of_prefix else "prefix-cap"
            assert REASONS[code] == refusal
            held += [url] * granted
        back = [held.pop(place % len(held)) for place in returns if held]
        caps.give_back(*caps.keys(back), as_counts([1] * len(back)))


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.lists(st.integers(0, 9), max_size=12), st.randoms())
def test_the_sum_is_the_same_in_whatever_order_ranks_ask(
    per_site: int, per_prefix: int, wants: list[int], dice: random.Random
) -> None:
    """For requests under one prefix; under several, who comes first may use up the site."""
    urls = ["http://a.example/x/1"] * len(wants)
    sums = set()
    for _ in range(3):
        dice.shuffle(wants)
        caps = Caps(per_site, per_prefix)
        sums.add(int(caps.grant(*caps.keys(urls), as_counts(wants)).pages.sum()))
    assert sums == {min(sum(wants), per_site, per_prefix)}


def test_what_comes_back_can_be_granted_again() -> None:
    caps = Caps(3, None)
    keys = caps.keys(["http://a.example/"])
    assert caps.grant(*keys, as_counts([5])).pages.tolist() == [3]
    assert caps.grant(*keys, as_counts([1])) == ([0], [REASONS.index("site-cap")])
    caps.give_back(*keys, as_counts([2]))
    assert caps.grant(*keys, as_counts([5])).pages.tolist() == [2]


@pytest.mark.parametrize(("per_site", "per_prefix"), [(5, None), (None, 5), (5, 5)])
def test_more_than_was_granted_cannot_come_back(per_site: int | None, per_prefix: int | None) -> None:
    caps = Caps(per_site, per_prefix)
    keys = caps.keys(["http://a.example/x", "http://a.example/x"])
    caps.grant(*keys, as_counts([1, 2]))
    with pytest.raises(ValueError, match="more pages"):
        caps.give_back(*keys, as_counts([2, 2]))
    with pytest.raises(ValueError, match="more pages"):
        caps.give_back(*caps.keys(["http://b.example/"]), as_counts([1]))
    caps.give_back(*keys, as_counts([2, 1]))
    assert caps.grant(*keys, as_counts([5, 1])).pages.tolist() == [5, 0]


def test_both_schemes_of_a_host_are_one_site() -> None:
    caps = Caps(1, None)
    keys = caps.keys(["http://a.example/", "https://a.example/", "http://a.example:8080/"])
    assert caps.grant(*keys, as_counts([1, 1, 1])).pages.tolist() == [1, 0, 1]


def test_without_caps_all_is_granted() -> None:
    caps = Caps(None, None)
    assert caps.is_everything
    assert not Caps(1, None).is_everything
    assert not Caps(None, 1).is_everything
    assert caps.grant(*caps.keys(URLS), as_counts([10**9] * len(URLS))).pages.tolist() == [10**9] * len(URLS)


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


def test_many_sites_take_little_memory() -> None:
    """The account of a hundred thousand sites and prefixes, in tables and not in objects."""
    caps = Caps(5, 5)
    keys = np.arange(1, 100_001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, len(keys), 10_000):
        part = keys[start : start + 10_000]
        caps.grant(part, part, as_counts([1] * len(part)))
    grants = caps.grant(keys, keys, as_counts([9] * len(keys)))
    assert set(grants.pages.tolist()) == {4}
    assert Counter(REASONS[code] for code in grants.codes.tolist()) == {"site-cap": len(keys)}
    assert caps.nbytes <= 2 * 48 * len(keys)

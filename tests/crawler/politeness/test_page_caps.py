"""The accounts of pages, against plain sums."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.page_caps import (
    ADDRESS_CAP,
    DOMAIN_CAP,
    PREFIX_CAP,
    REACHED,
    SITE_CAP,
    Account,
    Caps,
    PageCaps,
    network_of,
    prefix_of,
)

PREFIXES = [(f"{site}.example", f"{site}.example/{directory}") for site in "ab" for directory in ("", "x/", "y/")]
STEPS = st.lists(
    st.tuples(st.sampled_from(PREFIXES), st.integers(0, 6), st.lists(st.integers(0, 100), max_size=4)), max_size=24
)
CAPS = st.integers(1, 12)


@settings(derandomize=True, deadline=None)
@given(CAPS, CAPS, CAPS, STEPS)
def test_what_is_left_is_what_was_neither_granted_nor_counted(
    per_site: int, per_prefix: int, per_domain: int, steps: list[tuple[tuple[str, str], int, list[int]]]
) -> None:
    caps = Caps(PageCaps(per_site, per_prefix, per_domain))
    held: list[tuple[Account, ...]] = []
    for (site, prefix), wanted, returns in steps:
        accounts = (Account(SITE_CAP, site), Account(PREFIX_CAP, prefix), Account(DOMAIN_CAP, "example"))
        taken = Counter(account for granted in held for account in granted)
        for account, most in zip(accounts, (per_site, per_prefix, per_domain), strict=True):
            assert caps.left(account) == most - taken[account]
        pages = min([wanted, *map(caps.left, accounts)])
        caps.grant(accounts, pages)
        held += [accounts] * pages
        for place in returns:
            if held:
                caps.give_back(held.pop(place % len(held)), 1)


def test_a_site_and_a_domain_of_one_name_have_accounts_of_their_own() -> None:
    caps = Caps(PageCaps(5, 5, 5, 5))
    for number, cap in enumerate(REACHED):
        caps.count(Account(cap, "a.example"), number)
    assert [caps.left(Account(cap, "a.example")) for cap in REACHED] == [5, 4, 3, 2]


def test_what_an_earlier_run_fetched_may_be_more_than_the_cap_is_now() -> None:
    caps = Caps(PageCaps(5))
    caps.count(Account(SITE_CAP, "a.example"), 7)
    assert caps.left(Account(SITE_CAP, "a.example")) == 0


@pytest.mark.parametrize("cap", REACHED)
def test_more_than_was_granted_cannot_come_back(cap: str) -> None:
    caps, account = Caps(PageCaps(5, 5, 5, 5)), Account(cap, "a.example")
    caps.grant([account], 3)
    with pytest.raises(ValueError, match="more pages"):
        caps.give_back([account], 4)
    with pytest.raises(ValueError, match="more pages"):
        caps.give_back([Account(cap, "b.example")], 1)
    caps.give_back([account], 3)
    assert caps.left(account) == 5


def test_what_is_capped() -> None:
    assert PageCaps().is_everything
    for limits in (PageCaps(1), PageCaps(None, 1), PageCaps(None, None, 1)):
        assert limits.by_name
        assert not limits.by_address
        assert not limits.is_everything
    of_address = PageCaps(None, None, None, 1)
    assert of_address.by_address
    assert not of_address.by_name
    assert not of_address.is_everything


def test_a_page_is_counted_under_its_prefix_only_where_that_is_capped() -> None:
    assert PageCaps(1).prefix_of("http://a.example/x/y/z/1") == ""
    assert PageCaps(None, 1, segments=2).prefix_of("http://a.example/x/y/z/1") == "a.example/x/y/"


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


@pytest.mark.parametrize(
    ("ip", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("64:ff9b::c000:207", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:0DB8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("nowhere", "nowhere"),
    ],
)
def test_an_address_is_one_of_ipv4_or_a_network_of_ipv6(ip: str, network: str) -> None:
    assert network_of(ip) == network


def test_accounts_do_not_mix() -> None:
    dice = random.Random(1)
    caps, counted = Caps(PageCaps(9, 9, 9, 9)), Counter[Account]()
    for _ in range(200):
        account = Account(dice.choice(REACHED), dice.choice("abcdef"))
        caps.count(account, 1)
        counted[account] += 1
    assert all(caps.left(account) == max(0, 9 - count) for account, count in counted.items())
    assert {account.cap for account in counted} == {SITE_CAP, PREFIX_CAP, DOMAIN_CAP, ADDRESS_CAP}

"""What rules mean for a URL, beside an oracle that looks at every rule for every URL."""

import ipaddress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crawler.site_rules.rule_book import NOTHING, RuleBook
from crawler.site_rules.rule_file import SiteRule, rules_in
from crawler.site_rules.rule_keys import BLOCK, DELAY, MAX_PAGES
from crawler.site_rules.target import ADDRESS, DOMAIN, PREFIX, SITE, RuleTarget
from sessions.url import host_of, site_of

LABELS = st.sampled_from(["a", "b", "aa", "org"])
SITES = st.builds(
    lambda labels, port: ".".join(labels) + port,
    st.lists(LABELS, min_size=1, max_size=4),
    st.sampled_from(["", ":8080"]),
)
PATHS = st.text(st.sampled_from("ab/?"), max_size=6).map(lambda text: f"/{text}")
URLS = st.builds(
    lambda scheme, site, path: f"{scheme}://{site}{path}", st.sampled_from(["http", "https"]), SITES, PATHS
)
IPS = st.one_of(
    st.integers(0, 63).map(lambda last: f"192.0.2.{last}"),
    st.integers(0, 63).map(lambda last: f"2001:db8::{last:x}"),
    st.integers(0, 63).map(lambda last: f"::ffff:192.0.2.{last}"),
)


@st.composite
def networks(draw: st.DrawFn) -> str:
    address = ipaddress.ip_address(draw(IPS.filter(lambda ip: not ip.startswith("::ffff"))))
    bits = draw(st.integers(0, address.max_prefixlen))
    return str(ipaddress.ip_network(f"{address}/{bits}", strict=False))


TARGETS = st.one_of(
    SITES.map(lambda name: RuleTarget(SITE, name)),
    SITES.map(lambda name: RuleTarget(DOMAIN, host_of(name))),
    URLS.map(lambda name: RuleTarget(PREFIX, name)),
    networks().map(lambda name: RuleTarget(ADDRESS, name)),
)
VALUES = st.fixed_dictionaries(
    {}, optional={BLOCK: st.booleans(), DELAY: st.floats(0, 9), MAX_PAGES: st.integers(1, 9)}
)
RULES = st.lists(st.tuples(TARGETS, VALUES), max_size=12, unique_by=lambda pair: pair[0]).map(
    lambda pairs: [SiteRule(target, values, line) for line, (target, values) in enumerate(pairs, 1)]
)


def specificity(rule: SiteRule, url: str, ip: str) -> tuple[int, int] | None:
    """How specific a rule on a URL is, the larger the more; None if it is not about it."""
    kind, name = rule.target
    site = site_of(url)
    match kind:
        case "prefix":
            return (3, len(name)) if url.startswith(name) and site_of(name) == site else None
        case "site":
            return (2, 0) if name == site else None
        case "domain":
            return (1, len(name)) if f".{host_of(site)}".endswith(f".{name}") else None
        case _:
            address = ipaddress.ip_address(ip)
            address = getattr(address, "ipv4_mapped", None) or address
            network = ipaddress.ip_network(name)
            return (0, network.prefixlen) if address in network else None


def brute_force(rules: list[SiteRule], url: str, ip: str) -> dict[str, Any]:
    applying = [(found, rule) for rule in rules if (found := specificity(rule, url, ip)) is not None]
    values: dict[str, Any] = {}
    for _, rule in sorted(applying, key=lambda pair: pair[0]):
        values |= rule.values
    return values


@given(rules=RULES, url=URLS, ip=IPS)
def test_of_each_key_the_most_specific_rule_counts(rules: list[SiteRule], url: str, ip: str) -> None:
    site = RuleBook(rules).of(site_of(url), ip)
    ruling = site.at(url)
    expected = brute_force(rules, url, ip)
    assert dict(ruling.values) == expected
    assert ruling.block == expected.get(BLOCK, False)
    assert ruling.delay == expected.get(DELAY)
    assert site.has_blocks or not ruling.block
    assert all(rule.values[key] == ruling.values[key] for key, rule in ruling.rules.items())


@given(rules=RULES, url=URLS, ip=IPS)
def test_without_an_address_only_names_count(rules: list[SiteRule], url: str, ip: str) -> None:
    named = [rule for rule in rules if rule.target.kind != ADDRESS]
    assert dict(RuleBook(rules).of(site_of(url)).at(url).values) == brute_force(named, url, ip)


def test_many_prefixes_of_one_site() -> None:
    rules = [
        SiteRule(RuleTarget(PREFIX, f"http://a.org/{number:05d}"), {DELAY: float(number)}, 1)
        for number in range(10_000)
    ]
    ruling = RuleBook(rules).of("a.org")
    assert ruling.at("http://a.org/04711/page").delay == 4711.0
    assert ruling.at("http://a.org/x").delay is None


def test_a_site_that_no_rule_is_about_costs_no_memory() -> None:
    book = RuleBook(rules_in('[[rule]]\nsite = "a.org"\nblock = true\n', "rules.toml"))
    assert book.of("b.org") is book.of("c.org") is NOTHING


def test_the_server_rests_as_long_as_the_longest_rule_on_its_address_says() -> None:
    text = """
[[rule]]
address = "192.0.2.0/24"
delay = 9

[[rule]]
address = "192.0.2.0/28"
delay = 3

[[rule]]
site = "a.org"
delay = 1
"""
    ruling = RuleBook(rules_in(text, "rules.toml")).of("a.org", "192.0.2.1")
    assert (ruling.delay, ruling.server_delay) == (1.0, 9.0)


def test_an_address_of_version_6_has_no_labels() -> None:
    book = RuleBook([SiteRule(RuleTarget(DOMAIN, "[2001:db8::1]"), {BLOCK: True}, 1)])
    assert book.of("[2001:db8::1]").block
    assert book.of("[2001:db8::1]:8080").block
    assert not book.of("[2001:db8::2]").block

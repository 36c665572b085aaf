"""What is different about other rules, beside what both books say of every site."""

from hypothesis import given
from hypothesis import strategies as st

from crawler.site_rules.rule_book import RuleBook
from crawler.site_rules.rule_difference import RuleDifference
from crawler.site_rules.rule_file import SiteRule
from crawler.site_rules.rule_keys import BLOCK, DELAY
from crawler.site_rules.target import target_of

SITES = ("a.example", "www.a.example", "www.a.example:8080", "aa.example", "b.example", "192.0.2.1", "[2001:db8::1]")
ADDRESSES = ("192.0.2.1", "192.0.2.200", "198.51.100.7", "2001:db8::1")
TARGETS = (
    *(("site", site) for site in SITES),
    *(("domain", domain) for domain in ("example", "a.example", "www.a.example", "192.0.2.1")),
    *(("prefix", f"http://{site}/x") for site in SITES),
    *(("address", network) for network in ("192.0.2.0/24", "192.0.2.128/25", "2001:db8::/32", "198.51.100.7/32")),
)
RULES = st.lists(
    st.builds(
        lambda target, values, line: SiteRule(target_of(*target), values, line),
        st.sampled_from(TARGETS),
        st.sampled_from([{BLOCK: True}, {BLOCK: False}, {DELAY: 1.0}, {DELAY: 2.0, BLOCK: True}]),
        st.integers(1, 2),
    ),
    max_size=8,
    unique_by=lambda rule: rule.target,
)


def said(book: RuleBook, site: str, ip: str) -> list[object]:
    return [
        (ruling.values, ruling.server_delay)
        for path in ("", "x", "xy")
        for ruling in [book.of(site, ip).at(f"http://{site}/{path}")]
    ]


@given(RULES, RULES, RULES, RULES)
def test_who_is_not_concerned_is_ruled_as_before(
    head: list[SiteRule], old: list[SiteRule], new: list[SiteRule], tail: list[SiteRule]
) -> None:
    both = [tuple({rule.target: rule for rule in [*head, *middle, *tail]}.values()) for middle in (old, new)]
    books, difference = [RuleBook(rules) for rules in both], RuleDifference(*both)
    concerned = difference.among(dict.fromkeys(SITES))
    assert concerned == set(filter(difference.concerns, SITES))
    for site in SITES:
        for ip in ADDRESSES:
            if site not in concerned and not (difference.has_networks and difference.concerns_address(ip)):
                assert said(books[0], site, ip) == said(books[1], site, ip)
    values = [{rule.target: rule.values for rule in rules} for rules in both]
    assert difference.gone.keys() == {target for target in values[0] if values[0][target] != values[1].get(target)}
    assert difference.new.keys() == {target for target in values[1] if values[1][target] != values[0].get(target)}


def test_many_domains_are_looked_up_by_name() -> None:
    rules = [SiteRule(target_of("domain", f"d{number}.example"), {BLOCK: True}, number) for number in range(100)]
    sites = dict.fromkeys(f"www.d{number}.example{port}" for number in range(0, 200, 7) for port in ("", ":81"))
    few, many = RuleDifference((), rules[:3]).among(sites), RuleDifference((), rules).among(sites)
    assert few == {"www.d0.example", "www.d0.example:81"}
    assert many == {site for site in sites if int(site.split(".")[1][1:]) < 100}

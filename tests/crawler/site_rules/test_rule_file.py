"""A file of rules: what is read of it, and what is said of a wrong one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.network.proxy import DIRECT
from crawler.site_rules.rule_file import RuleFileError, read_rules, rules_in
from crawler.site_rules.rule_keys import KEYS
from crawler.site_rules.target import TARGETS, RuleTarget

EVERY_KEY = """
# Who complained, and when.
[[rule]]
site = "WWW.Example.ORG:443"
block = true
note = "asked by mail, 2026-11-24"

[[rule]]
domain = "bücher.example"
pause = false
delay = 5
user-agent = "MyBot/2.0"
max-pages = 10_000

[[rule]]
prefix = "https://example.net/private"
max-bytes = 1

[[rule]]
address = "192.0.2.7"
delay = 0.5

[[rule]]
site = "members.example"
credentials = "a:b"
headers = {X-Token = "c"}
proxy = "none"
"""


def test_a_file_is_read_in_canonical_form() -> None:
    rules = rules_in(EVERY_KEY, "rules.toml")
    assert [(str(rule.target), rule.line) for rule in rules] == [
        ("site www.example.org", 3),
        ("domain xn--bcher-kva.example", 8),
        ("prefix https://example.net/private", 15),
        ("address 192.0.2.7/32", 19),
        ("site members.example", 23),
    ]
    assert rules[4].values == {"credentials": "Authorization: Basic YTpi", "headers": ("X-Token: c",), "proxy": DIRECT}
    assert rules[1].values == {"pause": False, "delay": 5.0, "user-agent": "MyBot/2.0", "max-pages": 10_000}
    assert {key for rule in rules for key in rule.values} == set(KEYS)


def test_no_rules_are_rules() -> None:
    assert rules_in("", "rules.toml") == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("block = true", "rules.toml: unknown key 'block' outside of the rules; put [[rule]] before it"),
        ("[rule]\nsite = 'a.org'", "rules.toml: each rule is a table of its own and begins with [[rule]]"),
        (
            "[[rule]]\nblock = true",
            "rules.toml:1: a rule has one of prefix, site, domain, address; this one names none",
        ),
        ("\n[[rule]]\nsite = 'a'\ndomain = 'b'", "rules.toml:2: a rule has one of prefix, site, domain, address; "),
        ("[[rule]]\nsite = 'http://a.org/'", "rules.toml:1: site: 'http://a.org/' is no site: a host, with its port"),
        ("[[rule]]\nsite = 'a b'", "rules.toml:1: site: 'a b' is no site"),
        ("[[rule]]\nsite = 3", "rules.toml:1: site wants text"),
        ("[[rule]]\ndomain = '*.a.org'", "rules.toml:1: domain: '*.a.org' is no domain"),
        ("[[rule]]\ndomain = 'a.org:81'", "rules.toml:1: domain: 'a.org:81' is no domain"),
        ("[[rule]]\nprefix = 'a.org/x'", "rules.toml:1: prefix: 'a.org/x' is no URL prefix"),
        ("[[rule]]\nprefix = 'http://a.org'", 'is a whole site: write site = "a.org"'),
        ("[[rule]]\naddress = '10.0.0.1/8'", "rules.toml:1: address: '10.0.0.1/8' is no network"),
        ("[[rule]]\naddress = '::ffff:10.0.0.0/104'", "is a network of IPv4 addresses"),
        ("[[rule]]\nsite = 'a'\n\nblock = 'yes'", "rules.toml:4: block: 'yes' wants true or false"),
        ("[[rule]]\nsite = 'a'\ndelay = -1", "rules.toml:3: delay: -1 wants seconds, from 0 to 86400"),
        ("[[rule]]\nsite = 'a'\ndelay = inf", "rules.toml:3: delay: inf wants seconds"),
        ("[[rule]]\nsite = 'a'\nmax-pages = 0", "rules.toml:3: max-pages: 0 wants a whole number of at least 1"),
        ("[[rule]]\nsite = 'a'\nmax_pages = 3", "rules.toml:3: unknown key 'max_pages'; did you mean 'max-pages'?"),
        ("[[rule]]\nsite = 'a'\nuser-agent = 'Mozilla/5.0'", "does not name a crawler: robots.txt files would know"),
        ("[[rule]]\nsite = 'a'\nuser-agent = \"a\\nb\"", "cannot stand in an HTTP header"),
        (
            "[[rule]]\nprefix = 'http://a/b'\npause = true",
            "rules.toml:3: pause is for a site or domain or address, not ",
        ),
        ("[[rule]]\nsite = 'a'\n[[rule]]\nsite = 'A:80'", "rules.toml:3: site a has a rule already, on line 1"),
        ("[[rule]]\nsite = 'a\n", "rules.toml:2: "),
        ("[[rule]]\nsite = ", "rules.toml:2: Invalid value"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(RuleFileError) as refused:
        rules_in(text, "rules.toml")
    assert problem in str(refused.value)
    assert all(line.startswith("rules.toml:") for line in refused.value.problems)


def test_everything_that_is_wrong_is_told_at_once_but_not_without_end() -> None:
    text = "\n".join(f"[[rule]]\nsite = '{number}.org'\nblock = {number}" for number in range(20))
    with pytest.raises(RuleFileError) as refused:
        rules_in(text, "rules.toml")
    assert len(refused.value.problems) == 11
    assert refused.value.problems[-1] == "rules.toml: 10 more problems"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match=r"none\.toml: No such file or directory"):
        read_rules(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(RuleFileError, match=r"latin\.toml: not UTF-8 text"):
        read_rules(tmp_path / "latin.toml")


@given(st.sampled_from(sorted(TARGETS)), st.text(max_size=20))
def test_whatever_a_target_is_called_it_is_refused_or_has_one_name(kind: str, name: str) -> None:
    quoted = name.encode("unicode_escape").decode().replace('"', '\\"')
    try:
        rules = rules_in(f'[[rule]]\n{kind} = "{quoted}"\n', "rules.toml")
    except RuleFileError:
        return
    target = rules[0].target
    assert RuleTarget(kind, TARGETS[kind](target.name)) == target


def test_a_key_that_is_a_table_of_its_own_is_wrong_where_it_stands() -> None:
    text = "[[rule]]\nsite = 'a.example'\n\n[ rule . headers ]\n'X Y' = '1'\n"
    with pytest.raises(RuleFileError, match=r"rules\.toml:4: headers: 'X Y' is not the name of a header"):
        rules_in(text, "rules.toml")

"""What came of asking for a robots.txt."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from crawler.politeness.robots import rules as module
from crawler.politeness.robots.matcher import PathRules
from crawler.politeness.robots.rules import (
    ALLOW_ALL,
    FIRST_WAIT,
    LONG_OUTAGE,
    LONGEST_USE,
    LONGEST_WAIT,
    SHORTEST_USE,
    Rules,
    outcome,
)
from sessions.url import canonical, origin_of

ORIGIN = "http://a.example"
PRIVATE = ORIGIN + "/private/x"
FORBID_PRIVATE = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 7.5\nSitemap: http://a.example/sitemap.xml\n"


class Case(NamedTuple):
    """A line of data/robots.tsv."""

    source: str
    agent: str
    text: str
    path: str
    verdict: str

    @property
    def body(self) -> bytes:
        return self.text.encode("latin-1").decode("unicode_escape").encode("latin-1")


CASES = [
    Case(*line.split("\t"))
    for line in (Path(__file__).parent / "data" / "robots.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def answered(status: int = 200, body: bytes = FORBID_PRIVATE, cache_control: str = "") -> Rules:
    return outcome("cutweb", status=status, body=body, headers={b"cache-control": cache_control})


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source}, {case.agent}, {case.path}")
def test_what_a_robots_txt_allows(case: Case) -> None:
    url = canonical(ORIGIN + case.path)
    assert url is not None
    assert case.verdict in ("allowed", "forbidden")
    assert outcome(case.agent, status=200, body=case.body).allow(url) == (case.verdict == "allowed")


PROTEGO_DIFFERS = {
    "Google byte-order mark",
    "Google case of names",
    "Google everybody and more",
    "Google groups, other records",
    "Google index.html is no directory by RFC",
    "Google leading letters",
    "Google name up to the first space",
    "Latin-1 as bytes and as text",
    "NUL bytes",
    "RFC 9309 2.2.1 no prefix",
    "RFC 9309 2.2.1 version",
    "RFC 9309 2.2.1 version and comment",
    "RFC 9309 2.2.2 percent-encoding",
    "UTF-16 BE",
    "UTF-16 LE",
    "UTF-16 without a mark",
    "colon after the name",
    "comment after the name",
    "crawl-delay ends no group",
    "digits and a list",
    "digits and less",
    "dot after the name",
    "everybody in a list",
    "list of names",
    "misspelt user agent",
    "path without a slash",
    "percent sign",
    "query",
    "question mark escaped",
    "quote after the name",
    "semicolon after the name",
    "separators of Unicode are no line ends",
    "slash escaped in the query",
    "vertical tabs are no line ends",
}
"""Where protego, given the whole file as it came, says something else; docs/robots.md says in what it departs."""


@pytest.mark.parametrize("case", [case for case in CASES if case.source not in PROTEGO_DIFFERS], ids=lambda _: "")
def test_protego_reads_most_files_as_we_do(case: Case) -> None:
    text = case.body.decode("utf-8-sig", "replace")
    url = canonical(ORIGIN + case.path)
    assert Protego.parse(text).can_fetch(url, case.agent) == (case.verdict == "allowed")


def test_there_are_many_cases_of_both_kinds_and_none_twice() -> None:
    assert len(CASES) >= 150
    assert min(sum(case.verdict == verdict for case in CASES) for verdict in ("allowed", "forbidden")) > 100
    assert len({case[1:4] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("status", [200, 203, 206, 299])
def test_a_robots_txt_is_obeyed(status: int) -> None:
    rules = answered(status)
    assert not rules.allow(PRIVATE)
    assert rules.allow(ORIGIN + "/")
    assert rules.crawl_delay == 7.5
    assert rules.sitemaps == ("http://a.example/sitemap.xml",)
    assert (rules.status, rules.unreachable) == (status, "")


@pytest.mark.parametrize("status", [301, 302, 304, 308, 400, 401, 403, 404, 410, 451, 499])
def test_where_there_is_none_all_is_allowed(status: int) -> None:
    """RFC 9309, 2.3.1.2 and 2.3.1.3; a redirect comes here when it led nowhere."""
    rules = answered(status)
    assert rules.allow(PRIVATE)
    assert (rules.status, rules.unreachable, rules.crawl_delay) == (status, "", 0.0)


@pytest.mark.parametrize("status", [429, 500, 503, 599, 600, 999, 101])
def test_where_the_server_fails_nothing_is_allowed_and_the_status_is_the_reason(status: int) -> None:
    """RFC 9309, 2.3.1.4."""
    rules = answered(status)
    assert not rules.allow(ORIGIN + "/")
    assert (rules.status, rules.unreachable) == (status, f"robots-{status}")


def test_where_no_answer_comes_nothing_is_allowed_and_the_error_is_the_reason() -> None:
    rules = outcome("cutweb", status=0, error="timeout")
    assert not rules.allow(ORIGIN + "/")
    assert (rules.status, rules.unreachable) == (0, "timeout")


def test_half_a_file_may_lack_what_forbids() -> None:
    rules = outcome("cutweb", status=200, body=FORBID_PRIVATE, error="disconnect")
    assert not rules.allow(ORIGIN + "/")
    assert (rules.status, rules.unreachable) == (0, "disconnect")


def test_an_answer_that_says_there_is_none_need_not_come_whole() -> None:
    assert outcome("cutweb", status=404, error="disconnect").allow(PRIVATE)
    assert outcome("cutweb", status=503, error="disconnect").unreachable == "robots-503"


def test_a_file_cut_at_its_limit_counts_as_far_as_it_came() -> None:
    body = FORBID_PRIVATE + b"Allow: /private/x"
    assert outcome("cutweb", status=200, body=body).allow(PRIVATE)
    assert not outcome("cutweb", status=200, body=body, is_cut=True).allow(PRIVATE)


def test_the_crawl_delay_is_capped() -> None:
    assert outcome("cutweb", status=200, body=FORBID_PRIVATE, max_crawl_delay=3.0).crawl_delay == 3.0
    assert outcome("cutweb", status=200, body=b"User-agent: *\nCrawl-delay: 86400\n").crawl_delay == 60.0


@pytest.mark.parametrize("status", [200, 404, 301])
@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [
        ("", LONGEST_USE),
        ("max-age=3600", 3600.0),
        ("max-age=31536000", LONGEST_USE),
        ("max-age=10", SHORTEST_USE),
        ("no-store", SHORTEST_USE),
    ],
)
def test_an_answer_is_used_as_long_as_it_says_within_bounds(status: int, cache_control: str, seconds: float) -> None:
    """RFC 9309, 2.4: at most 24 hours."""
    assert answered(status, cache_control=cache_control).seconds == seconds


def waits(**facts: float) -> list[float]:
    return [outcome("cutweb", status=503, tries=tries, **facts).seconds for tries in range(8)]  # type: ignore[arg-type]


def test_a_failing_server_is_asked_again_later_each_time() -> None:
    assert waits() == [60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 3600.0, 3600.0]
    assert outcome("cutweb", status=503, tries=10**6).seconds == LONGEST_WAIT


def test_a_server_that_says_when_is_not_asked_before() -> None:
    assert waits(retry_after=600.0) == [600.0, 600.0, 600.0, 600.0, 960.0, 1920.0, 3600.0, 3600.0]
    assert set(waits(retry_after=1e9)) == {LONGEST_USE}


def test_what_a_failing_server_says_about_caching_says_nothing() -> None:
    assert answered(503, cache_control="max-age=86400").seconds == FIRST_WAIT


@pytest.mark.parametrize("status", [0, 429, 503])
def test_after_a_long_outage_the_last_rules_hold_again(status: int) -> None:
    """RFC 9309, 2.3.1.4: "MAY assume that the robots.txt file is unavailable or continue to use a cached copy"."""

    def after(outage: float, previous: Rules | None) -> Rules:
        return outcome("cutweb", status=status, error="dns", outage=outage, previous=previous)

    last = answered()
    assert not after(LONG_OUTAGE - 1, last).allow(ORIGIN + "/")
    assert not after(LONG_OUTAGE - 1, None).allow(ORIGIN + "/")
    assert after(LONG_OUTAGE, last) == replace(last, seconds=FIRST_WAIT)
    assert after(LONG_OUTAGE, None) == replace(ALLOW_ALL, seconds=FIRST_WAIT)
    assert after(LONG_OUTAGE, after(0.0, None)) == replace(ALLOW_ALL, seconds=FIRST_WAIT)


def test_robots_txt_itself_may_always_be_fetched() -> None:
    assert answered(503).allow(ORIGIN + "/robots.txt")
    assert not answered(503).allow(ORIGIN + "/robots.txt?x")


def test_of_rules_without_end_none_is_forgotten() -> None:
    many = b"".join(b"Disallow: /%d\n" % number for number in range(10_000))
    for body in (b"User-agent: *\n" + many + b"Disallow: /private/\n", FORBID_PRIVATE + many):
        assert not answered(body=body).allow(PRIVATE)
        assert answered(body=body).allow(ORIGIN + "/robots.txt")


def test_rules_travel_and_stay_the_same() -> None:
    rules = answered()
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert not pickle.loads(pickle.dumps(rules)).allow(PRIVATE)


def test_other_ranks_need_no_sitemaps() -> None:
    assert answered().without_sitemaps() == replace(answered(), sitemaps=())
    assert ALLOW_ALL.without_sitemaps() is ALLOW_ALL


def test_only_what_concerns_us_is_kept() -> None:
    others = b"".join(b"User-agent: bot%d\nDisallow: /%d\n" % (number, number) for number in range(10_000))
    assert answered(body=others + FORBID_PRIVATE) == answered()
    assert answered().bytes < 2000
    assert len(pickle.dumps(answered().without_sitemaps())) < 300


def test_memory_tells_how_much_is_kept() -> None:
    many = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % number**9 for number in range(4000))
    rules = answered(body=many)
    assert rules.bytes > len(rules.packed) > 10_000
    assert replace(rules, sitemaps=("x" * 500,)).bytes == rules.bytes + 500


def test_of_many_rules_those_used_last_stay_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked: list[int] = []
    monkeypatch.setattr(module, "PathRules", lambda rules: unpacked.append(1) or PathRules(rules))
    monkeypatch.setattr(module, "_path_rules", module._PathRulesInUse(0))
    module.keep_matchers(2 * PathRules([("/0", False)]).bytes)
    first, second, third = (answered(body=b"User-agent: *\nDisallow: /%d\n" % number) for number in range(3))
    for rules in (first, second, first, third, first, third):
        assert rules.allow(ORIGIN + "/")
    assert len(unpacked) == 3
    assert second.allow(ORIGIN + "/0")
    assert not second.allow(ORIGIN + "/1")
    assert len(unpacked) == 4


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a.example/", "http://a.example"),
        ("https://a.example:8443/x/y?http://b/", "https://a.example:8443"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 999), st.binary(max_size=100), st.sampled_from(["", "timeout", "size"]), st.integers(0, 2000))
def test_no_answer_does_harm(status: int, body: bytes, error: str, tries: int) -> None:
    rules = outcome("cutweb", status=status, body=b"User-agent: *\n" + body, error=error, tries=tries)
    assert rules.allow(PRIVATE) in (True, False)
    assert 0.0 <= rules.crawl_delay <= 60.0
    assert FIRST_WAIT <= rules.seconds <= LONGEST_USE
    assert bool(rules.unreachable) <= (not rules.allow(PRIVATE))

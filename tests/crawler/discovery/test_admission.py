"""Which URLs are never requested."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config.crawl_options import CrawlOptions, option_names
from crawler.config.settings import settings_from
from crawler.discovery.admission import ADMITTED, REASONS, Admission, AdmissionSettings, UrlRules
from crawler.network.bad_ports import has_bad_port
from crawler.politeness.page_caps import REACHED
from sessions.schema import FILTERED
from sessions.url import url_hashes
from tests.crawler.support.url_strategies import CANONICAL_URLS

HERE = "http://a.example/"


def reasons(urls: list[str], seeds: tuple[str, ...] = (), **options: Any) -> list[str]:
    """Why each URL is refused; empty if it is not."""
    codes = UrlRules(settings_from(CrawlOptions(**{"traps": False, **options}), AdmissionSettings), seeds, 2026).codes(
        url_hashes(urls), urls
    )
    assert codes.dtype == np.uint8
    return [REASONS[code] for code in codes.tolist()]


@pytest.mark.parametrize(
    ("options", "reason", "refused", "admitted"),
    [
        ({"max_url_length": 20}, "url-length", ["abcd", "?bcd"], ["abc", ""]),
        ({"max_segments": 2}, "segments", ["a/b/c", "a/b/", "//"], ["a/b", "a/", "", "?a/b/c/d"]),
        ({"max_query_length": 3}, "query", ["?abcd", "x/?a=bc"], ["?abc", "?", "abcd"]),
        ({"max_query_length": 0}, "query", ["?a"], ["?", "a"]),
        ({"max_query_parameters": 2}, "query", ["?a&b&c", "?a=1&b=2&c=3"], ["?a=1&b=2", "?abc", "a&b&c"]),
        ({"max_query_parameters": 0}, "query", ["?a"], ["?", "a"]),
        (
            {"skip_extensions": "jpg,gz"},
            "extension",
            ["a.jpg", "a/B.JPG", "a.jpg?x", "a.tar.gz", ".jpg", "a.jpg;v=1"],
            ["jpg", "a.jpg/", "a.jpg/b", "a.jpgx", "?a.jpg", "a.jpg.html", ""],
        ),
        ({"include": ("/x/", "z$")}, "include", ["a", "xx/", ""], ["x/", "x/a", "z"]),
        ({"exclude": ("/x/", "z$")}, "exclude", ["x/", "x/a", "z"], ["a", "xx/", ""]),
        ({"max_repeated_segments": 1}, "trap-repeated", ["a/a", "a/b/a/"], ["a/b", "a?/a/a", ""]),
        ({"skip_calendars": True}, "trap-calendar", ["2031/01/02", "?date=2031-01-02"], ["2026/01/02", ""]),
        ({"skip_session_ids": True}, "trap-session-id", ["a;jsessionid=1", "?PHPSESSID=1"], ["?sid=1", "a;b"]),
        ({"skip_growing_queries": True}, "trap-query", ["?a&a&a&a"], ["?a&a&a", "a&a&a&a"]),
    ],
)
def test_each_rule_refuses_for_its_reason(
    options: dict[str, Any], reason: str, refused: list[str], admitted: list[str]
) -> None:
    assert reasons([HERE + path for path in refused], **options) == [reason] * len(refused)
    assert reasons([HERE + path for path in admitted], **options) == [""] * len(admitted)
    assert reasons([HERE + path for path in refused]) == [""] * len(refused), "off unless asked for"


@given(st.lists(CANONICAL_URLS, max_size=10))
def test_without_rules_everything_is_admitted_but_bad_ports(urls: list[str]) -> None:
    assert reasons(urls) == ["port" if has_bad_port(url) else "" for url in urls]


def test_ports_that_browsers_refuse_are_refused_unless_a_seed_names_them() -> None:
    urls = ["http://a.example:6000/x", "https://b.example:6000/", "http://a.example:22/", "http://[::1]:25/", HERE]
    for options in ({}, {"traps": True}, {"exclude": ("nothing",)}):
        assert reasons(urls, **options) == ["port", "port", "port", "port", ""]
        named = ("http://a.example:6000/",)
        assert reasons(urls, named, **options) == ["", "port", "port", "port", ""], "at that site alone"


TRAPS = {
    "segments": "/".join("abcdefghijklmnopqrstu"),
    "query": "?" + "x" * 1025,
    "trap-repeated": "a/b/a/b/a/b/a/",
    "trap-calendar": "calendar/2031/01/",
    "trap-session-id": "a;jsessionid=1",
    "trap-query": "?a&a&a&a",
}


def test_one_switch_has_the_rules_against_traps_with_their_limits() -> None:
    assert reasons([HERE + path for path in TRAPS.values()], traps=True) == list(TRAPS)
    near = ["/".join("abcdefghijklmnopqrst"), "?" + "x" * 1024, "a/b/a/b/a/b", "?" + "&".join(map(str, range(32)))]
    assert reasons([HERE + path for path in near], traps=True) == [""] * len(near)
    assert reasons([HERE + "?" + "&".join(map(str, range(33)))], traps=True) == ["query"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_segments": 30}, "segments"),
        ({"max_query_length": 2000}, "query"),
        ({"max_repeated_segments": 9}, "trap-repeated"),
        ({"skip_calendars": False}, "trap-calendar"),
        ({"skip_session_ids": False}, "trap-session-id"),
        ({"skip_growing_queries": False}, "trap-query"),
    ],
)
def test_what_is_given_beside_it_takes_the_place_of_its_limits(options: dict[str, Any], reason: str) -> None:
    expected = [name if name != reason else "" for name in TRAPS]
    assert reasons([HERE + path for path in TRAPS.values()], traps=True, **options) == expected


def test_seeds_are_admitted_whatever_the_rules_say() -> None:
    seed, other = HERE + "x.jpg", HERE + "y.jpg"
    assert reasons([seed, other], (seed,), skip_extensions="jpg") == ["", "extension"]
    assert reasons([seed, other], (seed,), include=("z",)) == ["", "include"]


@given(st.lists(CANONICAL_URLS, max_size=10))
def test_any_url_can_be_judged(urls: list[str]) -> None:
    options = {"skip_extensions": "html", "include": ("example",), "exclude": ("q=",), "max_url_length": 100}
    found = reasons(urls, traps=True, **options)
    assert len(found) == len(urls)
    assert found == [reasons([url], traps=True, **options)[0] for url in urls], "each alone"


def test_the_document_on_traps_names_every_reason_and_option() -> None:
    text = (Path(__file__).parents[3] / "docs" / "traps.md").read_text(encoding="utf-8")
    reasons_told = re.findall(r"^\| `([a-z-]+)` \| (?:`--|always)", text, re.MULTILINE)
    assert reasons_told == [*REASONS[1:], *REACHED]
    known = {name.replace("_", "-") for name in option_names()}
    told = set(re.findall(r"`--(?:no-)?([a-z-]+)", text))
    assert told <= known
    assert {"include", "traps", "max-links", "parse-seconds", "content-types", "prefix-segments"} <= told


def test_what_becomes_of_a_refused_url_is_a_row_of_the_outcomes() -> None:
    admission: Admission = UrlRules(
        settings_from(CrawlOptions(max_segments=1, exclude=("z",)), AdmissionSettings), (), 2026
    )
    urls = [HERE, HERE + "a/b", HERE + "z", HERE + "z/y"]
    codes = admission.codes(url_hashes(urls), urls).tolist()
    assert [admission.outcome(code) for code in codes if code != ADMITTED] == [
        (FILTERED, "segments"),
        (FILTERED, "exclude"),
        (FILTERED, "segments"),
    ]
    assert codes[0] == ADMITTED

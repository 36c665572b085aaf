"""Verified links: a HEAD before each GET, what is asked for after it, and when."""

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.exchange.verdict import Ending
from crawler.network.web import GET, HEAD
from crawler.pages.link_verification import HTML, STRICT, refusal
from sessions.session import Session
from tests.crawler.support.fake_web import Answer, Crawls, Script, no_answer, page, redirect, robots_txt, too_busy
from tests.crawler.support.visit_log import are, gaps, rests

A, B = "http://a.example/", "http://b.example/"
PDF = Answer(b"%PDF", headers=("Content-Type: application/pdf",))
NO_HEAD = Answer(b"", 405, ("Allow: GET",))


class InterruptedCrawlError(Exception):
    """As good as a kill."""


def methods(crawls: Crawls, url: str) -> list[str]:
    """By what methods a URL was asked for, in order."""
    return [seen.method for seen in crawls.web.when(url)]


def some_links() -> dict[str, Script]:
    """A page with links to a page, a PDF, a redirect to a page, and two that are missing."""
    return {
        A: page("/page", "/pdf", "/moved", "/1", "/2"),
        A + "page": page(),
        A + "pdf": PDF,
        A + "moved": redirect(B),
    }


def test_each_url_has_one_head_and_what_passes_one_get(crawls: Crawls) -> None:
    done = crawls(some_links() | {B: page()}, verify_links=HTML)
    assert Counter(crawls.web.asked(HEAD)) == Counter({A: 1, B: 1} | {A + name: 1 for name in some_names()})
    assert {url for url in crawls.web.asked(GET) if not url.endswith("robots.txt")} == {A, B, A + "page", A + "moved"}
    assert done.outcomes() == {
        A + "pdf": ("filtered", "head-type"),
        A + "1": ("filtered", "head-404"),
        A + "2": ("filtered", "head-404"),
    }
    assert done.report["head_requests"] == done.report["discovered"] == 7
    assert done.report["head_seconds"] == pytest.approx(0.7)
    assert done.report["head_bytes"] == sum(map(len_of_head, [*some_links().values(), page(), *[Answer(b"", 404)] * 2]))


def some_names() -> tuple[str, ...]:
    return "page", "pdf", "moved", "1", "2"


def len_of_head(answer: Script) -> int:
    assert isinstance(answer, Answer)
    return sum(len(f"{line}\r\n") for line in (f"HTTP/1.1 {answer.status} Whatever", *answer.headers))


def test_off_by_default_no_head_is_sent(crawls: Crawls) -> None:
    done = crawls(some_links())
    assert crawls.web.asked(HEAD) == []
    assert [done.report[name] for name in ("head_requests", "head_seconds", "head_bytes")] == [0, 0, 0]


def test_the_get_follows_its_head_and_the_delay_lies_between_any_two_requests(crawls: Crawls) -> None:
    crawls({A: page("/1", "/2"), A + "1": page(), A + "2": page()}, verify_links=HTML, delay=3.0)
    asked = [(seen.url, seen.method) for seen in crawls.web.log]
    pages = [(url, method) for url in (A, A + "1", A + "2") for method in (HEAD, GET)]
    assert asked == [(A + "robots.txt", GET), *pages]
    assert are(rests(crawls.web, "a.example"), *[3.0] * 6)


def test_the_servers_delay_lies_between_requests_to_its_sites(crawls: Crawls) -> None:
    addresses = {"a.example": ["192.0.2.1"], "b.example": ["192.0.2.1"]}
    crawls({A: page(), B: page()}, A, B, addresses=addresses, verify_links=HTML, delay=0.0, server_delay=2.0)
    assert len(crawls.web.log) == 6
    assert min(gaps(crawls.web.log)) >= 2.0


def test_a_crawl_delay_lies_between_head_and_get(crawls: Crawls) -> None:
    crawls({A + "robots.txt": robots_txt("User-agent: *\nCrawl-delay: 7"), A: page()}, verify_links=HTML)
    assert are(rests(crawls.web, "a.example"), 7.0, 7.0)


def test_what_robots_txt_forbids_has_no_head(crawls: Crawls) -> None:
    done = crawls({A + "robots.txt": robots_txt("User-agent: *\nDisallow: /"), A: page()}, verify_links=HTML)
    assert crawls.web.asked(HEAD) == []
    assert done.outcomes() == {A: ("filtered", "robots")}


@pytest.mark.parametrize("status", [403, 405, 500, 501, 503])
def test_a_server_without_head_is_asked_for_its_pages(crawls: Crawls, status: int) -> None:
    done = crawls(
        {A: page("/1"), A + "1": page()},
        heads={A: Answer(b"", status), A + "1": Answer(b"", status)},
        verify_links=HTML,
    )
    assert [row["url"] for row in done.pages()] == [A, A + "1"]
    assert done.report["head_requests"] == 2
    assert done.report["errors"] == {}


def test_a_busy_server_rests_as_long_as_it_asks_for_before_the_get(crawls: Crawls) -> None:
    crawls({A: page()}, heads={A: too_busy(503, "Retry-After: 50")}, verify_links=HTML)
    assert are(rests(crawls.web, "a.example"), 1.0, 50.0)


def test_too_many_requests_is_tried_again_and_in_the_end_believed(crawls: Crawls) -> None:
    done = crawls(
        {A: page(), B: page()}, A, B, heads={A: too_busy(429), B: [too_busy(429), page()]}, verify_links=HTML, retries=2
    )
    assert (methods(crawls, A), methods(crawls, B)) == ([HEAD] * 3, [HEAD, HEAD, GET])
    assert done.outcomes() == {A: ("filtered", "head-429")}
    assert done.report["errors"] == {"429": 3}


def test_a_head_without_an_answer_is_tried_again_like_a_get(crawls: Crawls) -> None:
    done = crawls(
        {A: page(), B: page()},
        A,
        B,
        heads={A: no_answer("empty"), B: [no_answer(), page()]},
        verify_links=HTML,
        retries=2,
    )
    assert (methods(crawls, A), methods(crawls, B)) == ([HEAD] * 3, [HEAD, HEAD, GET])
    assert done.outcomes() == {A: ("failed", "empty")}
    assert done.report["errors"] == {"empty": 3, "timeout": 1}
    assert done.report["head_requests"] == 5


def test_the_get_has_all_its_tries_whatever_its_head_took(crawls: Crawls) -> None:
    done = crawls(
        {A: [no_answer(), no_answer(), page()]},
        heads={A: [no_answer(), no_answer(), page()]},
        verify_links=HTML,
        retries=2,
    )
    assert methods(crawls, A) == [HEAD] * 3 + [GET] * 3
    assert [row["status"] for row in done.pages()] == [200]


def test_a_head_that_cannot_succeed_is_not_sent_again(crawls: Crawls) -> None:
    done = crawls({A: page()}, heads={A: no_answer("protocol", is_hopeless=True)}, verify_links=HTML, retries=3)
    assert methods(crawls, A) == [HEAD]
    assert done.outcomes() == {A: ("failed", "protocol")}


def test_a_site_that_answers_no_head_is_given_up(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page(*(f"/{n}" for n in range(9)))}
    heads: dict[str, Script] = {f"{A}{n}": no_answer("empty") for n in range(9)}
    done = crawls(script, heads=heads, verify_links=HTML, retries=0, site_errors=4)
    assert Counter(done.outcomes().values()) == {("failed", "empty"): 4, ("failed", "site-errors"): 5}


def test_by_the_rule_of_the_thesis_200_or_302_and_html_alone_pass(crawls: Crawls) -> None:
    html = ("Content-Type: text/html",)
    script: dict[str, Script] = {
        A: page("/301", "/302", "/untyped", "/no-head"),
        A + "301": Answer(b"", 301, (*html, "Location: /1")),
        A + "302": Answer(b"", 302, (*html, "Location: /2")),
        A + "untyped": Answer(b"<html>", headers=()),
    }
    done = crawls(script, heads={A + "no-head": NO_HEAD}, verify_links=STRICT)
    assert [row["url"] for row in done.pages()] == [A, A + "302"]
    assert done.outcomes() == {
        A + "301": ("filtered", "head-301"),
        A + "untyped": ("filtered", "head-type"),
        A + "no-head": ("filtered", "head-405"),
        A + "2": ("filtered", "head-404"),
    }


# limits, caps, runs


@pytest.mark.parametrize("limit", [1, 2, 10, 18])
@pytest.mark.parametrize("connections", [1, 64])
def test_a_page_limit_is_exact(crawls: Crawls, limit: int, connections: int) -> None:
    script: dict[str, Script] = {A: page(*(f"{site}{n}" for n in range(9) for site in (A, B)))}
    script |= {f"{site}{n}": page() for n in range(8) for site in (A, B)}
    done = crawls(script, max_pages=limit, connections=connections, delay=0.0, verify_links=HTML)
    assert len(done.pages()) == min(limit, 17)
    assert done.ending == (Ending.MAX_PAGES if limit < 17 else Ending.COMPLETE)
    assert done.report["head_requests"] <= len(done.pages()) + len(done.outcomes()) + 2  # one in a site at most


def test_what_a_head_filters_uses_up_no_cap(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page(*(f"/{n}" for n in range(9)))} | {f"{A}{n}": page() for n in (1, 4, 7, 8)}
    done = crawls(script, max_pages_per_site=4, verify_links=HTML)
    assert [row["url"] for row in done.pages()] == [A, A + "1", A + "4", A + "7"]
    assert Counter(reason for _, reason in done.outcomes().values()) == {"head-404": 5, "site-cap": 1}


def test_a_head_whose_page_was_not_committed_is_sent_again_by_the_next_run(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page("/1"), A + "1": page()}

    def ends_before_the_last_get(number: int) -> None:
        if number == 4:
            raise InterruptedCrawlError

    with pytest.raises(InterruptedCrawlError):
        crawls(script, on_start=ends_before_the_last_get, verify_links=HTML, epoch_seconds=0.01)
    assert methods(crawls, A + "1") == [HEAD]
    assert Session.open(crawls.out).epochs
    done = crawls.resume(script)
    assert methods(crawls, A + "1") == [HEAD, GET]
    assert sorted(row["url"] for row in done.pages()) == [A, A + "1"]


def test_a_run_that_goes_on_may_verify_what_is_left_or_verify_no_more(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page("/1", "/2"), A + "1": page(), A + "2": page()}
    crawls(script, max_pages=1)
    crawls.resume(script, "--max-pages", "2", "--verify-links")
    assert crawls.web.asked(HEAD) == [A + "1"]
    done = crawls.resume(script, "--max-pages", "9", "--verify-links", "none")
    assert crawls.web.asked(HEAD) == []
    assert len(done.pages()) == 3


def test_what_is_asked_for_conditionally_has_no_head(crawls: Crawls) -> None:
    known = page("/new", "/untold", headers=("Content-Type: text/html", 'ETag: "1"'))
    script: dict[str, Script] = {A: known, A + "untold": page()}
    first = crawls(script).session.path
    done = crawls(script | {A: Answer(b"", 304, ('ETag: "1"',)), A + "new": page()}, previous=first, verify_links=HTML)
    assert crawls.web.asked(HEAD) == [A + "new", A + "untold"]
    assert done.page(A)["unchanged_since"] is not None
    assert len(done.pages()) == 3


# against a plain walk


ANSWERS = (
    page(),
    PDF,
    NO_HEAD,
    redirect("/3"),
    Answer(b"", 404),
    Answer(b"", 503, ()),
    Answer(b"<a href=/5>", headers=()),
    no_answer("empty"),
)


@given(heads=st.lists(st.sampled_from(ANSWERS), min_size=12, max_size=12), rule=st.sampled_from([HTML, STRICT]))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_url_is_verified_once_and_comes_to_what_its_answer_says(
    crawls: Crawls, heads: list[Answer], rule: str
) -> None:
    urls = [f"{site}{n}" for site in (A, B) for n in range(6)]
    script: dict[str, Script] = {A: page(*urls)} | {url: page() for url in urls}
    done = crawls(script, heads=dict(zip(urls, heads, strict=True)), verify_links=rule, retries=0, site_errors=99)
    outcomes = done.outcomes()
    for url, head in zip(urls, heads, strict=True):
        (content_type,) = [line[14:] for line in head.headers if line.startswith("Content-Type")] or [None]
        against = refusal(rule, head.status, content_type)
        if not head.status:
            assert outcomes.pop(url) == ("failed", head.error)
        elif against:
            assert outcomes.pop(url) == ("filtered", against)
        assert methods(crawls, url) == [HEAD] + [GET] * bool(head.status and not against)
    assert outcomes == {}
    assert done.report["head_requests"] == 1 + len(urls)
    for _, visits in groupby(sorted(crawls.web.log, key=lambda seen: seen.ip), key=lambda seen: seen.ip):
        assert min(gaps(list(visits))) >= 1.0

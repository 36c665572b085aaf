"""A rank's counts, and that its report tells all of them."""

from collections import Counter

import pytest

from crawler.monitoring.counters import Counters
from crawler.pages.content_decoding import UNKNOWN_ENCODING
from sessions.counters import COUNTERS, nothing_counted
from tests.crawler.support.fake_web import Answer, Crawls, Script, no_answer, page, redirect, robots_txt, too_busy


def test_every_count_begins_at_nothing() -> None:
    counters = Counters()
    assert [name for name in Counters.__slots__ if getattr(counters, name) not in (0, Counter())] == []
    measured = {name: counter.nothing() for name, counter in COUNTERS.items() if not counter.is_tally}
    assert counters.report(measured) == nothing_counted()


def test_two_ranks_do_not_share_their_counts() -> None:
    one, other = Counters(), Counters()
    one.statuses[200] += 1
    for counts in (one.errors, one.defects, one.failed, one.filtered, one.queued):
        counts["x"] += 1
    assert not any(getattr(other, name) for name in Counters.__slots__)


def test_a_count_that_is_not_declared_cannot_be_raised() -> None:
    with pytest.raises(AttributeError):
        Counters().fetchd += 1


def test_a_report_tells_every_count(crawls: Crawls) -> None:
    """The web is such that no two counts are equal by chance."""
    a, b = "http://a.example/", "http://b.example/"
    script = {
        a: page(*(f"/{number}" for number in range(40)), "http://outside.example/"),
        a + "robots.txt": robots_txt("User-agent: *\nDisallow: /3\n"),
        a + "1": no_answer("dns"),
        a + "2": redirect("/3"),
        b + "robots.txt": no_answer("tls"),
    }
    report = crawls(script, a, b, scope="sites", max_pages=20, retries=2).report
    assert report["discovered"] == 42
    assert report["fetched"] == 20
    assert report["failed"] == 2
    assert report["reasons"]["failed"] == {"dns": 1, "tls": 1}
    assert report["reasons"]["filtered"] == {"robots": report["filtered"]}
    assert report["reasons"]["queued"] == {"max-pages": report["queued"]}
    assert report["statuses"] == {"200": 1, "302": 1, "404": 18}
    assert report["errors"] == {"dns": 3, "tls": 3}
    assert report["links"] == 41
    assert report["links_out_of_scope"] == 1
    assert report["robots_fetched"] == 4
    assert report["bytes"] == report["decoded_bytes"] > 1000
    assert report["supersteps"] > 1


def test_every_counter_has_its_place_in_a_report(crawls: Crawls) -> None:
    assert list(crawls({}).report) == list(COUNTERS)


def test_a_report_tells_what_was_the_matter_with_pages(crawls: Crawls) -> None:
    """Requests that were made again are errors, answers that could not be read in full are defects."""
    a = "http://a.example/"
    script: dict[str, Script] = {
        a: page("/1", "/2", "/3", "/4"),
        a + "1": [too_busy(503), page()],
        a + "2": Answer(b"?", headers=("Content-Type: text/html", "Content-Encoding: br")),
        a + "3": page("/4", error="disconnect", truncated="disconnect"),
        a + "4": [no_answer("empty"), page()],
    }
    report = crawls(script).report
    assert report["errors"] == {"503": 1, "empty": 1}
    assert report["defects"] == {UNKNOWN_ENCODING: 1, "disconnect": 1}
    assert report["failed"] == 0
    assert report["statuses"] == {"200": 5}

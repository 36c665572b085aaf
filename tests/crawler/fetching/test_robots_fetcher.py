"""What comes of asking for a robots.txt: what is asked next and when, and what all ranks are told in the end."""

import gzip
from dataclasses import replace
from typing import Any, cast

import pytest

from crawler.fetching.robots_fetcher import RobotsFetching, RobotsSettings
from crawler.monitoring.counters import Counters
from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from crawler.politeness.entry import Errand
from crawler.politeness.messages import Ask, AskCrawlDelay, CrawlDelay, Facts
from crawler.politeness.robots.rules import LONG_OUTAGE, ROBOTS_BYTES, Rules, outcome
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from sessions.storage import warc
from sessions.storage.warc import Exchange
from tests.crawler.politeness.support.null_mailbox import Letters
from tests.crawler.support.site_memory import SITES_IN_MEMORY

ORIGIN = "http://a.example"
ROBOTS = f"{ORIGIN}/robots.txt"
FIRST = Errand(ORIGIN, ROBOTS)
PAGE = f"{ORIGIN}/private/page"
FORBIDS = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 7\nSitemap: http://a.example/map.xml\n"


class Asking:
    """A rank that asks for one robots.txt for itself.  ``now`` is its clock."""

    def __init__(self, **settings: Any) -> None:
        self.now = 1000.0
        self.letters = Letters(ranks=1)
        self.lookups: list[Lookup] = []
        self.errands: list[Errand] = []
        self.rows: list[Any] = []
        self.kept: list[Exchange] = []
        self.counters = Counters()
        self.keeper = SiteGatekeeper(
            self.letters, cast(Any, self), self.errands.append, by_address=True, **SITES_IN_MEMORY
        )
        asked = RobotsSettings("cutweb", **{"retries": 2, "retry_wait": 2.0, "patience": 60.0, **settings})
        self.fetching = RobotsFetching(3, asked, self.keeper, cast(Any, self), self.counters)
        self.keeper.asked(0, Ask(ORIGIN, True), self.now)
        self.keeper.found(Found(self.lookups.pop(), (Endpoint("192.0.2.1", 80),), seconds=1e9), self.now)

    def look_up(self, lookup: Lookup) -> None:
        self.lookups.append(lookup)

    def keep(self, exchange: Exchange) -> None:
        self.kept.append(exchange)

    def robots(self, row: Any) -> None:
        self.rows.append(row)

    def answer(
        self, status: int = 200, body: bytes = b"", error: str = "", *, is_hopeless: bool = False, **headers: str
    ) -> float:
        """Answer the errand under way; the crawl-delay learnt."""
        errand = self.errand()
        lines = [f"{name.replace('_', '-')}: {value}\r\n".encode() for name, value in headers.items()]
        head = [b"HTTP/1.1 %d Whatever\r\n" % status, *lines] if status else []
        request = Request(errand.url, None)
        response = Response(request, status, head, body, error, started=1.7e9, ip="192.0.2.1", is_hopeless=is_hopeless)
        return self.fetching.answered(errand, response, self.now)

    def errand(self) -> Errand:
        """The errand that is to be run now, or next."""
        for _, message in [*self.letters.written]:
            if isinstance(message, AskCrawlDelay):  # how long another site rests
                self.letters.written.remove((0, message))
                self.keeper.delay_told(CrawlDelay(message.waiter, message.origin, 3.0), self.now)
        if not self.errands:
            time = self.keeper.next_time()
            assert time is not None
            self.now = max(self.now, time)
            self.keeper.wake(self.now)
        (errand,) = self.errands
        self.errands.clear()
        return errand

    def rules(self) -> Rules | None:
        """What all are told, None if that is still open."""
        told = [message.rules for _, message in self.letters.take() if isinstance(message, Facts)]
        assert len(told) <= 1
        return told[0] if told else None


@pytest.fixture
def asking() -> Asking:
    return Asking()


def test_a_file_is_learnt_at_once(asking: Asking) -> None:
    assert asking.answer(body=FORBIDS) == 7.0
    rules = asking.rules()
    assert rules is not None
    assert not rules.allow(PAGE)
    assert rules.allow(f"{ORIGIN}/page")
    assert rules.crawl_delay == 7.0
    (row,) = asking.rows
    assert (row.origin, row.url, row.status, row.error, row.rank) == (ORIGIN, ROBOTS, 200, None, 3)
    assert row.sitemaps == ("http://a.example/map.xml",)
    assert asking.counters.robots_fetched == 1


def test_what_was_answered_is_kept_redirects_and_failures_too(asking: Asking) -> None:
    asking.answer(301, location="/other")
    asking.answer(503)
    asking.answer(0, error="timeout")
    asking.answer(body=FORBIDS)
    kept = [(one.url, one.response_head.split()[1], one.body, one.purpose) for one in asking.kept]
    assert kept == [
        (ROBOTS, b"301", b"", warc.ROBOTS),
        (f"{ORIGIN}/other", b"503", b"", warc.ROBOTS),
        (ROBOTS, b"200", FORBIDS, warc.ROBOTS),
    ]


def test_earlier_rules_that_hold_again_are_for_the_name_of_today(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were read by another, which a rule for the site gave the crawl."""
    earlier = outcome("other", status=200, body=FORBIDS)
    monkeypatch.setattr(asking.keeper, "robots_failed", lambda *_: (3, 3, LONG_OUTAGE))
    monkeypatch.setattr(asking.keeper, "last_rules", lambda _: replace(earlier, agent="other"))
    asking.answer(503)
    rules = asking.rules()
    assert rules is not None
    assert not rules.allow(PAGE)
    assert rules.agent == ""


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_none_is_no_rule(asking: Asking, status: int) -> None:
    asking.answer(status)
    rules = asking.rules()
    assert rules is not None
    assert rules.allow(PAGE)


@pytest.mark.parametrize("status", [429, 500, 503, 599])
def test_a_failing_server_is_asked_again_until_patience_is_over_and_then_all_is_forbidden(
    asking: Asking, status: int
) -> None:
    times = []
    while (rules := asking.rules()) is None:
        asking.errand()
        asking.errands.append(FIRST)
        times.append(asking.now - 1000.0)
        asking.answer(status)
    assert times == [0.0, 2.0, 6.0, 14.0, 30.0]
    assert rules.unreachable == f"robots-{status}"
    assert not rules.allow(PAGE)
    assert not rules.allow(f"{ORIGIN}/")
    assert len(asking.rows) == 1


def test_a_server_that_recovers_in_time_is_heard(asking: Asking) -> None:
    asking.answer(503)
    asking.answer(503)
    assert asking.rules() is None
    asking.answer(body=FORBIDS)
    rules = asking.rules()
    assert rules is not None
    assert rules.allow(f"{ORIGIN}/page")


def test_retry_after_is_waited_for_if_patience_allows(asking: Asking) -> None:
    asking.answer(503, retry_after="40")
    asking.errand()
    assert asking.now == 1040.0


def test_a_retry_after_beyond_patience_ends_the_tries(asking: Asking) -> None:
    asking.answer(503, retry_after="1800")
    rules = asking.rules()
    assert rules is not None
    assert rules.unreachable == "robots-503"
    assert rules.seconds == 1800.0


@pytest.mark.parametrize("error", ["connect", "timeout", "disconnect", "tls"])
def test_network_errors_are_tried_again_as_often_as_pages_are(asking: Asking, error: str) -> None:
    times = []
    while (rules := asking.rules()) is None:
        asking.errand()
        asking.errands.append(FIRST)
        times.append(asking.now - 1000.0)
        asking.answer(0, error=error)
    assert times == [0.0, 2.0, 6.0]
    assert rules.unreachable == error
    assert rules.status == 0
    assert not rules.allow(PAGE)
    assert asking.counters.errors[error] == 3


def test_a_url_that_cannot_be_asked_for_is_not_asked_for_again(asking: Asking) -> None:
    asking.answer(0, error="url", is_hopeless=True)
    rules = asking.rules()
    assert rules is not None
    assert rules.unreachable == "url"


def test_five_redirects_are_followed_also_to_other_sites(asking: Asking) -> None:
    targets = ["/1", "http://b.example/2", "//c.example/3", "https://d.example/4", "http://a.example/5"]
    urls = []
    for number, target in enumerate(targets):
        asking.answer(301 + number % 2, location=target)
        errand = asking.errand()
        urls.append(errand.url)
        assert errand.origin == ORIGIN
        assert asking.now == 1000.0
        assert asking.fetching.crawl_delay(errand, asking.now) == (0.0 if "a.example/" in errand.url else 3.0)
        asking.errands.append(errand)
    assert urls == [f"{ORIGIN}/1", "http://b.example/2", "http://c.example/3", "https://d.example/4", f"{ORIGIN}/5"]
    asking.answer(body=FORBIDS)
    rules = asking.rules()
    assert rules is not None
    assert not rules.allow(PAGE)
    assert asking.rows[0].url == f"{ORIGIN}/5"


def test_a_sixth_redirect_is_none(asking: Asking) -> None:
    for _ in range(6):
        asking.answer(302, location="/again")
    rules = asking.rules()
    assert rules is not None
    assert rules.allow(PAGE)


@pytest.mark.parametrize("location", ["", "ftp://b.example/robots.txt", "http://", "http://b.example:25/robots.txt"])
def test_a_redirect_to_nowhere_is_none(asking: Asking, location: str) -> None:
    asking.answer(302, location=location)
    rules = asking.rules()
    assert rules is not None
    assert rules.allow(PAGE)


def test_a_redirect_to_a_site_without_address_forbids_all(asking: Asking) -> None:
    asking.answer(302, location="http://nowhere.example/robots.txt")
    asking.fetching.unreachable(asking.errand(), "dns", asking.now)
    rules = asking.rules()
    assert rules is not None
    assert rules.unreachable == "dns"
    assert not rules.allow(PAGE)


def test_a_failure_after_a_redirect_starts_again_at_the_origin(asking: Asking) -> None:
    asking.answer(302, location="http://b.example/robots.txt")
    asking.answer(503)
    assert asking.errand() == FIRST


def test_a_file_too_long_counts_as_far_as_it_is_read(asking: Asking) -> None:
    asking.answer(body=FORBIDS + b"#" * ROBOTS_BYTES, error="size")
    rules = asking.rules()
    assert rules is not None
    assert not rules.unreachable
    assert not rules.allow(PAGE)
    assert rules.allow(f"{ORIGIN}/page")


def test_a_file_that_expands_to_too_much_counts_as_far_as_it_is_read(asking: Asking) -> None:
    asking.answer(body=gzip.compress(FORBIDS + b"#" * (2 * ROBOTS_BYTES)), content_encoding="gzip")
    rules = asking.rules()
    assert rules is not None
    assert not rules.unreachable
    assert not rules.allow(PAGE)
    assert rules.allow(f"{ORIGIN}/page")


@pytest.mark.parametrize("body", [gzip.compress(FORBIDS)[:-20], b"\x1f\x8b" + b"damaged" * 9])
def test_a_damaged_file_allows_nothing(asking: Asking, body: bytes) -> None:
    """What is missing might forbid."""
    while (rules := asking.rules()) is None:
        asking.answer(body=body, content_encoding="gzip")
    assert rules.unreachable == "encoding"
    assert not rules.allow(f"{ORIGIN}/page")


def test_a_file_that_broke_off_allows_nothing(asking: Asking) -> None:
    while (rules := asking.rules()) is None:
        asking.answer(body=FORBIDS, error="disconnect")
    assert not rules.allow(f"{ORIGIN}/page")


def test_a_long_crawl_delay_is_capped() -> None:
    asking = Asking(max_crawl_delay=5.0)
    assert asking.answer(body=FORBIDS) == 5.0

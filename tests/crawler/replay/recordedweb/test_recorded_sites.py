"""Where the sites of a recording were, and what delay they asked for."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.network.web import Endpoint
from crawler.politeness.robots.parser import group_for
from crawler.replay.recordedweb.recorded_sites import RecordedSites
from crawler.replay.recording import recording_of
from tests.sessions.support.builder import Crawl

A, B, C, D = "http://a.example", "https://b.example", "http://c.example:8080", "http://d.example"


@pytest.fixture
def sites(tmp_path: Path) -> RecordedSites:
    crawl = Crawl(tmp_path / "session", ranks=1, store_bodies=False)
    (rank,) = crawl.ranks
    urls = [f"{origin}/{name}" for origin in (A, B, C) for name in "xy"]
    rank.discover(urls)
    ips = ["192.0.2.1", "192.0.2.9", None, "2001:db8::1", None, None]
    for number, (url, ip) in enumerate(zip(urls, ips, strict=True), start=1):
        rank.fetch(url, ip=ip, milliseconds=float(number))
    rank.ask_robots(A, crawl_delay=2.5)
    rank.ask_robots(B, crawl_delay=None)
    for delay in (1.5, None):
        rank.ask_robots(C, crawl_delay=delay)
    rank.ask_robots(D, crawl_delay=None)
    rank.ask_robots(D, crawl_delay=4.0)
    rank.ask_robots(D, crawl_delay=3.0, fetched=datetime(2020, 1, 1, tzinfo=UTC))
    crawl.commit("complete")
    crawl.close()
    return RecordedSites(recording_of(tmp_path / "session"))


def test_a_site_lies_where_its_first_page_with_an_address_came_from(sites: RecordedSites) -> None:
    assert sites.endpoint(A) == Endpoint("192.0.2.1", 80)
    assert sites.endpoint(B) == Endpoint("2001:db8::1", 443)


def test_sites_without_an_address_have_servers_of_their_own(sites: RecordedSites) -> None:
    assert sites.endpoint(C) == sites.endpoint(C)
    assert len({sites.endpoint(origin).ip for origin in (A, B, C, "http://never.example")}) == 4


def test_a_site_takes_as_long_as_its_first_page(sites: RecordedSites) -> None:
    names = ("a.example", "b.example", "c.example:8080", "never.example")
    assert [sites.milliseconds(name) for name in names] == [1.0, 3.0, 5.0, 0.0]


def test_a_crawl_delay_is_asked_for_again(sites: RecordedSites) -> None:
    assert group_for("cutweb", sites.robots(A)).delay == 2.5
    assert sites.robots(B) == b""


def test_the_latest_robots_txt_holds_even_if_it_asks_for_no_delay(sites: RecordedSites) -> None:
    assert sites.robots(C) == b""
    assert group_for("cutweb", sites.robots(D)).delay == 4.0

"""The whole hostile web crawled through the command line, on one rank and on two."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader
from warcio.checker import Checker

from sessions.storage.warc import PURPOSE
from tests.hostile.crawling import DELAY_SECONDS, PAGES_OF_A_SITE, HostileCrawl, crawl, cutweb
from tests.hostile.evil import UNKNOWN, Place
from tests.hostile.server import HostileWeb

MOST_SECONDS = 60.0
MOST_BYTES = 500 << 20
PASSWORD = b"secret"


@pytest.fixture(
    scope="module",
    params=[pytest.param((1, 2), marks=pytest.mark.long, id="1 rank"), pytest.param((2, 1), id="2 ranks")],
)
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileCrawl]:
    """The web and the crawl, by number of ranks and of tries; the web still runs."""
    ranks, tries = request.param
    with HostileWeb() as web:
        yield crawl(web, tmp_path_factory.mktemp("hostile") / "session", ranks, tries)


def test_the_crawl_comes_to_its_end(crawled: HostileCrawl) -> None:
    assert crawled.done.returncode == 0, crawled.done.stderr
    assert "Traceback" not in crawled.done.stderr
    assert crawled.session.ended is not None
    assert crawled.session.ended["reason"] in ("complete", "max-wait")


def test_the_good_pages_are_fetched(crawled: HostileCrawl) -> None:
    good = {f"http://{evil.site}/{name}" for evil in crawled.web.evils.values() for name in ("", "good")}
    fetched = {url for url, record in crawled.records.items() if record == ("fetched", "", 200, "")}
    assert good - fetched == set()


def test_each_evil_is_recorded_for_what_it_is(crawled: HostileCrawl) -> None:
    differences = crawled.differences()
    assert not differences, "\n" + "\n".join(differences[:40])


def test_each_is_counted_under_its_reason(crawled: HostileCrawl) -> None:
    for state in ("failed", "filtered", "queued"):
        assert crawled.info["reasons"][state] == crawled.counted(state)
    assert crawled.info["defects"] == crawled.counted("fetched")


def test_time_and_memory_are_bounded(crawled: HostileCrawl, capsys: pytest.CaptureFixture[str]) -> None:
    peak = crawled.info["peak_rss"]
    with capsys.disabled():
        print(f"\n{len(crawled.web.evils)} evils, {crawled.session.ranks} ranks: ", end="")
        print(f"{crawled.seconds:.1f} s, peak memory {peak / 1e6:.0f} MB on the largest rank")
    assert 0 < peak < MOST_BYTES
    assert crawled.seconds < MOST_SECONDS


def test_the_session_is_good(crawled: HostileCrawl) -> None:
    checked = cutweb("check", str(crawled.out))
    assert checked.returncode == 0, checked.stdout[-4000:]


def warcs(crawled: HostileCrawl) -> list[Path]:
    return sorted(crawled.out.rglob("*.warc.gz"))


def test_others_accept_its_warcs(crawled: HostileCrawl, monkeypatch: pytest.MonkeyPatch) -> None:
    # warcio sets an attribute that newer Brotli decompressors do not take.
    monkeypatch.delitem(BufferedReader.DECOMPRESSORS, "br", raising=False)
    assert warcs(crawled)
    for path in warcs(crawled):
        checker = Checker(SimpleNamespace(inputs=[], verbose=False))
        checker.process_one(str(path))
        assert not checker.exit_value, path


def test_no_record_is_forged(crawled: HostileCrawl) -> None:
    fetched = {url for url, record in crawled.records.items() if record.state == "fetched"}
    robots = set(crawled.session.read("robots", ["url"])["url"].to_pylist())
    for path in warcs(crawled):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type != "warcinfo":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    is_page = record.rec_headers.get_header(PURPOSE) is None
                    assert url in fetched if is_page else url in robots or url.endswith("/robots.txt")
                    assert record.rec_type in ("request", "response", "revisit")
                    assert b"\r" not in "".join(value for _, value in record.rec_headers.headers).encode()


def test_nothing_is_told_to_anybody(crawled: HostileCrawl) -> None:
    assert crawled.web.log.leaks == []
    urls = "\n".join(crawled.session.read("urls", ["url"])["url"].to_pylist()).encode()
    assert PASSWORD not in urls
    assert PASSWORD not in (crawled.done.stdout + crawled.done.stderr).encode()
    for path in warcs(crawled):
        with path.open("rb") as file:
            heads = [record for record in ArchiveIterator(file) if record.rec_type == "request"]
            assert not any(PASSWORD in str(record.http_headers).encode() for record in heads)


def test_nobody_gets_inside(crawled: HostileCrawl) -> None:
    assert crawled.web.log.inside == []


def test_the_name_that_changes_its_address_was_looked_up(crawled: HostileCrawl) -> None:
    """Else the evil of that name would prove nothing."""
    assert crawled.web.name_queries["trap.evil-dns-rebinding.example"] > 0


def test_nothing_forbidden_is_asked_for(crawled: HostileCrawl) -> None:
    assert crawled.web.log.forbidden() == []


def test_nothing_is_asked_for_more_often_than_allowed(crawled: HostileCrawl) -> None:
    """Who closes a connection on a request sees it again only when the crawl counts it as another try.

    Once more only, if it was a kept connection, which it may have closed before it read the request.
    """
    for evil, url, _ in crawled.expectations():
        if evil.place is Place.PAGE and url.startswith(f"http://{evil.site}/"):
            path = url.removeprefix(f"http://{evil.site}")
            record = crawled.records.get(url, UNKNOWN)
            most = crawled.tries if record.state in ("fetched", "failed") else 0
            most += crawled.web.log.was_swallowed(evil.site, path)
            assert crawled.web.log.count(evil.site, path) <= most, url


def test_sites_are_left_their_rest(crawled: HostileCrawl) -> None:
    came: dict[str, list[float]] = {}
    for visit in crawled.web.log.visits:
        came.setdefault(visit.site, []).append(visit.time)
    gaps = [(later - earlier, site) for site, times in came.items() for earlier, later in pairwise(sorted(times))]
    assert min(gaps)[0] > 0.99 * DELAY_SECONDS, min(gaps)


def test_no_site_takes_more_than_its_share(crawled: HostileCrawl) -> None:
    for evil in crawled.web.evils.values():
        for host in (evil.site, evil.trap):
            assert crawled.web.log.requests_of(host) <= crawled.tries * (PAGES_OF_A_SITE + 1), host

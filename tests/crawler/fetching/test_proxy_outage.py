"""A proxy that is down: nothing is lost, no site is blamed, and a crawl does not wait for ever."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from crawler.exchange.verdict import Ending
from crawler.fetching.proxy_outage import ProxyOutages
from crawler.network.proxy import Proxy
from crawler.network.web import PROXY
from sessions.session import HEADER
from tests.crawler.support.fake_web import SEED, Crawls, no_answer, page, robots_txt

DOWN = no_answer(PROXY, seconds=0.0)
ROBOTS = SEED + "robots.txt"
SECRET = "0pen-sesame"


def test_each_new_try_waits_twice_as_long_and_others_under_way_make_no_difference() -> None:
    outages, other = ProxyOutages(2.0), Proxy.parse("http://other:3128")
    assert outages.rest_left(None, 100.0) == 0.0
    outages.failed(None, 100.0)
    outages.failed(None, 100.5)
    assert outages.rest_left(None, 101.0) == 1.0
    assert outages.rest_left(other, 101.0) == 0.0
    outages.failed(None, 102.0)
    outages.is_over(other)
    assert outages.rest_left(None, 102.0) == 4.0
    outages.is_over(None)
    assert outages.rest_left(None, 102.0) == 0.0
    outages.failed(None, 103.0)
    assert outages.rest_left(None, 103.0) == 2.0


def test_a_long_outage_costs_neither_tries_nor_sites(crawls: Crawls) -> None:
    script = {ROBOTS: [DOWN] * 4 + [robots_txt("")], SEED: [DOWN] * 6 + [page("x")], SEED + "x": [DOWN, page()]}
    done = crawls(script, retries=0, site_errors=1, retry_wait=0.5)
    assert done.ending == Ending.COMPLETE
    assert [row["url"] for row in done.pages()] == [SEED, SEED + "x"]
    assert done.outcomes() == {}
    assert done.report["errors"] == {PROXY: 11}
    begun = [seen.began for seen in crawls.web.when(ROBOTS)]
    assert [after - before for before, after in pairwise(begun)] == pytest.approx([0.5, 1.0, 2.0, 4.0], abs=0.3)
    assert done.session.read("rests").num_rows == 0


def test_a_proxy_that_a_rule_names_keeps_no_other_site_waiting(crawls: Crawls, tmp_path: Path) -> None:
    rules, other = tmp_path / "rules.toml", "http://b.example/"
    rules.write_text('[[rule]]\nsite = "b.example"\nproxy = "http://proxy.example:3128"\n')
    script = {SEED: page("1", "2", "3"), other: [DOWN] * 3 + [page()]}
    script |= {f"{SEED}{number}": page() for number in (1, 2, 3)}
    done = crawls(script, SEED, other, rules=rules, retries=0, site_errors=1, retry_wait=4.0, delay=0.1)
    assert done.ending == Ending.COMPLETE
    assert done.report["errors"] == {PROXY: 3}
    ended = {row["url"]: row["fetched"] for row in done.pages()}
    assert len(ended) == 5
    assert max(ended, key=lambda url: ended[url]) == other
    assert {seen.proxy is not None for seen in crawls.web.log if seen.url.startswith(SEED)} == {False}


def test_with_links_verified_heads_are_sent_again_too(crawls: Crawls) -> None:
    done = crawls({SEED: page()}, heads={SEED: [DOWN, page()]}, verify_links="html")
    assert done.ending == Ending.COMPLETE
    assert [row["url"] for row in done.pages()] == [SEED]


def test_a_page_limit_stays_exact(crawls: Crawls) -> None:
    pages = {SEED: page("1", "2", "3"), **{f"{SEED}{number}": [DOWN, DOWN, page()] for number in (1, 2, 3)}}
    done = crawls(pages, max_pages=2)
    assert (done.ending, len(done.pages())) == (Ending.MAX_PAGES, 2)


def test_a_proxy_that_stays_away_ends_the_crawl_and_another_run_goes_on(crawls: Crawls) -> None:
    done = crawls({SEED: [page("x")], SEED + "x": DOWN}, max_wait=60.0)
    assert done.ending == Ending.MAX_WAIT
    assert (len(done.pages()), done.outcomes()) == (1, {})
    done = crawls.resume({SEED + "x": page()})
    assert (done.ending, len(done.pages())) == (Ending.COMPLETE, 2)


def test_a_session_has_no_password_in_it(crawls: Crawls, capsys: pytest.CaptureFixture[str]) -> None:
    crawls({SEED: [page("x")]}, proxy=f"http://ali:{SECRET}@proxy.example:3128", log_json=True)
    assert files_with(crawls.out, SECRET) == []
    configuration = json.loads((crawls.out / HEADER).read_text())["configuration"]
    assert configuration["proxy"] == "http://[removed]@proxy.example:3128"
    said = capsys.readouterr().err
    assert "all requests go through http://[removed]@proxy.example:3128, which looks names up" in said
    assert SECRET not in said


def files_with(folder: Path, word: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]

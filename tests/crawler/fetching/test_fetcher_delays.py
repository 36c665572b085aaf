"""When things are asked of the web: rests, retries, and sites and addresses that do not answer."""

from email.utils import formatdate

import pytest

from crawler.network.web import REFUSALS
from sessions.url import site_of
from tests.crawler.support.fake_web import (
    EPOCH_1970,
    Crawls,
    Script,
    no_answer,
    page,
    redirect,
    robots_txt,
    too_busy,
)
from tests.crawler.support.visit_log import are, gaps, rests

A, B = "http://a.example/", "http://b.example/"
ROBOTS = A + "robots.txt"
FORBID = robots_txt("User-agent: *\nDisallow: /private")
ON_ONE_SERVER = {f"s{n}.example": ["192.0.2.9"] for n in range(4)}


# delays


def test_a_site_is_asked_one_thing_at_a_time_with_its_delay_in_between(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page(*(f"/{n}" for n in range(20)), "https://a.example/")}
    script |= {f"{A}{n}": page(seconds=0.1 * n) for n in range(20)}
    crawls(script, delay=1.5, delay_factor=0.0)
    assert are(rests(crawls.web, "a.example"), *[1.5] * 23)


def test_without_delays_a_page_follows_its_robots_txt_over_the_same_connection(crawls: Crawls) -> None:
    """Connections are kept for a few hundred requests, so the page must not wait until all sites have been asked."""
    seeds = [f"http://s{n}.example/" for n in range(50)]
    crawls(dict.fromkeys(seeds, page()), *seeds, delay=0.0, server_delay=0.0, connections=2)
    asked = crawls.web.requests()
    assert max(asked.index(seed) - asked.index(f"{seed}robots.txt") for seed in seeds) <= 4


def test_the_crawl_delay_of_robots_txt_is_kept_if_it_is_longer(crawls: Crawls) -> None:
    def script(crawl_delay: float) -> dict[str, Script]:
        return {ROBOTS: robots_txt(f"User-agent: *\nCrawl-delay: {crawl_delay}"), A: page("/1", "/2")}

    crawls(script(7), delay=2.0)
    assert are(rests(crawls.web, "a.example"), *[7.0] * 3)
    crawls(script(1), delay=2.0)
    assert are(rests(crawls.web, "a.example"), *[2.0] * 3)


def test_a_redirected_robots_txt_is_asked_for_when_the_other_sites_crawl_delay_is_known(crawls: Crawls) -> None:
    """What that site's robots.txt forbids is no matter: the request is not for a page."""
    farm = [f"http://s{n}.example/" for n in range(5)]
    script: dict[str, Script] = {f"{site}robots.txt": redirect(B + "theirs") for site in farm}
    script |= {B + "robots.txt": robots_txt("User-agent: *\nDisallow: /\nCrawl-delay: 7")}
    script |= {B + "theirs": robots_txt("User-agent: *\nDisallow: /private")}
    done = crawls(script, *farm, *(f"{site}private" for site in farm))
    assert [seen.url for seen in crawls.web.log if site_of(seen.url) == "b.example"] == [
        B + "robots.txt",
        *[B + "theirs"] * 5,
    ]
    assert are(rests(crawls.web, "b.example"), *[7.0] * 5)
    assert {row["url"] for row in done.pages()} == set(farm)
    assert set(done.outcomes().values()) == {("filtered", "robots")}


def test_of_http_and_https_the_longer_crawl_delay_holds_for_both(crawls: Crawls) -> None:
    secure = A.replace("http", "https")
    script: dict[str, Script] = {
        ROBOTS: robots_txt("User-agent: *\nCrawl-delay: 2"),
        secure + "robots.txt": robots_txt("User-agent: *\nCrawl-delay: 7"),
        A: page("/1", secure, "/2", secure + "3", "/4"),
    }
    crawls(script, delay=1.0)
    assert are(sorted(rests(crawls.web, "a.example")), *[2.0] * 3, *[7.0] * 4)
    assert are(rests(crawls.web, "a.example")[-4:], *[7.0] * 4)


def test_sites_on_one_server_share_its_delay_from_the_first_request_on(crawls: Crawls) -> None:
    sites = [f"http://s{n}.example/" for n in range(4)]
    script: dict[str, Script] = {site: page("/1", "/2", "/3") for site in sites}
    script |= {f"{site}{name}": page() for site in sites for name in ("robots.txt", "1", "2", "3")}
    crawls(script, *sites, delay=0.0, server_delay=2.0, addresses=ON_ONE_SERVER)
    assert {seen.ip for seen in crawls.web.log} == {"192.0.2.9"}
    assert len(crawls.web.log) == 20
    assert min(gaps(crawls.web.log)) >= 2.0
    crawls(script, *sites, delay=0.0, server_delay=0.0, addresses=ON_ONE_SERVER)
    assert crawls.web.most_in_flight == 4


def test_a_server_rests_after_a_request_that_failed_too(crawls: Crawls) -> None:
    sites = [f"http://s{n}.example/" for n in range(2)]
    script: dict[str, Script] = {sites[0]: no_answer("timeout"), sites[1]: page("/1", "/2")}
    crawls(script, *sites, delay=0.0, server_delay=4.0, retries=1, addresses=ON_ONE_SERVER)
    assert len(crawls.web.log) == 7
    assert are(gaps(crawls.web.log), *[4.0] * 6)


# waits, at their edges


@pytest.mark.parametrize(("asked_for", "rest"), [("0.25", 1.0), ("soon", 1.0), ("-3", 1.0), ("nan", 1.0), ("4", 4.0)])
def test_no_crawl_delay_shortens_the_rest(crawls: Crawls, asked_for: str, rest: float) -> None:
    crawls({ROBOTS: robots_txt(f"User-agent: *\nCrawl-delay: {asked_for}\n"), A: page("/1", "/2")}, delay=1.0)
    assert are(rests(crawls.web, "a.example"), *[rest] * 3)


def test_a_retry_waits_no_less_than_the_crawl_delay(crawls: Crawls) -> None:
    script: dict[str, Script] = {ROBOTS: robots_txt("User-agent: *\nCrawl-delay: 7"), A: [no_answer(), page()]}
    crawls(script, retry_wait=0.5)
    assert are(rests(crawls.web, "a.example"), 7.0, 7.0)


def test_servers_do_not_wait_for_each_other(crawls: Crawls) -> None:
    crawls({A: page(), B: page()}, A, B, delay=0.0, server_delay=8.0)
    assert are(rests(crawls.web, "a.example"), 8.0)
    assert are(rests(crawls.web, "b.example"), 8.0)
    assert {round(seen.began, 6) for seen in crawls.web.when(A)} == {
        round(seen.began, 6) for seen in crawls.web.when(B)
    }


def test_sites_of_one_server_are_visited_as_soon_as_it_has_rested(crawls: Crawls) -> None:
    sites = [f"http://s{n}.example/" for n in range(4)]
    crawls({site: page("/1") for site in sites}, *sites, delay=0.0, server_delay=1.5, addresses=ON_ONE_SERVER)
    assert are(gaps(crawls.web.log), *[1.5] * 11)


# delays that grow


def test_a_slow_site_rests_as_long_as_it_took_to_answer(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page("/1", "/2", seconds=4.0), A + "1": page(seconds=0.5)}
    crawls(script, delay=1.0, delay_factor=2.0)
    assert are(rests(crawls.web, "a.example"), 1.0, 8.0, 1.0)
    crawls(script, delay=1.0, delay_factor=0.0)
    assert are(rests(crawls.web, "a.example"), 1.0, 1.0, 1.0)
    crawls(script, delay=0.0, server_delay=0.0, delay_factor=2.0)
    assert are(rests(crawls.web, "a.example"), 0.0, 0.0, 0.0)


def test_no_crawl_delay_is_waited_for_longer_than_was_said(crawls: Crawls) -> None:
    script: dict[str, Script] = {ROBOTS: robots_txt("User-agent: *\nCrawl-delay: 5000"), A: page("/1")}
    crawls(script)
    assert are(rests(crawls.web, "a.example"), 60.0, 60.0)
    crawls(script, max_crawl_delay=3.0)
    assert are(rests(crawls.web, "a.example"), 3.0, 3.0)


# answers that say: not now


@pytest.mark.parametrize("status", [429, 503])
def test_an_answer_that_says_not_now_is_asked_for_again(crawls: Crawls, status: int) -> None:
    done = crawls({A: [too_busy(status), too_busy(status), page("/x")]}, retries=2)
    assert crawls.web.requests() == [ROBOTS, A, A, A, A + "x"]
    assert are(rests(crawls.web, "a.example"), 1.0, 2.0, 4.0, 1.0)
    assert done.page(A)["status"] == 200
    assert done.report["errors"] == {str(status): 2}


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_an_answer_that_says_not_now_again_and_again_is_a_page(crawls: Crawls, retries: int) -> None:
    done = crawls({A: too_busy(503)}, retries=retries)
    assert crawls.web.requests() == [ROBOTS] + [A] * (1 + retries)
    assert done.page(A)["status"] == 503
    assert done.outcomes() == {}
    assert done.report["statuses"] == {"503": 1}


def in_seconds(seconds: float) -> str:
    """A moment so many seconds after that at which a crawl begins."""
    return formatdate(EPOCH_1970 + 1000.0 + seconds, usegmt=True)


@pytest.mark.parametrize(
    ("headers", "rest"),
    [
        (["Retry-After: 40"], 40.0),
        (["retry-after:40"], 40.0),
        (["Retry-After: 1"], 2.0),
        (["Retry-After: soon"], 2.0),
        (["Retry-After: -40"], 2.0),
        ([f"Retry-After: {in_seconds(140)}", f"Date: {in_seconds(100)}"], 40.0),
        ([f"Retry-After: {in_seconds(-5)}"], 2.0),
    ],
)
def test_a_site_is_left_alone_for_as_long_as_it_asks(crawls: Crawls, headers: list[str], rest: float) -> None:
    crawls({A: [too_busy(503, *headers), page()]}, A, A + "x", retry_wait=2.0)
    assert crawls.web.requests() == [ROBOTS, A, A, A + "x"]
    assert are(rests(crawls.web, "a.example"), 1.0, rest, 1.0)


def test_a_date_counts_from_the_answer_if_that_has_none_of_its_own(crawls: Crawls) -> None:
    """The page is asked for 1.1 seconds after the crawl began, and a rest begins when the answer has come."""
    crawls({A: [too_busy(503, f"Retry-After: {in_seconds(60)}"), page()]})
    first, second = crawls.web.when(A)
    assert 1060.0 <= second.began <= 1060.0 + 0.2
    assert first.ended < 1002.0


def test_what_is_asked_for_again_uses_up_no_pages(crawls: Crawls) -> None:
    done = crawls({A: [too_busy(503), page("/1", "/2", "/3")], A + "1": too_busy(429)}, max_pages=3, retries=1)
    assert len(done.pages()) == 3
    assert done.report["statuses"] == {"200": 1, "429": 1, "404": 1}


# sites that are given up


def test_a_site_that_does_not_answer_so_often_is_given_up(crawls: Crawls) -> None:
    dead: dict[str, Script] = {f"{A}{n}": no_answer() for n in range(20)} | {B: page("/1")}
    done = crawls(dead, *(f"{A}{n}" for n in range(20)), B, retries=0, site_errors=5)
    assert len(crawls.web.requests(A)) == 1 + 5
    failed = {f"{A}{n}": ("failed", "timeout" if n < 5 else "site-errors") for n in range(20)}
    assert done.outcomes() == failed
    assert done.report["reasons"]["failed"] == {"timeout": 5, "site-errors": 15}
    assert {row["url"] for row in done.pages()} == {B, B + "1"}


def test_tries_count_and_so_does_not_now(crawls: Crawls) -> None:
    script: dict[str, Script] = {A + "1": no_answer(), A + "2": too_busy(503)}
    done = crawls(script, A + "1", A + "2", A + "3", retries=1, site_errors=4)
    assert done.outcomes() == {A + "1": ("failed", "timeout"), A + "3": ("failed", "site-errors")}
    assert done.page(A + "2")["status"] == 503


def test_an_answer_makes_good_for_all_errors_before_it(crawls: Crawls) -> None:
    script: dict[str, Script] = {f"{A}{n}": no_answer() if n % 3 else page() for n in range(20)}
    done = crawls(script, *(f"{A}{n}" for n in range(20)), retries=0, site_errors=3)
    assert set(done.outcomes().values()) == {("failed", "timeout")}
    assert len(done.pages()) == 7


@pytest.mark.parametrize("retries", [0, 1])
def test_a_site_that_never_answered_has_failed_with_its_error(crawls: Crawls, retries: int) -> None:
    done = crawls({ROBOTS: no_answer("tls")}, *(f"{A}{n}" for n in range(9)), retries=retries, site_errors=1)
    assert crawls.web.requests() == [ROBOTS] * (1 + retries)
    assert set(done.outcomes().values()) == {("failed", "tls")}


def test_what_robots_txt_forbids_is_told_of_a_site_that_was_given_up_too(crawls: Crawls) -> None:
    done = crawls({ROBOTS: FORBID, A: no_answer()}, A, A + "private", A + "x", retries=0, site_errors=1)
    assert done.outcomes() == {
        A: ("failed", "timeout"),
        A + "private": ("filtered", "robots"),
        A + "x": ("failed", "site-errors"),
    }


# addresses


def test_a_site_is_connected_to_where_its_address_says_and_looked_up_once(crawls: Crawls) -> None:
    crawls({A: page("/1", B), A + "1": page(), B: page()}, addresses={"a.example": ["192.0.2.7", "192.0.2.8"]})
    assert {seen.ip for seen in crawls.web.log if site_of(seen.url) == "a.example"} == {"192.0.2.7"}
    assert crawls.web.lookups == ["http://a.example", "http://b.example"]


def test_the_next_address_is_tried_when_nobody_answers_at_one(crawls: Crawls) -> None:
    done = crawls(
        {A: page("/1")},
        addresses={"a.example": ["192.0.2.7", "192.0.2.8", "192.0.2.9"]},
        down=["192.0.2.7", "192.0.2.8"],
    )
    assert [(seen.url, seen.ip[-1]) for seen in crawls.web.log] == [
        *((ROBOTS, end) for end in "789"),
        *((url, "9") for url in (A, A + "1")),
    ]
    assert done.outcomes() == {}
    assert min(rests(crawls.web, "a.example")) >= 1.0


def test_a_site_with_no_address_at_which_anybody_answers_has_failed(crawls: Crawls) -> None:
    addresses = ["192.0.2.7", "192.0.2.8"]
    done = crawls({A: page()}, A, addresses={"a.example": addresses}, down=addresses, retries=3)
    assert [seen.ip for seen in crawls.web.log] == addresses * 2
    assert done.outcomes() == {A: ("failed", "connect")}


def test_an_address_is_looked_up_again_when_it_is_out_of_date(crawls: Crawls) -> None:
    done = crawls({f"{A}{n or ''}": page(f"/{n + 1}") for n in range(20)}, address_seconds=5.0)
    assert len(done.pages()) == 21
    assert 4 <= len(crawls.web.lookups) <= 6
    assert crawls.web.requests().count(ROBOTS) == 1


def test_a_site_that_moves_keeps_its_delay(crawls: Crawls) -> None:
    script: dict[str, Script] = {f"{A}{n or ''}": page(f"/{n + 1}") for n in range(20)}

    def move(count: int) -> None:
        crawls.web.addresses["a.example"] = ("192.0.2.7",) if count < 10 else ("192.0.2.8",)

    done = crawls(script, address_seconds=3.0, delay=2.0, on_start=move)
    assert len(done.pages()) == 21
    assert [seen.ip[-1] for seen in crawls.web.log][2:] == sorted(seen.ip[-1] for seen in crawls.web.log[2:])
    assert crawls.web.log[-1].ip == "192.0.2.8"
    assert are(rests(crawls.web, "a.example"), *[2.0] * 21)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_may_not_be_connected_to_is_filtered(crawls: Crawls, refusal: str) -> None:
    done = crawls({A: page(B, B + "x", "/1"), B: page()}, lost={"b.example": refusal})
    assert not crawls.web.requests(B)
    assert done.outcomes() == dict.fromkeys((B, B + "x"), ("filtered", refusal))
    assert done.report["reasons"]["filtered"] == {refusal: 2}
    assert len(done.pages()) == 2


def test_a_name_without_an_address_has_failed(crawls: Crawls) -> None:
    done = crawls({A: page(B, "https://b.example/y", "/1")}, lost={"b.example": "dns"})
    assert not crawls.web.requests("b.example")
    assert done.outcomes() == dict.fromkeys((B, "https://b.example/y"), ("failed", "dns"))
    assert done.report["reasons"]["failed"] == {"dns": 2}


def test_a_redirect_to_where_nobody_may_connect_is_a_link_like_any(crawls: Crawls) -> None:
    done = crawls({A: redirect(B)}, lost={"b.example": "internal-address"})
    assert done.page(A)["redirect"] == B
    assert done.outcomes() == {B: ("filtered", "internal-address")}

"""What is asked of the web, in what order and when; and what becomes of the answers."""

import gzip
from hashlib import sha1
from itertools import pairwise

import pytest

from crawler.web import ERROR_KINDS
from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT
from sessions.url import site_of, url_hash
from tests.crawler.fake_web import EPOCH_1970, Answer, Crawls, FakeWeb, Script, no_answer, page, redirect, robots_txt

A, B = "http://a.example/", "http://b.example/"
ROBOTS = A + "robots.txt"
FORBID = robots_txt("User-agent: *\nDisallow: /private")


def rests(web: FakeWeb, site: str) -> list[float]:
    """The time from the end of each request to a site to the beginning of the next; never negative."""
    visits = [seen for seen in web.log if site_of(seen.url) == site]
    return [round(after.began - before.ended, 6) for before, after in pairwise(visits)]


# robots.txt


def test_robots_txt_is_asked_for_first_and_once_for_each_origin(crawls: Crawls) -> None:
    secure, other = "https://a.example/", "http://a.example:8080/"
    crawls({A: page("/1", "/2", secure, other), A + "1": page(), secure: page(), other: page(A)})
    requests = crawls.web.requests()
    for origin in (A, secure, other):
        assert requests.count(origin + "robots.txt") == 1
        assert requests.index(origin + "robots.txt") < requests.index(origin)


def test_what_robots_txt_forbids_is_never_requested(crawls: Crawls) -> None:
    done = crawls({ROBOTS: FORBID, A: page("/private/1", "/2", "/private/3"), A + "2": page()})
    assert crawls.web.requests() == [ROBOTS, A, A + "2"]
    assert done.outcomes() == {A + "private/1": ("filtered", "robots"), A + "private/3": ("filtered", "robots")}
    assert done.report["robots_fetched"] == 1


def test_our_name_in_robots_txt_is_what_stands_before_the_slash(crawls: Crawls) -> None:
    script: dict[str, Script] = {ROBOTS: robots_txt("User-agent: mybot\nDisallow: /"), A: page()}
    assert len(crawls(script, user_agent="mybot/2.0 (+http://x.example/)").outcomes()) == 1
    assert len(crawls(script, user_agent="other/2.0 (like mybot)").pages()) == 1


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_that_fails_to_give_robots_txt_is_left_alone(crawls: Crawls, status: int) -> None:
    done = crawls({ROBOTS: Answer(b"User-agent: *\nAllow: /", status), A: page(), B: page()}, A, A + "x", B)
    assert done.outcomes() == dict.fromkeys((A, A + "x"), ("filtered", f"robots-{status}"))
    assert [row["url"] for row in done.pages()] == [B]


def test_redirects_of_robots_txt_are_followed_with_the_delay_in_between(crawls: Crawls) -> None:
    hops: dict[str, Script] = {ROBOTS: redirect("/r1")} | {f"{A}r{n}": redirect(f"/r{n + 1}") for n in range(1, 5)}
    done = crawls(hops | {A + "r5": FORBID, A: page()}, A, A + "private", delay=3.0)
    assert crawls.web.requests() == [ROBOTS, *(f"{A}r{n}" for n in range(1, 6)), A]
    assert rests(crawls.web, "a.example") == [3.0] * 6
    assert done.outcomes() == {A + "private": ("filtered", "robots")}
    assert done.report["robots_fetched"] == 6


def test_a_sixth_redirect_of_robots_txt_means_that_there_is_none(crawls: Crawls) -> None:
    hops: dict[str, Script] = {ROBOTS: redirect("/r1")} | {f"{A}r{n}": redirect(f"/r{n + 1}") for n in range(1, 6)}
    done = crawls(hops | {A + "r6": robots_txt("User-agent: *\nDisallow: /"), A: page()})
    assert crawls.web.requests() == [ROBOTS, *(f"{A}r{n}" for n in range(1, 6)), A]
    assert len(done.pages()) == 1


def test_robots_txt_may_lie_on_another_site(crawls: Crawls) -> None:
    done = crawls({ROBOTS: redirect(B + "robots.txt"), B + "robots.txt": FORBID, A: page()}, A + "private", A)
    assert done.outcomes() == {A + "private": ("filtered", "robots")}
    assert [row["url"] for row in done.pages()] == [A]


@pytest.mark.xfail(strict=True, reason="a robots.txt that redirects to another site is fetched there without asking")
def test_a_site_is_left_to_rest_from_the_robots_txt_of_others_too(crawls: Crawls) -> None:
    crawls({ROBOTS: redirect(B + "robots.txt"), A: page(), B: page(*(f"/{n}" for n in range(5)))}, A, B, delay=4.0)
    assert min(rests(crawls.web, "b.example")) >= 4.0


def test_a_robots_txt_that_does_not_come_is_asked_for_again(crawls: Crawls) -> None:
    done = crawls({ROBOTS: [no_answer(), no_answer("disconnect"), FORBID], A: page()}, A, A + "private")
    assert crawls.web.requests() == [ROBOTS, ROBOTS, ROBOTS, A]
    assert rests(crawls.web, "a.example") == [2.0, 4.0, 1.0]
    assert done.outcomes() == {A + "private": ("filtered", "robots")}
    assert done.report["errors"] == {"timeout": 1, "disconnect": 1}


def test_pages_of_a_site_whose_robots_txt_never_comes_have_failed(crawls: Crawls) -> None:
    done = crawls({ROBOTS: no_answer("dns")}, A, A + "x", retries=1)
    assert crawls.web.requests() == [ROBOTS, ROBOTS]
    assert done.outcomes() == dict.fromkeys((A, A + "x"), ("failed", "dns"))
    assert done.report["failed"] == 2
    assert done.report["errors"] == {"dns": 2}


# delays


def test_a_site_is_asked_one_thing_at_a_time_with_its_delay_in_between(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: page(*(f"/{n}" for n in range(20)), "https://a.example/")}
    script |= {f"{A}{n}": page(seconds=0.1 * n) for n in range(20)}
    crawls(script, delay=1.5)
    assert rests(crawls.web, "a.example") == [1.5] * 23


def test_the_crawl_delay_of_robots_txt_is_kept_if_it_is_longer(crawls: Crawls) -> None:
    def script(crawl_delay: float) -> dict[str, Script]:
        return {ROBOTS: robots_txt(f"User-agent: *\nCrawl-delay: {crawl_delay}"), A: page("/1", "/2")}

    crawls(script(7), delay=2.0)
    assert rests(crawls.web, "a.example") == [7.0] * 3
    crawls(script(1), delay=2.0)
    assert rests(crawls.web, "a.example") == [2.0] * 3


def test_sites_on_one_server_share_its_delay_once_it_is_known(crawls: Crawls) -> None:
    sites = [f"http://s{n}.example/" for n in range(4)]
    script: dict[str, Script] = {site: page("/1", "/2", "/3", ip="192.0.2.9") for site in sites}
    script |= {f"{site}{name}": page(ip="192.0.2.9") for site in sites for name in ("robots.txt", "1", "2", "3")}
    crawls(script, *sites, delay=0.0, server_delay=2.0)
    visits = [seen for seen in crawls.web.log if not seen.url.endswith("robots.txt")]
    assert len(visits) == 16
    assert all(after.began - before.ended >= 2.0 - 1e-9 for before, after in pairwise(visits))
    crawls(script, *sites, delay=0.0, server_delay=0.0)
    assert crawls.web.most_in_flight == 4


# answers


def test_a_request_that_fails_is_made_again_after_waits_that_double(crawls: Crawls) -> None:
    done = crawls({A: no_answer("connect")}, A, A + "next", retries=3, retry_wait=2.0)
    assert crawls.web.requests() == [ROBOTS, *[A] * 4, A + "next"]
    assert rests(crawls.web, "a.example") == [1.0, 2.0, 4.0, 8.0, 1.0]
    assert done.outcomes() == {A: ("failed", "connect")}
    assert done.report["errors"] == {"connect": 4}
    assert done.report["reasons"]["failed"] == {"connect": 1}


def test_the_delay_is_kept_before_a_retry_if_it_is_longer(crawls: Crawls) -> None:
    crawls({A: no_answer()}, retries=2, retry_wait=1.0, delay=3.0)
    assert rests(crawls.web, "a.example") == [3.0, 3.0, 3.0]


def test_an_answer_after_retries_is_a_page_like_any(crawls: Crawls) -> None:
    done = crawls({A: [no_answer("timeout"), no_answer("empty"), page("/x")]})
    assert done.page(A)["status"] == 200
    assert done.outcomes() == {}
    assert done.report["errors"] == {"timeout": 1, "empty": 1}
    assert done.report["failed"] == 0


def test_no_retries_means_one_request(crawls: Crawls) -> None:
    done = crawls({A: no_answer("tls")}, retries=0)
    assert crawls.web.when(A)[1:] == []
    assert done.outcomes() == {A: ("failed", "tls")}


@pytest.mark.parametrize("status", [404, 410, 500, 503, 999])
def test_any_answer_is_a_page_and_is_not_asked_for_again(crawls: Crawls, status: int) -> None:
    done = crawls({A: Answer(b"<a href=/x>", status)})
    assert crawls.web.requests() == [ROBOTS, A]
    assert done.page(A)["status"] == status
    assert done.report["statuses"] == {str(status): 1}


@pytest.mark.parametrize(
    ("error", "truncated"), [("size", "length"), ("timeout", "time"), ("disconnect", "disconnect")]
)
def test_a_body_that_broke_off_is_recorded_as_such_and_its_links_are_followed(
    crawls: Crawls, error: str, truncated: str
) -> None:
    done = crawls({A: page("/x", error=error, truncated=truncated), A + "x": page()})
    assert (done.page(A)["error"], done.page(A)["truncated"]) == (error, truncated)
    assert (done.page(A + "x")["error"], done.page(A + "x")["truncated"]) == (None, None)
    assert crawls.web.requests() == [ROBOTS, A, A + "x"]
    assert done.report["errors"] == {}


def test_what_cannot_be_decoded_is_recorded_with_the_reason(crawls: Crawls) -> None:
    brotli = Answer(b"\x8b\x00\x80", headers=("Content-Type: text/html", "Content-Encoding: br"))
    done = crawls({A: brotli})
    assert done.page(A)["error"] == "content encoding br is not decoded"
    assert (done.page(A)["bytes"], done.page(A)["decoded_bytes"]) == (3, 0)


def test_a_row_of_the_pages_table_says_what_happened(crawls: Crawls) -> None:
    document = b'<p><a href="/x">x</a>'
    answer = Answer(
        gzip.compress(document),
        headers=(
            "Content-Type: text/html; charset=utf-8",
            "Content-Encoding: gzip",
            'ETag: "v1"',
            "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT",
        ),
        seconds=0.25,
        ip="192.0.2.77",
    )
    done = crawls({A: answer})
    row = done.page(A)
    (seen,) = crawls.web.when(A)
    assert row.pop("fetched").timestamp() == pytest.approx(EPOCH_1970 + seen.began, abs=1e-5)
    assert row.pop("warc_offset") > 0
    assert row.pop("warc_file") == done.session.warc_files()[0].path.name
    assert row.pop("superstep") >= 0
    assert row == {
        "url": A,
        "hash": url_hash(A),
        "site": "a.example",
        "status": 200,
        "bytes": len(answer.body),
        "decoded_bytes": len(document),
        "content_type": "text/html; charset=utf-8",
        "content_encoding": "gzip",
        "content_digest": sha1(document).digest(),
        "etag": '"v1"',
        "last_modified": "Mon, 01 Jan 2024 00:00:00 GMT",
        "milliseconds": 250.0,
        "depth": 0,
        "hops": 0,
        "ip": "192.0.2.77",
        "truncated": None,
        "simhash": None,
        "rank": 0,
        "run": done.session.header["run"],
        "error": None,
        "redirect": None,
    }
    assert done.report["bytes"] == len(answer.body) + len(b"none")
    assert done.report["decoded_bytes"] == len(document) + len(b"none")


def test_a_bomb_is_read_up_to_the_limit(crawls: Crawls) -> None:
    bomb = Answer(gzip.compress(bytes(1 << 20)), headers=("Content-Type: text/html", "Content-Encoding: gzip"))
    row = crawls({A: bomb}, max_decoded=0.25).page(A)
    assert row["decoded_bytes"] == 1 << 18
    assert row["error"] == "expands beyond the limit"


# limits, combined


def many_sites(answer: Answer | None = None) -> dict[str, Script]:
    """A page with links to nine pages on each of two sites; those of the first take different times."""
    script: dict[str, Script] = {A: page(*(f"{site}{n}" for n in range(9) for site in (A, B)))}
    return script | {f"{A}{n}": answer or page(seconds=0.125 * (1 + n % 3)) for n in range(9)}


@pytest.mark.parametrize("delay", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("connections", [1, 64])
def test_a_site_rests_its_delay_and_with_connections_to_spare_no_longer(
    crawls: Crawls, delay: float, connections: int
) -> None:
    assert len(crawls(many_sites(), delay=delay, server_delay=0.0, connections=connections).pages()) == 19
    for site in ("a.example", "b.example"):
        assert min(rests(crawls.web, site)) >= delay
        assert connections == 1 or max(rests(crawls.web, site)) == delay
    assert (crawls.web.most_in_flight == 1) == (connections == 1)


@pytest.mark.parametrize("limit", [1, 2, 10, 18])
@pytest.mark.parametrize("connections", [1, 64])
def test_failures_take_no_part_of_a_page_limit(crawls: Crawls, limit: int, connections: int) -> None:
    failing = many_sites() | {f"{A}{n}": [no_answer(), page()] for n in range(4)} | {A + "8": no_answer()}
    done = crawls(failing, max_pages=limit, connections=connections, retries=1, retry_wait=0.0, delay=0.0)
    assert len(done.pages()) == limit
    answered = len([url for url in crawls.web.requests() if not url.endswith("/robots.txt")])
    assert answered == limit + sum(done.report["errors"].values())


# waits, at their edges


@pytest.mark.parametrize(("asked_for", "rest"), [("0.25", 1.0), ("soon", 1.0), ("-3", 1.0), ("nan", 1.0), ("4", 4.0)])
def test_no_crawl_delay_shortens_the_rest(crawls: Crawls, asked_for: str, rest: float) -> None:
    crawls({ROBOTS: robots_txt(f"User-agent: *\nCrawl-delay: {asked_for}\n"), A: page("/1", "/2")}, delay=1.0)
    assert rests(crawls.web, "a.example") == [rest] * 3


def test_a_retry_waits_no_less_than_the_crawl_delay(crawls: Crawls) -> None:
    crawls({ROBOTS: robots_txt("User-agent: *\nCrawl-delay: 5"), A: [no_answer(), page()]}, retry_wait=0.5)
    assert rests(crawls.web, "a.example") == [5.0, 5.0]


def test_servers_do_not_wait_for_each_other(crawls: Crawls) -> None:
    script: dict[str, Script] = {
        f"{site}{name}": page(ip=ip) for site, ip in ((A, "192.0.2.1"), (B, "192.0.2.2")) for name in ("", "robots.txt")
    }
    crawls(script, A, B, delay=0.0, server_delay=8.0)
    assert rests(crawls.web, "a.example") == rests(crawls.web, "b.example") == [8.0]
    assert {round(seen.began, 6) for seen in crawls.web.when(A)} == {
        round(seen.began, 6) for seen in crawls.web.when(B)
    }


def test_sites_of_one_server_are_visited_as_soon_as_it_has_rested(crawls: Crawls) -> None:
    sites = [f"http://s{n}.example/" for n in range(4)]
    script: dict[str, Script] = {
        f"{site}{x}": page("/1", ip="192.0.2.9") for site in sites for x in ("", "robots.txt", "1")
    }
    crawls(script, *sites, delay=0.0, server_delay=1.5)
    known = crawls.web.log[len(sites) :]  # before its first answer nobody knows that a site is on this server
    assert len(known) == 2 * len(sites)
    assert {round(after.began - before.ended, 6) for before, after in pairwise(known)} == {1.5}


# what becomes of answers


@pytest.mark.parametrize("kind", [kind for kind in ERROR_KINDS if kind != "url"])
def test_what_never_answers_has_failed_with_the_last_error(crawls: Crawls, kind: str) -> None:
    done = crawls({A: [no_answer("other"), no_answer(kind)]}, A, B, retries=1)
    assert done.outcomes() == {A: ("failed", kind)}
    assert len(crawls.web.when(A)) == 2
    assert [row["url"] for row in done.pages()] == [B]


def test_a_compressed_robots_txt_is_understood(crawls: Crawls) -> None:
    answer = Answer(gzip.compress(FORBID.body), headers=("Content-Encoding: gzip",))
    done = crawls({ROBOTS: answer}, A + "private", A)
    assert done.outcomes() == {A + "private": ("filtered", "robots")}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_where_there_is_no_robots_txt_everything_is_allowed(crawls: Crawls, status: int) -> None:
    done = crawls({ROBOTS: Answer(b"User-agent: *\nDisallow: /", status)}, A)
    assert done.outcomes() == {}


def test_a_url_beyond_the_redirect_limit_is_fetched_when_a_link_leads_there(crawls: Crawls) -> None:
    script: dict[str, Script] = {A: redirect("/1"), A + "1": redirect("/2"), A + "9": page("/2")}
    done = crawls(script, A, A + "9", max_redirects=1)
    assert done.page(A + "2")["hops"] == 0
    assert done.outcomes() == {}


def test_links_are_recorded_with_their_flags(crawls: Crawls) -> None:
    html = b'<a href=1 rel=nofollow></a><iframe src=2></iframe><a href=3></a><a href="/"></a><a href=3></a>'
    done = crawls({A: Answer(html), A + "3": redirect("/4")})
    assert done.links() == {
        (A, A + "1", NOFOLLOW): 1,
        (A, A + "2", EMBEDDED): 1,
        (A, A + "3", 0): 1,
        (A + "3", A + "4", REDIRECT): 1,
    }


def test_a_bare_answer_leaves_nulls(crawls: Crawls) -> None:
    row = crawls({A: Answer(b"", 204, headers=(), ip="")}).page(A)
    nulls = ["content_type", "content_encoding", "content_digest", "etag", "last_modified", "ip"]
    assert [name for name, value in row.items() if value is None] == [
        *nulls,
        "truncated",
        "simhash",
        "error",
        "redirect",
    ]


def test_a_server_rests_after_a_request_that_failed_too(crawls: Crawls) -> None:
    """The address is not told again with an error; the one that the site was last reached at counts."""
    script: dict[str, Script] = {
        f"{site}{name}": page(ip="192.0.2.9") for site in (A, B) for name in ("", "robots.txt")
    } | {A: no_answer("timeout"), B: page("/1", "/2", ip="192.0.2.9")}
    crawls(script, A, B, delay=0.0, server_delay=4.0, retries=0)
    visits = [seen for seen in crawls.web.log if not seen.url.endswith("robots.txt")]
    assert len(visits) >= 2
    assert all(after.began - before.ended >= 4.0 - 1e-9 for before, after in pairwise(visits))


def test_half_a_robots_txt_is_none(crawls: Crawls) -> None:
    """What was cut off may be what forbids."""
    broken = Answer(b"User-agent: *\nDis", error="disconnect", truncated="disconnect")
    done = crawls({ROBOTS: broken, A: page()}, retries=1)
    assert crawls.web.requests() == [ROBOTS, ROBOTS]
    assert done.outcomes() == {A: ("failed", "disconnect")}


def test_a_robots_txt_in_an_encoding_that_is_not_ours_forbids(crawls: Crawls) -> None:
    done = crawls({ROBOTS: Answer(b"\x8b\x00", headers=("Content-Encoding: br",)), A: page()})
    assert crawls.web.requests() == [ROBOTS]
    assert done.outcomes() == {A: ("failed", "encoding")}


def test_a_robots_txt_that_is_too_long_counts_as_far_as_it_is_read(crawls: Crawls) -> None:
    cut = Answer(b"User-agent: *\nDisallow: /no\n", error="size", truncated="length")
    done = crawls({ROBOTS: cut, A: page("/no", "/yes")})
    assert {row["url"] for row in done.pages()} == {A, A + "yes"}


def test_a_host_that_cannot_be_asked_for_is_not_asked_again(crawls: Crawls) -> None:
    crawls({ROBOTS: no_answer("url")}, A, retries=3)
    assert crawls.web.requests() == [ROBOTS]

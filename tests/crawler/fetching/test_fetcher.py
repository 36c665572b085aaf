"""What is asked of the web, in what order and when; and what becomes of the answers."""

import gzip
from collections import Counter
from hashlib import sha1

import pytest

from crawler.network.web import ERROR_KINDS, PROXY
from crawler.pages.content_decoding import TOO_LARGE, UNKNOWN_ENCODING
from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT
from sessions.url import domain_of, url_hash
from tests.crawler.support.fake_web import (
    EPOCH_1970,
    Answer,
    Crawls,
    Script,
    no_answer,
    page,
    redirect,
    robots_txt,
)
from tests.crawler.support.visit_log import are, rests

A, B = "http://a.example/", "http://b.example/"
ROBOTS = A + "robots.txt"
FORBID = robots_txt("User-agent: *\nDisallow: /private")


# answers


def test_a_request_that_fails_is_made_again_after_waits_that_double(crawls: Crawls) -> None:
    done = crawls({A: no_answer("connect")}, A, A + "next", retries=3, retry_wait=2.0, delay_factor=0.0)
    assert crawls.web.requests() == [ROBOTS, *[A] * 4, A + "next"]
    assert are(rests(crawls.web, "a.example"), 1.0, 2.0, 4.0, 8.0, 16.0)
    assert done.outcomes() == {A: ("failed", "connect")}
    assert done.report["errors"] == {"connect": 4}
    assert done.report["reasons"]["failed"] == {"connect": 1}


def test_the_delay_is_kept_before_a_retry_if_it_is_longer(crawls: Crawls) -> None:
    crawls({A: no_answer()}, retries=2, retry_wait=1.0, delay=3.0, delay_factor=0.0)
    assert are(rests(crawls.web, "a.example"), 3.0, 3.0, 3.0)


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


def test_a_request_that_nobody_may_have_read_is_sent_once_more_than_that(crawls: Crawls) -> None:
    unread = no_answer("disconnect", is_unread=True)
    done = crawls({A: [unread, page()], B: [unread, no_answer("disconnect")]}, A, B, retries=0)
    assert [row["url"] for row in done.pages()] == [A]
    assert done.outcomes() == {B: ("failed", "disconnect")}
    assert (len(crawls.web.when(A)), len(crawls.web.when(B))) == (2, 2)


@pytest.mark.parametrize("status", [404, 410, 500, 502, 999])
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
    assert done.page(A)["error"] == UNKNOWN_ENCODING
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
        "noindex": False,
        "nofollow": False,
        "duplicate_of": None,
        "unchanged_since": None,
        "payload_digest": sha1(answer.body).digest(),
    }
    assert done.report["bytes"] == len(answer.body) + len(b"none")
    assert done.report["decoded_bytes"] == len(document) + len(b"none")


def test_a_bomb_is_read_up_to_the_limit(crawls: Crawls) -> None:
    bomb = Answer(gzip.compress(bytes(1 << 20)), headers=("Content-Type: text/html", "Content-Encoding: gzip"))
    row = crawls({A: bomb}, max_decoded=0.25).page(A)
    assert row["decoded_bytes"] == 1 << 18
    assert row["error"] == TOO_LARGE


# caps


@pytest.mark.parametrize("cap", [1, 4, 40])
def test_no_more_pages_of_a_site_are_fetched_than_its_cap(crawls: Crawls, cap: int) -> None:
    done = crawls({A: page(*(f"{site}{n}" for n in range(30) for site in (A, B)))}, max_pages_per_site=cap, delay=0.0)
    assert Counter(row["site"] for row in done.pages()) == {"a.example": min(cap, 31), "b.example": min(cap, 30)}
    assert set(done.outcomes().values()) <= {("filtered", "site-cap")}
    assert len(crawls.web.requests()) == len(done.pages()) + 2


def test_no_more_pages_below_a_prefix_are_fetched_than_its_cap(crawls: Crawls) -> None:
    targets = [f"{A}{name}/{n}" for n in range(9) for name in ("x", "y")]
    done = crawls({A: page(*targets, "/z")}, max_pages_per_prefix=4, delay=0.0)
    fetched = Counter(row["url"].removeprefix(A).partition("/")[0] for row in done.pages())
    assert fetched == {"x": 4, "y": 4, "z": 1, "": 1}
    assert set(done.outcomes().values()) == {("filtered", "prefix-cap")}


@pytest.mark.parametrize("cap", [1, 10, 99])
def test_no_more_pages_of_a_domain_are_fetched_than_its_cap(crawls: Crawls, cap: int) -> None:
    hosts = [f"http://{name}.farm.example/" for name in "uvw"]
    links = page(*(f"{host}{n}" for n in range(6) for host in (*hosts, B)))
    done = crawls({A: links}, max_pages_per_domain=cap, delay=0.0)
    fetched = Counter(domain_of(row["site"]) for row in done.pages())
    assert fetched == {"a.example": 1, "b.example": min(cap, 6), "farm.example": min(cap, 18)}
    assert set(done.outcomes().values()) <= {("filtered", "domain-cap")}


@pytest.mark.parametrize("cap", [1, 10, 99])
def test_no_more_pages_of_an_address_are_fetched_than_its_cap(crawls: Crawls, cap: int) -> None:
    hosts = {f"{name}.example": [f"2001:db8:7:1::{name}"] for name in "cdef"}
    links = page(*(f"{host}{n}" for n in range(6) for host in (*(f"http://{name}/" for name in hosts), B)))
    done = crawls({A: links}, addresses=hosts | {"a.example": ["192.0.2.1"]}, max_pages_per_address=cap, delay=0.0)
    fetched = Counter("farm" if row["ip"].startswith("2001:db8:7:1:") else row["site"] for row in done.pages())
    assert fetched == {"a.example": 1, "b.example": min(cap, 6), "farm": min(cap, 24)}
    assert set(done.outcomes().values()) <= {("filtered", "address-cap")}


def test_a_site_that_moves_counts_under_the_address_at_which_a_page_was_fetched(crawls: Crawls) -> None:
    """Its second address is tried when the first does not answer; there the cap is not used up."""
    script = {A: page(*(f"/{n}" for n in range(8))), B: page(*(f"/{n}" for n in range(8)))}
    addresses = {"a.example": ["192.0.2.1", "192.0.2.2"], "b.example": ["192.0.2.1"]}
    done = crawls(script, A, B, addresses=addresses, down=["192.0.2.1"], max_pages_per_address=3, retries=1)
    assert Counter(row["ip"] for row in done.pages()) == {"192.0.2.2": 3}
    assert Counter(reason for _, reason in done.outcomes().values())["address-cap"] == 6


def test_what_is_not_fetched_uses_up_no_cap(crawls: Crawls) -> None:
    script: dict[str, Script] = {ROBOTS: FORBID, A: page("/private", *(f"/{n}" for n in range(9)))}
    script |= {A + "0": no_answer(), A + "1": [no_answer(), page()]}
    done = crawls(script, max_pages_per_site=5, retries=1)
    assert [row["url"] for row in done.pages()] == [A, *(f"{A}{n}" for n in (1, 2, 3, 4))]
    assert Counter(done.outcomes().values()) == {
        ("filtered", "robots"): 1,
        ("failed", "timeout"): 1,
        ("filtered", "site-cap"): 4,
    }


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
        assert connections == 1 or are([max(rests(crawls.web, site))], delay)
    assert (crawls.web.most_in_flight == 1) == (connections == 1)


@pytest.mark.parametrize("limit", [1, 2, 10, 18])
@pytest.mark.parametrize("connections", [1, 64])
def test_failures_take_no_part_of_a_page_limit(crawls: Crawls, limit: int, connections: int) -> None:
    failing = many_sites() | {f"{A}{n}": [no_answer(), page()] for n in range(4)} | {A + "8": no_answer()}
    done = crawls(failing, max_pages=limit, connections=connections, retries=1, retry_wait=0.0, delay=0.0)
    assert len(done.pages()) == limit
    answered = len([url for url in crawls.web.requests() if not url.endswith("/robots.txt")])
    assert answered == limit + sum(done.report["errors"].values())


# what becomes of answers


@pytest.mark.parametrize("kind", [kind for kind in ERROR_KINDS if kind != PROXY])
def test_what_never_answers_has_failed_with_the_last_error(crawls: Crawls, kind: str) -> None:
    done = crawls({A: [no_answer("other"), no_answer(kind)]}, A, B, retries=1)
    assert done.outcomes() == {A: ("failed", kind)}
    assert len(crawls.web.when(A)) == 2
    assert [row["url"] for row in done.pages()] == [B]


@pytest.mark.parametrize("kind", ["protocol", "header-size", "url", "tls-expired"])
def test_what_cannot_succeed_by_being_sent_again_is_not(crawls: Crawls, kind: str) -> None:
    hopeless = no_answer(kind, is_hopeless=True)
    done = crawls({A: hopeless, "http://c.example/robots.txt": hopeless}, A, B, "http://c.example/", retries=3)
    assert done.outcomes() == {A: ("failed", kind), "http://c.example/": ("failed", kind)}
    assert len(crawls.web.when(A)) == len(crawls.web.when("http://c.example/robots.txt")) == 1
    assert [row["url"] for row in done.pages()] == [B]


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
        "duplicate_of",
        "unchanged_since",
        "payload_digest",
    ]

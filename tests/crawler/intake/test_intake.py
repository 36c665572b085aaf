"""What becomes of a response: recorded, compared with what came before, its links handed on."""

import gzip
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.intake.comparisons import PageComparisons
from crawler.intake.duplicates.near_duplicates import NearDuplicates
from crawler.network.web import Response
from sessions.schema import REDIRECT, UNFOLLOWED
from sessions.storage.warc import IDENTICAL
from sessions.url import url_hash
from tests.crawler.support.documents import PLENTY, waiting_pages
from tests.crawler.support.intake_ranks import START, Crawl, answer, html, links, records, rows

FIRST, SECOND, THIRD = sorted((f"http://a.example/{name}" for name in ("x", "y", "z")), key=url_hash)
"""In the order of their hashes: of several at once the first one is the first."""
BODY = b"<p>the same <a href=/linked>everywhere</a>" * 20
GZIP = b"Content-Encoding: gzip"


def with_duplicates(path: Path, room: dict[str, int] | None = None, **more: bool) -> Callable[[int], PageComparisons]:
    """Comparing with all documents of the cluster; ``room`` is that of `waiting_pages`."""
    return lambda rank: PageComparisons(waiting_pages(path / f"scratch-{rank}", **room or {}), **more)  # type: ignore[arg-type]


def test_a_page_is_recorded_and_its_links_are_found(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session")
    crawl.superstep(
        html(FIRST, b"<a href=/one><a href=/two rel=nofollow>"), answer(SECOND, b"", b"Location: /three", status=302)
    )
    session = crawl.end()
    assert rows(session)[FIRST]["content_digest"] == sha1(b"<a href=/one><a href=/two rel=nofollow>").digest()
    assert links(session) == {
        (FIRST, "http://a.example/one", 0),
        (FIRST, "http://a.example/two", 1),
        (SECOND, "http://a.example/three", REDIRECT),
    }
    assert {row["url"]: row["status"] for row in rows(session).values()} == {FIRST: 200, SECOND: 302}
    assert records(session)[FIRST][0] == "response"


@pytest.mark.parametrize("at_once", [True, False])
def test_what_came_before_is_recorded_as_a_revisit(tmp_path: Path, at_once: bool) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path))
    pages = [html(FIRST, BODY), html(SECOND, BODY, started=START + 5)]
    for step in [pages] if at_once else [pages[:1], pages[1:]]:
        crawl.superstep(*step)
    session = crawl.end()
    first, second = rows(session)[FIRST], rows(session)[SECOND]
    assert (first["duplicate_of"], second["duplicate_of"]) == (None, url_hash(FIRST))
    assert first["bytes"] == second["bytes"] == len(BODY)
    kind, headers, payload = records(session)[SECOND]
    assert (kind, headers["WARC-Profile"], payload) == ("revisit", IDENTICAL, b"")
    of_first = records(session)[FIRST][1]
    assert headers["WARC-Refers-To-Target-URI"] == FIRST
    assert headers["WARC-Refers-To-Date"] == of_first["WARC-Date"] != headers["WARC-Date"]
    assert headers["WARC-Payload-Digest"] == of_first["WARC-Payload-Digest"]
    assert {(FIRST, "http://a.example/linked", 0), (SECOND, "http://a.example/linked", 0)} == links(session)
    assert crawl.takers[0].counters.duplicates == 1


def test_a_document_that_came_in_another_encoding_is_stored_as_it_came(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path))
    crawl.superstep(html(FIRST, BODY), html(SECOND, gzip.compress(BODY), GZIP))
    crawl.superstep(html(THIRD, gzip.compress(BODY, 1), GZIP))
    session = crawl.end()
    assert [rows(session)[url]["duplicate_of"] for url in (SECOND, THIRD)] == [url_hash(FIRST)] * 2
    assert [records(session)[url][0] for url in (FIRST, SECOND, THIRD)] == ["response"] * 3


@pytest.mark.parametrize(
    "other",
    [
        html(SECOND, b""),
        html(SECOND, BODY, status=404),
        html(SECOND, BODY, truncated="length", error="size"),
        html(SECOND, gzip.compress(BODY)[:-9], GZIP),
        html(SECOND, BODY, error="disconnect", truncated="disconnect"),
    ],
    ids=["empty", "not found", "cut off", "damaged", "broken off"],
)
@pytest.mark.parametrize("comes_first", [True, False])
def test_what_is_no_whole_document_is_not_compared(tmp_path: Path, other: Response, comes_first: bool) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path))
    whole = html(FIRST, other.body or b"", *other.head[1:-1])
    for response in (other, whole) if comes_first else (whole, other):
        crawl.superstep(response)
    crawl.superstep(html(THIRD, BODY))
    session = crawl.end()
    assert [row["duplicate_of"] for row in rows(session).values() if row["url"] != THIRD] == [None, None]
    assert records(session)[SECOND][0] == "response"


def test_a_page_counts_at_once_and_is_recorded_when_its_document_is_known_to_be_new(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path))
    (taker,) = crawl.takers
    taker.take(html(FIRST, BODY))
    taker.discovery.settle()
    assert (taker.counters.fetched, taker.counters.discovered) == (1, 2)
    assert not list(tmp_path.rglob("*.warc.gz"))
    crawl.superstep()
    assert len(rows(crawl.end())) == 1


def test_a_page_for_which_there_is_no_room_is_written_at_once_and_known_afterwards(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path, {"memory": 8000, "disk": 0}))
    crawl.superstep(html(FIRST, bytes(1000)), html(SECOND, bytes(1000)), html(THIRD, bytes(1000)))
    (taker,) = crawl.takers
    assert taker.counters.duplicates == 1
    crawl.superstep(html("http://a.example/later", bytes(1000)))
    session = crawl.end()
    told = {url: row["duplicate_of"] for url, row in rows(session).items()}
    first = url_hash(FIRST)
    assert told == {FIRST: None, SECOND: first, THIRD: None, "http://a.example/later": first}
    assert records(session)[THIRD][0] == "response"


def test_links_of_duplicates_can_be_dropped(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path, skips_duplicate_links=True))
    (taker,) = crawl.takers
    taker.take(html(FIRST, BODY), html(SECOND, BODY))
    taker.discovery.settle()
    assert taker.counters.links == 0, "they wait"
    crawl.superstep()
    assert taker.counters.links == 1
    assert links(crawl.end()) == {(FIRST, "http://a.example/linked", 0)}


def test_duplicates_are_known_where_no_bodies_are_kept(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path), store_bodies=False)
    crawl.superstep(html(FIRST, BODY), html(SECOND, BODY))
    assert rows(crawl.end())[SECOND]["duplicate_of"] == url_hash(FIRST)


def test_a_page_that_is_not_kept_is_no_first_one(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path), honours_noindex=True)
    crawl.superstep(html(FIRST, BODY, b"X-Robots-Tag: noindex"), html(SECOND, BODY))
    session = crawl.end()
    assert rows(session)[SECOND]["duplicate_of"] is None
    assert records(session).keys() == {SECOND}


PAGES = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.booleans()), max_size=20)


NO_ROOM = {"memory": 1, "disk": 0}
ROOMS = [{"content": PLENTY}, {"content": 1 << 12}, {"content": 1 << 12, "memory": 6000}, NO_ROOM]


@settings(deadline=None, derandomize=True, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PAGES, min_size=1, max_size=4), st.integers(1, 3), st.sampled_from(ROOMS), st.booleans())
def test_every_document_is_stored_once_on_however_many_ranks(
    tmp_path_factory: pytest.TempPathFactory,
    plan: list[list[tuple[int, bool, bool]]],
    ranks: int,
    room: dict[str, int],
    wants_all: bool,
) -> None:
    """Where pages can wait; where they cannot, some are stored again, and the session is sound all the same."""
    path = tmp_path_factory.mktemp("crawl")
    crawl = Crawl(path / "session", with_duplicates(path, room), ranks=ranks)
    count = 0
    for step in plan:
        pages = []
        for content, is_packed, is_whole in step:
            count += 1
            text = b"%d" % content * 300
            body = gzip.compress(text, mtime=0) if is_packed else text
            facts = {} if is_whole else {"truncated": "time"}
            lines = [GZIP] if is_packed else []
            pages.append(html(f"http://a.example/{count}", body, *lines, **facts))
        crawl.superstep(*pages, wants_all=wants_all)
    crawl.superstep()
    assert sum(taker.intake.waiting for taker in crawl.takers) == 0
    session = crawl.end()
    whole = [row for row in rows(session).values() if not row["truncated"]]
    distinct = {row["content_digest"] for row in whole}
    firsts = [row for row in whole if row["duplicate_of"] is None]
    assert {row["content_digest"] for row in firsts} == distinct
    if room is not NO_ROOM:
        assert len(firsts) == len(distinct)
    assert sum(taker.counters.duplicates for taker in crawl.takers) == len(whole) - len(firsts)


def test_a_page_waits_over_supersteps_and_its_links_do_not(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path, {"content": 1 << 12}))
    (taker,) = crawl.takers
    crawl.superstep(*(html(f"http://b.example/{number}", b"%d" % number) for number in range(300)))
    assert taker.intake.waiting == 0
    crawl.superstep(html(FIRST, BODY), wants_all=False)
    assert (taker.intake.waiting, taker.counters.links) == (1, 1)
    crawl.superstep()
    assert taker.intake.waiting == 0
    assert len(rows(crawl.end())) == 301


def test_a_page_is_given_a_similarity_hash_and_links_of_a_page_like_another_are_not_followed(tmp_path: Path) -> None:
    hashes = {b"<a href=/one>": 0b1111, b"<a href=/two>": 0b0111, b"<a href=/three>": 0b11}
    comparing = PageComparisons(simhash=hashes.__getitem__, near_duplicates=NearDuplicates(1))
    crawl = Crawl(tmp_path / "session", lambda _: comparing)
    for url, body in zip((FIRST, SECOND, THIRD), hashes, strict=True):
        crawl.superstep(html(url, body))
    crawl.superstep(answer("http://a.example/text", b"no page"))
    session = crawl.end()
    assert [rows(session)[url]["simhash"] for url in (FIRST, SECOND, THIRD)] == list(hashes.values())
    assert rows(session)["http://a.example/text"]["simhash"] is None
    assert links(session) == {
        (FIRST, "http://a.example/one", 0),
        (SECOND, "", UNFOLLOWED),
        (THIRD, "http://a.example/three", 0),
    }
    assert crawl.takers[0].counters.near_duplicates == 1


def test_without_a_previous_session_a_304_is_a_page_like_any_other(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", with_duplicates(tmp_path))
    assert crawl.takers[0].intake.request_headers(url_hash(FIRST)) == ()
    crawl.superstep(answer(FIRST, status=304))
    session = crawl.end()
    assert (rows(session)[FIRST]["status"], rows(session)[FIRST]["unchanged_since"]) == (304, None)
    assert records(session)[FIRST][0] == "response"

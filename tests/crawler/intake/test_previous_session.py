"""The session before this one: conditional requests, and what is copied from it when nothing has changed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from crawler.intake.comparisons import PageComparisons
from crawler.intake.previous_session import Previous
from crawler.urls.batch import Mask
from partition.assignment.assignment import assignment_named
from sessions.schema import EMBEDDED, NOFOLLOW, UNFOLLOWED
from sessions.session import Session, SessionError
from sessions.storage.warc import NOT_MODIFIED
from sessions.url import Hashes, url_hash
from tests.crawler.support.intake_ranks import START, Crawl, answer, html, links, records, rows
from tests.crawler.support.page_targets import urls_of
from tests.sessions.support.builder import Crawl as BuiltCrawl
from tests.sessions.support.builder import GoingOn

PAGE, OTHER, GONE = (f"http://a.example/{name}" for name in ("page", "other", "gone"))
DATE = "Sat, 29 Oct 1994 19:43:31 GMT"
LINKED = b"<a href=/one><a href=/two rel=nofollow><iframe src=/three>"


def everything(hashes: Hashes, _: Sequence[str]) -> Mask:
    return np.ones(len(hashes), bool)


def session_with(tmp_path: Path, **facts: object) -> Path:
    """A session with one page that has such facts."""
    crawl = BuiltCrawl(tmp_path / "before", ranks=1)
    crawl.ranks[0].discover([PAGE])
    crawl.ranks[0].fetch(PAGE, b"x", **facts)  # type: ignore[arg-type]
    crawl.commit("complete")
    crawl.close()
    return crawl.path


def headers_after(tmp_path: Path, **facts: object) -> tuple[str, ...]:
    """With what a page is asked for that had such facts."""
    return Previous.open(session_with(tmp_path, **facts), everything).headers(url_hash(PAGE))


def test_a_page_is_asked_for_by_what_came_with_it(tmp_path: Path) -> None:
    assert headers_after(tmp_path, etag='W/"1"', last_modified=DATE) == (
        'If-None-Match: W/"1"',
        f"If-Modified-Since: {DATE}",
    )


def test_pages_of_a_run_with_more_ranks_are_known(tmp_path: Path) -> None:
    crawl = BuiltCrawl(tmp_path / "before", ranks=3)
    crawl.ranks[2].discover([PAGE])
    crawl.ranks[2].fetch(PAGE, b"x", links=[(OTHER, 0)])
    crawl.ranks[0].discover([OTHER])
    crawl.end("signal")
    crawl.close()
    GoingOn(crawl.path, "29990101T000000-aaaaaa", ranks=1).end("signal")
    previous = Previous.open(crawl.path, everything)
    assert previous.headers(url_hash(PAGE)) == ('If-None-Match: "1"',)
    assert urls_of(previous.links(url_hash(PAGE))) == [OTHER]


@pytest.mark.parametrize(
    ("etag", "is_sent"),
    [
        ('"33a64df5"', True),
        ('W/"a b"', False),
        ('""', True),
        ("33a64df5", True),
        ("*", False),
        ('"a", "b"', False),
        ('"a"\r\nX: y', False),
        ('"a\0"', False),
        ('"\N{SNOWMAN}"', False),
        ('"' + "x" * 5000 + '"', False),
        ("", False),
        (None, False),
    ],
)
def test_only_an_etag_that_can_stand_in_a_header_is_sent(tmp_path: Path, etag: str | None, is_sent: bool) -> None:
    assert headers_after(tmp_path, etag=etag) == ((f"If-None-Match: {etag}",) if is_sent else ())


@pytest.mark.parametrize(
    ("date", "is_sent"),
    [(DATE, True), ("Sun Nov  6 08:49:37 1994", True), (f"{DATE}\r\nX: y", False), ("\N{SNOWMAN}", False), ("", False)],
)
def test_only_a_date_that_can_stand_in_a_header_is_sent(tmp_path: Path, date: str, is_sent: bool) -> None:
    assert headers_after(tmp_path, etag=None, last_modified=date) == (
        (f"If-Modified-Since: {date}",) if is_sent else ()
    )


@pytest.mark.parametrize(
    "facts",
    [{"status": 404}, {"truncated": "length"}, {"error": "parse-time"}, {"etag": None}, {"status": 304}],
    ids=str,
)
def test_only_what_came_whole_is_asked_for(tmp_path: Path, facts: dict[str, object]) -> None:
    previous = Previous.open(session_with(tmp_path, **facts), everything)
    assert len(previous) == 0
    assert previous.headers(url_hash(PAGE)) == ()
    assert previous.page(url_hash(PAGE)) is None


def test_a_page_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    previous = Previous.open(session_with(tmp_path), everything)
    assert previous.headers(url_hash(OTHER)) == ()
    assert previous.page(url_hash(OTHER)) is None


def test_a_session_without_anything_is_of_no_use(tmp_path: Path) -> None:
    crawl = BuiltCrawl(tmp_path / "before", ranks=2)
    assert len(Previous.open(crawl.path, everything)) == 0
    crawl.close()


def test_what_is_no_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"is .* a session"):
        Previous.open(tmp_path, everything)


def test_a_page_fetched_twice_counts_as_it_was_fetched_last(tmp_path: Path) -> None:
    """Where who finds a URL owns it; the links are those that the same rank found."""
    crawl = BuiltCrawl(tmp_path / "before", assignment="page-partition/discoverer")
    for number, rank in enumerate(crawl.ranks):
        rank.discover([PAGE, OTHER, GONE])
        rank.fetch(
            PAGE,
            b"x",
            etag=f'"{number}"',
            fetched=datetime(2026, 1, 2 - number, tzinfo=UTC),
            links=[((OTHER, GONE)[number], 0)],
        )
    crawl.commit("max-pages")
    crawl.close()
    previous = Previous.open(crawl.path, everything)
    assert len(previous) == 1
    assert previous.headers(url_hash(PAGE)) == ('If-None-Match: "0"',)
    assert urls_of(previous.links(url_hash(PAGE))) == [OTHER]


def test_each_rank_holds_what_it_owns(tmp_path: Path) -> None:
    """Whatever rank fetched it before."""
    urls = [f"http://a.example/{number}" for number in range(40)]
    crawl = Crawl(tmp_path / "before", ranks=3)
    for url in urls:
        crawl.superstep(html(url, b"<a href=/linked-%d>" % len(url), b'ETag: "%d"' % len(url)))
    crawl.end()
    owners = assignment_named("page-hash", 2)
    held = [
        Previous.open(crawl.path, lambda hashes, its, rank=rank: owners.owners(hashes, its) == rank)  # type: ignore[misc]
        for rank in range(2)
    ]
    for url in urls:
        (owner,) = owners.owners(np.array([url_hash(url)], np.uint64), [url])
        assert held[owner].headers(url_hash(url)) == (f'If-None-Match: "{len(url)}"',)
        assert urls_of(held[owner].links(url_hash(url))) == [f"http://a.example/linked-{len(url)}"]
        assert held[1 - owner].page(url_hash(url)) is None


def test_flags_of_links_are_kept_but_that_they_were_not_followed(tmp_path: Path) -> None:
    crawl = BuiltCrawl(tmp_path / "before", ranks=1)
    found = [("http://a.example/c", EMBEDDED), ("http://a.example/a", UNFOLLOWED | NOFOLLOW), ("http://a.example/b", 0)]
    crawl.ranks[0].discover([PAGE, *(url for url, _ in found)])
    crawl.ranks[0].fetch(PAGE, b"x", links=[*found, ("http://a.example/never-discovered", UNFOLLOWED)])
    crawl.commit("max-pages")
    crawl.close()
    of_page = Previous.open(crawl.path, everything).links(url_hash(PAGE))
    assert list(zip(urls_of(of_page), of_page.flags, strict=True)) == [
        ("http://a.example/c", EMBEDDED),
        ("http://a.example/a", NOFOLLOW),
        ("http://a.example/b", 0),
    ]


def before(tmp_path: Path) -> Session:
    """A session with a page that can be asked for again."""
    crawl = Crawl(tmp_path / "before")
    crawl.superstep(html(PAGE, LINKED, b'ETag: "1"', b"Last-Modified: " + DATE.encode(), b"X-Robots-Tag: noindex"))
    return crawl.end()


def after(tmp_path: Path, name: str, session: Session) -> Crawl:
    """A crawl that has a previous session."""
    return Crawl(tmp_path / name, lambda _: PageComparisons(previous=Previous.open(session.path, everything)))


def test_what_has_not_changed_is_copied_again_and_again(tmp_path: Path) -> None:
    session = before(tmp_path)
    expected, found = rows(session)[PAGE], links(session)
    for number in range(3):
        crawl = after(tmp_path, f"after-{number}", session)
        asked = crawl.takers[0].intake.request_headers(url_hash(PAGE))
        assert asked == ('If-None-Match: "1"', f"If-Modified-Since: {DATE}")
        crawl.superstep(answer(PAGE, status=304, asked=asked, started=START + number + 1))
        assert crawl.takers[0].counters.unchanged == 1
        session = crawl.end()
        row = rows(session)[PAGE]
        assert (row["status"], row["bytes"]) == (304, 0)
        assert row["unchanged_since"] == datetime.fromtimestamp(START, UTC)
        assert row["fetched"] == datetime.fromtimestamp(START + number + 1, UTC)
        copied = ("content_digest", "decoded_bytes", "content_type", "etag", "last_modified", "noindex", "simhash")
        assert {name: row[name] for name in copied} == {name: expected[name] for name in copied}
        assert links(session) == found
        kind, headers, payload = records(session)[PAGE]
        assert (kind, headers["WARC-Profile"], payload) == ("revisit", NOT_MODIFIED, b"")
        assert headers["WARC-Refers-To-Target-URI"] == PAGE
        assert headers["WARC-Refers-To-Date"] == "2026-01-02T03:04:05.250000Z"


def test_a_304_may_bring_another_etag(tmp_path: Path) -> None:
    crawl = after(tmp_path, "after", before(tmp_path))
    asked = crawl.takers[0].intake.request_headers(url_hash(PAGE))
    crawl.superstep(answer(PAGE, b"", b'ETag: "2"', status=304, asked=asked))
    row = rows(crawl.end())[PAGE]
    assert (row["etag"], row["last_modified"]) == ('"2"', DATE)


@pytest.mark.parametrize("status", [200, 304])
def test_what_was_not_asked_or_has_changed_is_a_page_like_any_other(tmp_path: Path, status: int) -> None:
    crawl = after(tmp_path, "after", before(tmp_path))
    crawl.superstep(html(PAGE, b"" if status == 304 else b"<a href=/new>", status=status))
    session = crawl.end()
    row = rows(session)[PAGE]
    assert (row["unchanged_since"], row["etag"], row["status"]) == (None, None, status)
    assert links(session) == (set() if status == 304 else {(PAGE, "http://a.example/new", 0)})
    assert records(session)[PAGE][0] == "response"

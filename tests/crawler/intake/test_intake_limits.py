"""What intake leaves out of a page: beyond limits of links and time, and by what it says of robots."""

from pathlib import Path
from typing import Any

import pytest

from crawler.config.filters import ContentTypes
from crawler.intake.intake import PARSE_TIME, Intake, PageLimits
from crawler.network.web import Request, Response
from crawler.politeness.entry import Entry
from partition.assignment.assignment import assignment_named
from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT, Page
from sessions.url import url_hash
from tests.crawler.support.intake_ranks import Crawl, answer, html, links, records, rows
from tests.crawler.support.single_rank_discovery import Found

PAGE = "http://a.example/"


class Pages:
    """A recorder that remembers the rows of pages, and whose bodies it was to keep."""

    def __init__(self) -> None:
        self.rows: list[Page] = []
        self.kept: list[str] = []

    def prepare(self, exchange: Any) -> str:
        return str(exchange.url)

    def store(self, members: str | None) -> None:
        self.kept += [members] if members is not None else []

    def page(self, row: Page) -> None:
        self.rows.append(row)


class Crawler:
    """An intake, with what is around it, that knows one page."""

    def __init__(self, folder: Path, limits: PageLimits) -> None:
        self.found = Found(folder, 0, assignment_named("page-hash", 1))
        self.found.discovery.seed([PAGE])
        self.found.queued()
        self.pages = Pages()
        self._intake = Intake(
            0,
            "run",
            document_limit=1 << 22,
            limits=limits,
            discovery=self.found.discovery,
            recorder=self.pages,  # type: ignore[arg-type]
            counters=self.found.counters,
            clock=self.found.clock,
        )

    def take(self, body: bytes, *headers: str, status: int = 200) -> list[str]:
        """Take the page in; the URLs that are queued then."""
        head = [b"HTTP/1.1 %d Whatever\r\n" % status, *(header.encode() + b"\r\n" for header in headers)]
        entry = Entry(PAGE, url_hash(PAGE))
        self._intake.take(entry, Response(Request(PAGE, None), status=status, head=head, body=body))
        self.found.discovery.settle()
        return self.found.queued()


LINKED = b"".join(b"<a href=%d>" % number for number in range(30_000))
HTML = "Content-Type: text/html"


def test_the_first_links_are_followed_and_the_others_counted(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, PageLimits(links=10))
    assert crawler.take(LINKED, HTML) == [f"{PAGE}{number}" for number in range(10)]
    assert crawler.found.counters.links == 10
    assert crawler.found.counters.links_over_limit == 30_000 - 10
    assert crawler.pages.rows[0].error is None


def test_a_page_that_takes_too_long_says_so_and_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawler = Crawler(tmp_path, PageLimits(parse_seconds=3.0))
    asked = iter([1.0, 2.0, 4.0])
    monkeypatch.setattr(crawler.found.clock, "spent", lambda: next(asked, 0.0))
    queued = crawler.take(LINKED, HTML)
    assert 0 < len(queued) < 30_000
    assert queued == [f"{PAGE}{number}" for number in range(len(queued))]
    (row,) = crawler.pages.rows
    assert row.error == PARSE_TIME
    assert crawler.pages.kept == [PAGE]


@pytest.mark.parametrize(
    ("content_type", "is_wanted"), [("text/html; charset=x", True), ("application/xhtml+xml", False)]
)
def test_of_types_that_are_not_wanted_there_is_a_row_only(tmp_path: Path, content_type: str, is_wanted: bool) -> None:
    crawler = Crawler(tmp_path, PageLimits(types=ContentTypes("text/html,image/*")))
    queued = crawler.take(b"<a href=x>", f"Content-Type: {content_type}")
    assert queued == ([f"{PAGE}x"] if is_wanted else [])
    assert crawler.pages.kept == ([PAGE] if is_wanted else [])
    (row,) = crawler.pages.rows
    assert (row.content_type, row.bytes, row.status) == (content_type, 10, 200)


def test_a_redirect_of_another_type_is_followed(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, PageLimits(types=ContentTypes("image/*")))
    assert crawler.take(b"moved", HTML, "Location: /y", status=302) == [f"{PAGE}y"]


# What is made of what pages ask of robots, honoured and not; the session passes the check either way.

A = "http://a.example/"
PAGES = [
    html(f"{A}plain", b"<a href=/1><a rel=nofollow href=/2>"),
    html(f"{A}meta", b"<meta name=robots content='noindex, nofollow'><a href=/3><iframe src=/4></iframe>"),
    html(f"{A}ours", b"<meta name=CutWeb content=noindex><a href=/5>"),
    html(f"{A}others", b"<meta name=otherbot content=none><a href=/6>", b"X-Robots-Tag: thatbot: none"),
    html(f"{A}header", b"<a href=/7>", b"X-Robots-Tag: noarchive", b"x-robots-tag: cutweb: nofollow"),
    answer(f"{A}file", b"%PDF", b"X-Robots-Tag: none"),
    answer(f"{A}moved", b"", b"Location: /8", b"X-Robots-Tag: none", status=301),
]
NOINDEX = {f"{A}meta", f"{A}ours", f"{A}file", f"{A}moved"}
NOFOLLOWS = {f"{A}meta", f"{A}header", f"{A}file", f"{A}moved"}


@pytest.mark.parametrize("honours", [False, True])
def test_what_pages_ask_is_recorded_and_can_be_honoured(tmp_path: Path, honours: bool) -> None:
    crawl = Crawl(tmp_path, agent="cutweb", honours_noindex=honours)
    crawl.superstep(*PAGES)
    counters = crawl.takers[0].counters
    session = crawl.end()
    found = rows(session)
    assert {url for url, row in found.items() if row["noindex"]} == NOINDEX
    assert {url for url, row in found.items() if row["nofollow"]} == NOFOLLOWS
    assert set(records(session)) == found.keys() - (NOINDEX if honours else set())
    assert {url for url, row in found.items() if row["warc_file"] is None} == (NOINDEX if honours else set())

    def known(number: int, is_followed: bool = False) -> str:
        return f"{A}{number}" if is_followed or not honours else ""

    assert links(session) == {
        (f"{A}plain", known(1, True), 0),
        (f"{A}plain", known(2), NOFOLLOW),
        (f"{A}meta", known(3), NOFOLLOW),
        (f"{A}meta", known(4), NOFOLLOW | EMBEDDED),
        (f"{A}ours", known(5, True), 0),
        (f"{A}others", known(6, True), 0),
        (f"{A}header", known(7), NOFOLLOW),
        (f"{A}moved", known(8, True), REDIRECT),
    }
    assert counters.links_nofollow == (4 if honours else 0)
    assert counters.links == 8

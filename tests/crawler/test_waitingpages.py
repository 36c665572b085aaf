"""Pages that wait for what is said of their documents."""

from datetime import UTC, datetime

from crawler.contentseen import ContentSeen, First
from crawler.pagerow import page_row
from crawler.reading import read
from crawler.waitingpages import FoundLinks, WaitingPage, WaitingPages
from sessions.url import url_hash
from sessions.warc import Exchange, Members
from tests.crawler.ranks import on_ranks
from tests.crawler.taking import html


def waiting_page(url: str, body: bytes, *, member: bytes = b"", links: FoundLinks | None = None) -> WaitingPage:
    response = html(url, body)
    row = page_row(url_hash(url), response, read(response, 1000), run="r")
    assert row.fetched == datetime.fromtimestamp(response.started, UTC)
    exchange = Exchange(url, response.started, b"", b"", payload_digest=row.content_digest)
    return WaitingPage(row, exchange, Members(member, b""), links)


def settled(pages: WaitingPages) -> list[tuple[str, First | None]]:
    """What is said of each page that waited."""
    (found,) = on_ranks(1, lambda exchange: list(pages.settle(exchange)))
    return [(page.row.url, first) for page, first in found]


ONE, TWO, THREE = sorted((f"http://{name}.example/" for name in "abc"), key=url_hash)


def test_pages_wait_until_they_are_settled() -> None:
    pages = WaitingPages(ContentSeen(1 << 20), 1 << 20)
    for url, body in ((ONE, b"x"), (TWO, b"y"), (THREE, b"x")):
        assert pages.add(waiting_page(url, body))
    assert len(pages) == 3
    first = First(url_hash(ONE), ONE, waiting_page(ONE, b"x").exchange.fetched)
    assert settled(pages) == [(ONE, None), (TWO, None), (THREE, first)]
    assert len(pages) == 0
    assert settled(pages) == []


def test_records_and_links_that_wait_take_room() -> None:
    for page in (
        waiting_page(ONE, b"x", member=bytes(1 << 16)),
        waiting_page(ONE, b"x", links=FoundLinks(1, 1, 0, ["http://b.example/" + "y" * 1000] * 64, [0] * 64)),
    ):
        pages = WaitingPages(ContentSeen(1 << 20), 1 << 16)
        assert not pages.add(page)
        assert pages.add(waiting_page(TWO, b"y"))
        assert len(pages) == 1


def test_what_found_no_room_is_noted_all_the_same_within_bounds() -> None:
    pages = WaitingPages(ContentSeen(1 << 20), 1 << 14)
    for number in range(100):
        pages.add(waiting_page(f"http://d.example/{number}", b"%d" % number, member=bytes(1 << 15)))
    assert len(pages) == 0
    assert settled(pages) == []
    known = 0
    for number in range(100):
        pages.add(waiting_page(f"http://e.example/{number}", b"%d" % number))
        known += sum(first is not None for _, first in settled(pages))
    assert known == 8

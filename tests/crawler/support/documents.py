"""Documents and pages that have them, for the tests of what comes before."""

from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path

from crawler.intake.duplicates.content_messages import ContentQuestion
from crawler.intake.duplicates.content_seen import ContentSeen
from crawler.intake.duplicates.page_spool import FoundLinks, PageSpool, PendingPage
from crawler.intake.duplicates.pending_pages import PendingPages
from crawler.pages.page_row import page_row
from crawler.pages.response_reader import read
from sessions.storage.warc import Exchange, Members
from sessions.url import url_hash
from tests.crawler.support.intake_ranks import html

PLENTY = 4 << 20


def question(url: str, content: str, coding: str = "", fetched: float = 1.5) -> ContentQuestion:
    """A page that was fetched with a content, in a payload that depends on how it is encoded."""
    digest = sha1(content.encode()).digest()
    return ContentQuestion(digest, sha1((content + coding).encode()).digest(), url_hash(url), url, fetched)


def waiting_page(url: str, body: bytes, *, member: bytes = b"", links: FoundLinks | None = None) -> PendingPage:
    """A page as it waits; ``member`` is its WARC record."""
    response = html(url, body)
    row = page_row(url_hash(url), response, read(response, 1000), run="r")
    assert row.fetched == datetime.fromtimestamp(response.started, UTC)
    exchange = Exchange(url, response.started, b"", b"", payload_digest=row.content_digest)
    return PendingPage(row, exchange, Members(member, b""), links)


def waiting_pages(
    folder: Path, *, content: int = PLENTY, memory: int = PLENTY, disk: int = PLENTY, in_pieces: bool = False
) -> PendingPages:
    """Where pages wait, with so many bytes for documents and for pages."""
    return PendingPages(ContentSeen(folder, content, in_pieces=in_pieces), PageSpool(folder, memory, disk))

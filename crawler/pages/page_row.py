"""What is recorded of a response: a row of the pages table, whether it was fetched or comes from a WARC file, and the
HTTP exchange that a WARC file keeps.
"""

from datetime import UTC, datetime

from crawler.network.web import Response
from crawler.pages.response_reader import Reading
from crawler.pages.robots_meta import NOTHING_ASKED, PageDirectives
from sessions.schema import Page
from sessions.storage.stored_head import protocol_of, stored_head
from sessions.storage.warc import Exchange, Revisit
from sessions.storage.warc_file import Place
from sessions.url import site_of


def page_row(
    page_hash: int,
    response: Response,
    reading: Reading,
    *,
    run: str,
    rank: int = 0,
    superstep: int = 0,
    depth: int = 0,
    hops: int = 0,
    place: Place | None = None,
    asked: PageDirectives = NOTHING_ASKED,
) -> Page:
    """The row of the page whose response was read; ``place`` is where its body lies, None if it is not kept.

    ``asked`` is what the page asks of robots.
    docs/formats.md says what the columns mean.
    """
    url = response.request.url
    return Page(
        url=url,
        hash=page_hash,
        site=site_of(url),
        status=response.status,
        bytes=len(response.body),
        decoded_bytes=len(reading.document),
        content_type=reading.header(b"content-type"),
        content_encoding=reading.header(b"content-encoding"),
        content_digest=reading.digest,
        etag=reading.header(b"etag"),
        last_modified=reading.header(b"last-modified"),
        fetched=datetime.fromtimestamp(response.started, UTC),
        milliseconds=response.milliseconds,
        depth=depth,
        hops=hops,
        ip=response.ip or None,
        truncated=response.truncated or None,
        simhash=None,
        rank=rank,
        superstep=superstep,
        run=run,
        warc_file=place.file if place else None,
        warc_offset=place.offset if place else None,
        error=response.error or reading.error or None,
        redirect=reading.redirect,
        noindex=asked.noindex,
        nofollow=asked.nofollow,
    )


def exchange_of(
    response: Response, *, payload_digest: bytes | None = None, revisit: Revisit | None = None, purpose: str = ""
) -> Exchange:
    """The exchange as a WARC file keeps it: what came, under the URL that was asked for."""
    return Exchange(
        url=response.request.url,
        fetched=response.started,
        response_head=stored_head(response.head, len(response.body)),
        body=response.body,
        request_head=response.request_head,
        ip=response.ip,
        truncated=response.truncated,
        protocol=protocol_of(response.head),
        payload_digest=payload_digest,
        revisit=revisit,
        purpose=purpose,
    )

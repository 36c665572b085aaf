"""A response as a row of the pages table."""

from datetime import UTC, datetime

from crawler.network.web import Request, Response
from crawler.pages.page_row import page_row
from crawler.pages.response_reader import read
from crawler.pages.robots_meta import Asked
from sessions.storage.warc import Place
from sessions.url import url_hash

URL = "https://a.example:81/page?q"


def response_of(**changes: object) -> Response:
    head = [b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"ETag: x", b"Last-Modified: y"]
    return Response(Request(URL, None), 200, head, b"<p>Hi", started=86400.25, **changes)  # type: ignore[arg-type]


def test_a_row_says_what_the_response_says() -> None:
    response = response_of(ip="192.0.2.1", milliseconds=7.5, truncated="length", error="size")
    place = Place("rank-0002/x.warc.gz", 99, 7)
    reading = read(response, 100)
    row = page_row(5, response, reading, run="r", rank=2, superstep=3, depth=4, hops=1, place=place)
    assert (row.url, row.hash, row.site, row.status) == (URL, 5, "a.example:81", 200)
    assert (row.bytes, row.decoded_bytes, row.content_digest) == (5, 5, reading.digest)
    assert (row.content_type, row.etag, row.last_modified) == ("text/html", "x", "y")
    assert row.fetched == datetime(1970, 1, 2, 0, 0, 0, 250000, UTC)
    assert (row.ip, row.milliseconds, row.truncated, row.error) == ("192.0.2.1", 7.5, "length", "size")
    assert (row.run, row.rank, row.superstep, row.depth, row.hops) == ("r", 2, 3, 4, 1)
    assert (row.warc_file, row.warc_offset, row.redirect) == ("rank-0002/x.warc.gz", 99, None)


def test_a_row_says_what_the_page_asks_of_robots() -> None:
    response = response_of()
    row = page_row(5, response, read(response, 100), run="r", asked=Asked(noindex=True))
    assert (row.noindex, row.nofollow) == (True, False)
    row = page_row(5, response, read(response, 100), run="r")
    assert (row.noindex, row.nofollow) == (False, False)


def test_what_is_not_known_is_null() -> None:
    response = response_of()
    row = page_row(url_hash(URL), response, read(response, 100), run="r")
    assert (row.ip, row.truncated, row.error, row.warc_file, row.warc_offset, row.content_encoding) == (None,) * 6
    assert (row.rank, row.superstep, row.depth, row.hops) == (0, 0, 0, 0)

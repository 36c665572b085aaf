"""What a response says."""

import gzip
import zlib
from datetime import UTC, datetime
from hashlib import sha1

import pytest

from crawler.network.web import Request, Response
from crawler.pages.link_finder import LinkFinder
from crawler.pages.links import References
from crawler.pages.page_row import page_row
from crawler.pages.response_reader import read, references_in
from crawler.pages.robots_meta import PageDirectives
from sessions.storage.warc_file import Place
from sessions.url import url_hash

PAGE = "http://a.example/dir/page"
LINKED = b"<p><a href=x>"


def response(*lines: str, status: int = 200, body: bytes = b"") -> Response:
    head = [f"HTTP/1.1 {status} Whatever".encode(), *(line.encode("latin-1") + b"\r\n" for line in lines)]
    return Response(Request(PAGE, None), status=status, head=head, body=body)


def texts(answer: Response) -> list[str] | None:
    """The link texts found in a response; None if it is not read as a page."""
    references = references_in(answer, read(answer, 1000), LinkFinder())
    assert references is None or isinstance(references, References)
    return references.texts if references is not None else None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("http://b.example/x#frag", "http://b.example/x"),
        ("other", "http://a.example/dir/other"),
        ("/other", "http://a.example/other"),
        ("//b.example", "http://b.example/"),
        ("?q", "http://a.example/dir/page?q"),
        ("a b", "http://a.example/dir/a%20b"),
        ("mailto:x@y.example", None),
        ("http://[", None),
        ("", None),
    ],
)
def test_redirects_lead_where_location_says(status: int, location: str, target: str | None) -> None:
    assert read(response(f"Location: {location}", status=status), 1000).redirect == target


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 404, 500])
def test_other_statuses_do_not_redirect(status: int) -> None:
    assert read(response("Location: /x", status=status), 1000).redirect is None


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/caf\u00e9?q=\u00fc", "http://a.example/caf%E9?q=%FC"),
        ("/\u0416".encode().decode("latin-1"), "http://a.example/%D0%96"),
        ("http://b\u00fccher.example/".encode().decode("latin-1"), "http://xn--bcher-kva.example/"),
        ("/a%20\u00ff\u0080", "http://a.example/a%20%FF%80"),
    ],
)
def test_bytes_of_a_location_that_are_not_ascii_are_encoded_as_they_came(location: str, target: str) -> None:
    assert read(response(f"Location: {location}", status=301), 1000).redirect == target


def test_a_redirect_without_location_leads_nowhere() -> None:
    assert read(response(status=302), 1000).redirect is None


def test_header_names_have_no_case_and_the_first_of_several_counts() -> None:
    reading = read(
        response(
            "content-TYPE:text/html ", 'ETag:  "1"', 'etag: "2"', "X-Location: /no", "LOCATION : /y", "Location: /z"
        ),
        1000,
    )
    assert reading.header(b"content-type") == "text/html"
    assert reading.header(b"etag") == '"1"'
    assert reading.header(b"location") == "/y"
    assert reading.header(b"last-modified") is None


def test_of_headers_that_come_in_several_lines_all_count() -> None:
    reading = read(
        response(
            "X-Robots-Tag: noindex", "Cache-Control: public", "x-robots-tag: bot: none", "Cache-Control: max-age=5"
        ),
        1000,
    )
    assert reading.header(b"x-robots-tag") == "noindex\nbot: none"
    assert reading.header(b"cache-control") == "public\nmax-age=5"


def test_several_content_encodings_are_one_list() -> None:
    twice = gzip.compress(zlib.compress(LINKED))
    reading = read(response("Content-Encoding: deflate", "content-encoding: GZIP", body=twice), 1000)
    assert (reading.document, reading.error) == (LINKED, "")
    assert reading.header(b"content-encoding") == "deflate, GZIP"
    endless = read(response(*["Content-Encoding: gzip"] * 6, body=twice), 1000)
    assert (endless.document, endless.error) == (b"", "content-encoding")


@pytest.mark.parametrize(
    ("lines", "content_type", "is_page"),
    [
        (["image/png", "text/html"], "text/html", True),
        (["text/html", "image/png"], "image/png", False),
        (["text/html", "nonsense"], "text/html", True),
        (["text/html; charset=koi8-r", "text/html"], "text/html; charset=koi8-r", True),
        (["text/plain, text/html"], "text/html", True),
        (["", "text/html"], "text/html", True),
    ],
)
def test_of_several_content_types_the_last_valid_one_counts(lines: list[str], content_type: str, is_page: bool) -> None:
    answer = response(*(f"Content-Type: {line}" for line in lines), body=b"<html>" + LINKED)
    assert read(answer, 1000).header(b"content-type") == content_type
    assert (texts(answer) is not None) == is_page


def test_what_is_no_header_is_no_harm() -> None:
    reading = read(response("no colon", ": no name", "", "ETag", "Last-Modified: \xfc"), 1000)
    assert reading.header(b"etag") == ""
    assert reading.header(b"last-modified") == "\N{REPLACEMENT CHARACTER}"
    assert read(Response(Request(PAGE, None), status=200), 1000).headers == {}


def test_the_status_line_is_no_header() -> None:
    answer = Response(Request(PAGE, None), status=200, head=[b"etag: HTTP/1.1", b"etag: 2"])
    assert read(answer, 1000).header(b"etag") == "2"


def test_the_document_is_decoded_within_the_limit() -> None:
    packed = gzip.compress(LINKED * 10)
    reading = read(response("Content-Encoding: GZip ", body=packed), 1000)
    assert reading.document == LINKED * 10
    assert reading.digest == sha1(LINKED * 10).digest()
    assert reading.error == ""
    cut = read(response("Content-Encoding: gzip", body=packed), 5)
    assert cut.document == LINKED[:5]
    assert cut.digest == sha1(LINKED[:5]).digest()
    assert cut.error


@pytest.mark.parametrize(
    ("headers", "body", "is_page"),
    [
        (["Content-Type: text/html"], LINKED, True),
        (["Content-Type:  Text/HTML; charset=utf-8"], LINKED, True),
        (["Content-Type: application/xhtml+xml"], LINKED, True),
        (["Content-Type: text/plain"], b"<html>" + LINKED, False),
        (["Content-Type: application/pdf"], b"<html>" + LINKED, False),
        ([], b"\n <!DOCTYPE HTML>" + LINKED, True),
        ([], LINKED, True),
        ([], b"<HTML>" + LINKED, True),
        ([], b"%PDF-1.7", False),
        ([], b" " * 600 + b"text" * 200 + LINKED, False),
        (["Content-Type: text/html"], b"", False),
        (["Content-Type:"], b"<html>" + LINKED, True),
        (["Content-Type: "], b"%PDF-1.7", False),
        (["Content-Type: html"], b"<html>" + LINKED, True),
        (["Content-Type: */*"], b"<html>" + LINKED, True),
        (["Content-Type: application/unknown"], b"<html>" + LINKED, True),
    ],
)
def test_html_is_what_says_so_or_untyped_looks_so(headers: list[str], body: bytes, is_page: bool) -> None:
    assert (texts(response(*headers, body=body)) is not None) == is_page


@pytest.mark.parametrize(("status", "is_page"), [(200, True), (203, True), (299, True), (301, False), (404, False)])
def test_only_successes_have_links(status: int, is_page: bool) -> None:
    assert texts(response("Content-Type: text/html", status=status, body=LINKED)) == (["x"] if is_page else None)


def test_links_are_found_in_what_was_compressed_and_in_the_headers_charset() -> None:
    body = gzip.compress("<a href='?да'>".encode("koi8-r"))
    answer = response("Content-Type: text/html; charset=koi8-r", "Content-Encoding: gzip", body=body)
    assert texts(answer) == ["?%C4%C1"]


# A response as a row of the pages table.

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
    row = page_row(5, response, read(response, 100), run="r", asked=PageDirectives(noindex=True))
    assert (row.noindex, row.nofollow) == (True, False)
    row = page_row(5, response, read(response, 100), run="r")
    assert (row.noindex, row.nofollow) == (False, False)


def test_what_is_not_known_is_null() -> None:
    response = response_of()
    row = page_row(url_hash(URL), response, read(response, 100), run="r")
    assert (row.ip, row.truncated, row.error, row.warc_file, row.warc_offset, row.content_encoding) == (None,) * 6
    assert (row.rank, row.superstep, row.depth, row.hops) == (0, 0, 0, 0)

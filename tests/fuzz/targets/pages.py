"""Pages: encodings taken off, the charset found, links collected and resolved, the text hashed."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import strategies as st

from crawler.intake.duplicates.simhash import simhash
from crawler.network.web import Request, Response
from crawler.pages.charset import as_utf8
from crawler.pages.link_finder import LinkFinder, PageReferences
from crawler.pages.page_scanner import PageScanner
from crawler.pages.response_reader import Reading, read, references_in
from crawler.pages.robots_meta import asked_of
from crawler.urls.targets import PageTargets
from sessions.url import LONGEST_URL, canonical
from tests.crawler.support.page_targets import urls_of
from tests.fuzz.mutations import EDITS, edited, mutated
from tests.fuzz.seeds import made_web
from tests.fuzz.target import Check, Target

Page = tuple[int, str, str, bytes]
"""Status, Content-Type, Content-Encoding and body."""

DOCUMENT_LIMIT = 4 << 20
MOST_LINKS = 10_000
URL = "http://www.a.example/dir/page?x=1"
GOOD_LINK = "http://www.a.example/good"
LIBXML2, SCANNER = LinkFinder(pages_before=0), PageScanner()
GOOD = Response(Request(URL, None), 200, [b"HTTP/1.1 200 OK\r\n"], b"<!doctype html><a href=/good>good</a>")

TOKENS = [
    *(b"<a href=", b'<a href="/x">', b"<base href=", b'<base href="//b.example/">', b"<iframe src=//[::1>", b"<a "),
    *(b'<meta charset="utf-16">', b"<meta charset=shift_jis>", b'<meta name="robots" content="none">', b"<meta "),
    *(b'<link rel="next" href="', b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!doctype html", b"<?xml ", b"?>", b"<!"),
    *(b"<script>", b"</script>", b"<style", b"</style ", b"<title>", b"<textarea>", b"<plaintext>", b"<table>", b"<p>"),
    *(b"<svg>", b"<math>", b"<template>", b"<select>", b"<frameset><frame src=x>", b"<div>", b"</div>", b"<b><i>"),
    *(b"&#0;", b"&#xD800;", b"&#99999999999;", b"&amp", b"&lt;", b"&", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b$B"),
    *(b'"', b"'", b"=", b">", b"<", b"/>", b" a", b" a=b", b"\r", b"\n", b"\t", b"\xc3", b"\xed\xa0\x80", b"\x80"),
    *(
        b"javascript:",
        b"http://",
        b"https://\xe2\x80\xae",
        b"//",
        b"?",
        b"#",
        b"../",
        b"%",
        b"%2e%2e",
        b"\\",
        b"@",
        b":",
    ),
    b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
]
CONTENT_TYPES = [
    *("text/html", "text/html; charset=utf-8", "text/html;charset=windows-1252", "text/html; charset=shift_jis", ""),
    *("text/html; charset=utf-16", "application/xhtml+xml", "text/html; charset=iso-2022-jp", "text/html;charset=x"),
    *("text/html; charset=gb18030", "text/html; charset=big5", "text/html; charset=euc-kr", "text/html; charset=utf-7"),
    *("text/html; charset=replacement", "text/html; charset=x-user-defined", "TEXT/HTML;charset='koi8-r", "text/plain"),
]
CODECS = ["utf-8", "utf-8", "utf-8", "utf-16-le", "utf-16-be", "cp1252", "shift_jis", "iso2022_jp", "utf-7", "utf-32"]
PACKINGS = {
    "": lambda document: document,
    "gzip": lambda document: gzip.compress(document, 1, mtime=0),
    "deflate": lambda document: zlib.compress(document, 1),
    "Deflate": lambda document: zlib.compress(document, 1)[2:-4],
    "gzip, gzip": lambda document: gzip.compress(gzip.compress(document, 1, mtime=0), 1, mtime=0),
    "deflate,x-gzip": lambda document: gzip.compress(zlib.compress(document, 1), 1, mtime=0),
    "br": lambda document: document,
    "utf-8": lambda document: document,
}

ATTRIBUTES = st.lists(st.sampled_from(TOKENS), max_size=3).map(b"".join)
TAGS = st.builds(
    lambda tag, name, value, end: b"<" + tag + b" " + name + b"=" + value + end,
    st.sampled_from(
        [b"a", b"A", b"area", b"base", b"iframe", b"link rel=next", b"meta name=robots", b"b", b"form", b"/a"]
    ),
    st.sampled_from([b"href", b"src", b"content", b"HREF", b"rel=nofollow href", b"\0href"]),
    st.one_of(ATTRIBUTES, st.binary(max_size=12)),
    st.sampled_from([b">", b"\n>", b"/>", b'">text', b"", b"'>"]),
)


def _page(status: int, content_type: str, packing: str, document: bytes, codec: str, damages: tuple[int, ...]) -> Page:
    if codec != "utf-8":
        document = document.decode("utf-8", "replace").encode(codec, "replace")
    body = PACKINGS[packing](document)
    if packing:
        body = edited(body, damages, TOKENS)
    return status, content_type, packing, body


def _seeds() -> list[bytes]:
    plain = [read(_response(200, "text/html", "gzip", kept.body), 1 << 16).document for kept in made_web()]
    return [*[page for page in plain if 200 < len(page) < 20_000][:30], b"".join(TOKENS), GOOD.body]


def _response(status: int, content_type: str, encoding: str, body: bytes) -> Response:
    lines = [f"Content-Type: {content_type}"] if content_type else []
    lines += [f"Content-Encoding: {encoding}", "Location: /elsewhere", "X-Robots-Tag: cutweb: none"]
    return Response(Request(URL, None), status, [b"HTTP/1.1 200 OK\r\n", *(f"{x}\r\n".encode() for x in lines)], body)


def check(page: Page) -> str:
    """Reading ends, keeps its limits, gives canonical links, and leaves nothing behind for the next page."""
    response = _response(*page)
    reading = read(response, DOCUMENT_LIMIT)
    assert len(reading.document) <= max(DOCUMENT_LIMIT, len(response.body))
    similar = simhash(reading.document)
    assert similar is None or 0 <= similar < 1 << 64
    references = references_in(response, reading, LIBXML2)
    if references is None:
        return reading.error or "no page"
    asked_of("cutweb", reading.header(b"x-robots-tag"), references.metas)
    links = references.targets(most=MOST_LINKS)
    _are_links(links)
    _finds_the_same(response, reading, references)
    after = references_in(GOOD, read(GOOD, DOCUMENT_LIMIT), LIBXML2)
    assert after is not None
    assert (urls_of(after.targets()), after.metas) == ([GOOD_LINK], [])
    return reading.error or ("links" if len(links.flags) else "no links")


def _finds_the_same(response: Response, reading: Reading, references: PageReferences) -> None:
    """The scanner finds what libxml2 does, or says that it does not understand the page."""
    document, encoding = as_utf8(reading.document, reading.header(b"content-type") or "")
    scanned = SCANNER.references(URL, document, encoding)
    if scanned is not None:
        assert scanned.metas == references.metas
        ours, theirs = (found.targets(most=MOST_LINKS) for found in (scanned, references))
        assert urls_of(ours) == urls_of(theirs)
        assert ours.flags.tolist() == theirs.flags.tolist()
        assert ours.targets.hashes.tolist() == theirs.targets.hashes.tolist()


def _are_links(links: PageTargets) -> None:
    urls = urls_of(links)
    assert len(urls) == len(set(urls)) == len(links.flags) <= MOST_LINKS
    assert links.dropped >= 0
    for url in urls[:50]:
        assert len(url) <= LONGEST_URL
        assert canonical(url) == url


def _inputs() -> st.SearchStrategy[Page]:
    documents = st.one_of(
        mutated(_seeds(), TOKENS), mutated(_seeds(), TOKENS), st.lists(TAGS, max_size=12).map(b"".join)
    )
    return st.builds(
        _page,
        st.sampled_from([200, 200, 200, 200, 404, 302]),
        st.sampled_from(CONTENT_TYPES),
        st.sampled_from([*PACKINGS, "", "", "", ""]),
        documents,
        st.sampled_from(CODECS),
        EDITS,
    )


@contextmanager
def opened() -> Iterator[Check]:
    """The check, what it needs being compiled by now."""
    simhash(GOOD.body)
    yield check


TARGET = Target("pages", st.deferred(_inputs), opened, share=0.36)

"""The scanner beside libxml2: it finds the same, or does not understand the page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.pages.charset import as_utf8
from crawler.pages.link_finder import LinkFinder
from crawler.pages.link_scan import MOST_LINKS, MOST_OPEN
from crawler.pages.links import references_in_text
from crawler.pages.page_scanner import PageScanner, ScannedReferences
from sessions.schema import NOFOLLOW
from tests.crawler.pages.test_links import CONTENT_TYPES, PIECES
from tests.crawler.support.page_targets import urls_of

PAGE = "http://a.example/dir/page?q"
SCANNER = PageScanner()


def scanned(html: str | bytes, content_type: str = "text/html; charset=utf-8") -> ScannedReferences | None:
    """What the scanner finds, which is what libxml2 finds, or None."""
    document, encoding = as_utf8(html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html, content_type)
    found = SCANNER.references(PAGE, document, encoding)
    if found is not None:
        expected = references_in_text(PAGE, document, encoding)
        ours, theirs = found.targets(), expected.targets()
        assert urls_of(ours) == urls_of(theirs)
        assert ours.flags.tolist() == theirs.flags.tolist()
        assert ours.targets.hashes.tolist() == theirs.targets.hashes.tolist()
        assert found.metas == expected.metas
        assert found.base == expected.base
    return found


UNDERSTOOD = [
    *(
        "<a href=x>",
        "<A HREF='x'>",
        '<a href = "x" >',
        "<a href=x/>",
        "<a href>",
        "<a name=y href=x href=y>",
        "<a/href=x>",
    ),
    *(
        "<map><area href=x></map>",
        "<iframe src=x></iframe>",
        "<iframe src=x><a href=y></iframe><a href=z>",
        "<base href=x>",
    ),
    *(
        "<link rel='alternate Canonical' href=x>",
        "<link rel=stylesheet href=x>",
        "<link href=x>",
        "<link rel=next,prev href=x>",
    ),
    *("<a rel='external NoFollow' href=x>", "<a rel=nofollow href=x><a href=x>", "<iframe src=x></iframe><a href=x>"),
    *(
        "<base href=/y/><a href=x><base href=/z/>",
        "<meta name=a content=b><meta content=c><meta name=' d ' content='&amp;'>",
    ),
    *(
        "<!-- <a href=x> --><a href=y>",
        "<!--><a href=x>",
        "<!---><a href=x>",
        "<!-- --!><a href=x>",
        "<!-- -- ><a href=x>-->",
    ),
    *(
        "<!doctype html><a href=x>",
        "<!x <a href=y>",
        "<?x <a href=y>",
        "</><a href=x>",
        "</ a><a href=x>",
        "<<a href=x>",
    ),
    *(
        "<script><a href=x></script><a href=y>",
        "<script><!--<script></script><a href=x></script><a href=y>--></script>",
    ),
    *("<script><!--></script><a href=x>", "<style><a href=x></STYLE ><a href=y>", "<title></titles><a href=x></title>"),
    *(
        "<textarea><a href=x></textarea/><a href=y>",
        "<noscript><a href=x></noscript>",
        "<xmp><a href=x></xmp x=y><a href=z>",
    ),
    *(
        "<a href='x",
        "<a href=x",
        "<a href",
        "<a",
        "<",
        "<a href='x'",
        "<svg><a href=x></a></svg><a href=y>",
        "<math><mi></math>",
    ),
    *(
        "<a href='&#x41;&amp;&lt&copy=1&notit;&nosuch;&#0;&#128;&#xD800;'>",
        "<a href='a\r\nb\rc'>",
        "<meta name=a content='\r\n'>",
    ),
    *(
        "<a href='?&copy;'>",
        "<p><a href=x>\u00e9<a href=\u00e9>",
        "<select><a href=x></select>",
        "<a href=x><a href=./x><a href=#>",
    ),
    "<div/>" * (MOST_OPEN + 10) + "<a href=x>",
    "<p></p>" * MOST_OPEN + "<a href=x>",
    "<!--" + "-" * 100,
]


@pytest.mark.parametrize("html", UNDERSTOOD)
def test_pages_that_are_understood(html: str) -> None:
    assert scanned(html) is not None


NOT_UNDERSTOOD = [
    *(
        "<template><a href=x></template>",
        "<frameset><frame src=x></frameset>",
        "<script/><a href=x></script>",
        "<plaintext><a>",
    ),
    *(
        "<svg><title><a href=x></title></svg>",
        "<a rel='&#x6e;ofollow' href=x>",
        "<a rel=\u212a href=x>",
        "a\0<a href=x>",
    ),
    *(
        "<div>" * (MOST_OPEN + 1),
        "<a href=x>" * (MOST_LINKS + 1),
        "<meta name=a content=b>" * 300,
        " " * (1 << 18) + "<a href=x>",
    ),
]


@pytest.mark.parametrize("html", NOT_UNDERSTOOD, ids=[html[:20] for html in NOT_UNDERSTOOD])
def test_pages_that_are_left_to_libxml2(html: str) -> None:
    assert scanned(html) is None


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join), CONTENT_TYPES)
def test_it_finds_what_libxml2_finds(html: str, content_type: str) -> None:
    scanned(html, content_type)


BITS = [
    "<",
    ">",
    "/",
    "!",
    "?",
    "-",
    "--",
    "=",
    '"',
    "'",
    " ",
    "\r",
    "a",
    "script",
    "style",
    "title",
    "href",
    "rel",
    "x",
]
BITS += [
    "<a href=",
    "<script>",
    "</script",
    "<!--",
    "-->",
    "<iframe src=",
    "</iframe>",
    "<meta name=",
    "content=",
    "&amp",
    ";",
]
BITS += [
    "<textarea>",
    "</textarea>",
    "<base href=",
    "nofollow",
    "<link rel=next ",
    "<svg>",
    "</svg>",
    "<noscript>",
    "\u00e9",
    "&#",
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(BITS), max_size=20).map("".join))
def test_it_reads_markup_as_libxml2_does(html: str) -> None:
    scanned(html)


def test_only_so_many_links_count() -> None:
    found = scanned("<a href=x><a href=y><a href=x><a href=z>")
    assert found is not None
    links = found.targets(most=2, nofollow=True)
    assert urls_of(links) == ["http://a.example/dir/x", "http://a.example/dir/y"]
    assert (links.flags.tolist(), links.dropped) == ([NOFOLLOW, NOFOLLOW], 1)


def test_the_scanner_is_loaded_after_some_pages_and_says_the_same() -> None:
    finder = LinkFinder(pages_before=2)
    texts = [b"<base href=/><meta name=a content=b><a href=x>%d" % number for number in range(3)]
    found = [finder.references(PAGE, text, "text/html") for text in texts]
    finder.load_compiled()
    found += [finder.references(PAGE, text, "text/html") for text in texts]
    assert isinstance(found[-1], ScannedReferences)
    assert not isinstance(found[0], ScannedReferences)
    for one in found:
        assert (urls_of(one.targets()), one.metas, one.is_cut) == (["http://a.example/x"], [("a", "b")], False)

"""The links of a page."""

from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.pages.links import IsOver, PageLinks, References, find_references, never, resolve
from sessions.schema import EMBEDDED, NOFOLLOW
from sessions.url import canonical

PAGE = "http://a.example/dir/page?q#f"
HERE = "http://a.example/dir/"


def links(html: str | bytes, content_type: str = "text/html; charset=utf-8", url: str = PAGE) -> PageLinks:
    document = html.encode() if isinstance(html, str) else html
    return resolve(find_references(url, document, content_type))


def targets(html: str | bytes, content_type: str = "text/html; charset=utf-8") -> list[str]:
    return links(html, content_type).urls


@pytest.mark.parametrize(
    ("html", "flags"),
    [
        ("<a href=x>", 0),
        ("<A HREF='x'>", 0),
        ("<map><area href=x></map>", 0),
        ("<frameset><frame src=x></frameset>", EMBEDDED),
        ("<iframe src=x></iframe>", EMBEDDED),
        ("<link rel=next href=x>", 0),
        ("<link rel=prev href=x>", 0),
        ("<link rel=previous href=x>", 0),
        ("<link rel='alternate Canonical' href=x>", 0),
        ("<a rel=nofollow href=x>", NOFOLLOW),
        ("<a rel='external NoFollow' href=x>", NOFOLLOW),
        ("<area rel=nofollow href=x>", NOFOLLOW),
    ],
)
def test_elements_that_lead_somewhere(html: str, flags: int) -> None:
    assert links(html) == ([HERE + "x"], [flags], 0)


@pytest.mark.parametrize(
    "html",
    [
        "<link rel=stylesheet href=x>",
        "<link href=x>",
        "<img src=x>",
        "<script src=x></script>",
        "<script>document.write('<a href=x>')</script>",
        "<style><a href=x></style>",
        "<!-- <a href=x> -->",
        "<form action=x>",
        "<a name=x>",
        "<a src=x>",
        "<meta http-equiv=refresh content='0; url=x'>",
        "<a href='mailto:x@y.example'>",
        "<a href='javascript:x()'>",
        "<a href='ftp://a.example/'>",
        "<a href='tel:1'>",
        "<a href='data:text/html,x'>",
        "<a href='http://'>",
        "<a href='http://a b/'>",
        "",
        " ",
    ],
)
def test_elements_that_lead_nowhere(html: str) -> None:
    assert links(html) == ([], [], 0)


def test_links_come_in_document_order_and_once() -> None:
    html = "<a href=c><iframe src=a></iframe><a href=b><a href='c#x'><area href=d><a href='./b'><link rel=next href=e>"
    assert targets(html) == [HERE + name for name in "cabde"]


def test_a_target_is_nofollow_only_if_all_links_say_so_and_embedded_if_one_is() -> None:
    html = (
        "<a rel=nofollow href=a><a href=a><a href=b><a rel=nofollow href=b><a rel=nofollow href=c>"
        "<a rel=nofollow href=c><a href=d><iframe src=d></iframe><iframe src=e></iframe><a rel=nofollow href=e>"
    )
    assert links(html) == ([HERE + name for name in "abcde"], [0, 0, NOFOLLOW, EMBEDDED, EMBEDDED], 0)


def metas(html: str) -> list[tuple[str, str]]:
    return find_references(PAGE, html.encode(), "text/html; charset=utf-8").metas


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<meta name=robots content=noindex>", [("robots", "noindex")]),
        ("<META NAME=' Robots ' CONTENT='NoIndex, Follow'/>", [("Robots", "NoIndex, Follow")]),
        ("<meta content=none name=cutweb>", [("cutweb", "none")]),
        ("<body><p><meta name=robots content=noindex>", [("robots", "noindex")]),
        ("<meta name=a content=b><a href=x><meta name=c content=d>", [("a", "b"), ("c", "d")]),
        ("<meta name=robots>", []),
        ("<meta content=noindex>", []),
        ("<meta http-equiv=robots content=noindex>", []),
        ("<!-- <meta name=robots content=noindex> -->", []),
        ("<p name=robots content=noindex>", []),
    ],
)
def test_meta_elements_are_noted(html: str, found: list[tuple[str, str]]) -> None:
    assert metas(html) == found


def test_meta_elements_without_end_are_not_all_noted() -> None:
    assert len(metas("<meta name=robots content=noindex>" * 5000)) == 100
    assert metas("<p>") == [], "what one page says is not said of the next"


def test_all_links_of_a_nofollow_page_are_nofollow() -> None:
    references = find_references(PAGE, b"<a href=a><iframe src=b></iframe><a rel=nofollow href=c>", "text/html")
    found = resolve(references, nofollow=True)
    assert found.urls == [HERE + name for name in "abc"]
    assert found.flags == [NOFOLLOW, NOFOLLOW | EMBEDDED, NOFOLLOW]


def test_fragments_drop_out_and_a_link_within_the_page_is_the_page() -> None:
    assert targets("<a href='#top'><a href=''><a href='x#y'>") == ["http://a.example/dir/page?q", HERE + "x"]


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("<base href='http://b.example/y/'>", "http://b.example/y/x"),
        ("<base href='/y/'>", "http://a.example/y/x"),
        ("<base target=_top><base href='/1/'><base href='/2/'>", "http://a.example/1/x"),
        ("<base href='mailto:x'>", HERE + "x"),
        ("<base href=''>", HERE + "x"),
        ("<base href='http://['>", HERE + "x"),
    ],
)
def test_base_is_honoured_wherever_it_stands(base: str, expected: str) -> None:
    assert targets(f"{base}<a href=x>") == [expected]
    assert targets(f"<a href=x>{base}") == [expected]


@pytest.mark.parametrize(
    ("href", "path"),
    [
        ("  x\n", "dir/x"),
        ("x\ty", "dir/xy"),
        ("\\x", "x"),
        ("x y", "dir/x%20y"),
        ("a&amp;b", "dir/a&b"),
        ("?a=1&copy=2", "dir/page?a=1&copy=2"),
        ("../../x", "x"),
        ("ü", "dir/%C3%BC"),
        ("x\0y", "dir/x%EF%BF%BDy"),
    ],
)
def test_link_texts_are_read_as_browsers_do(href: str, path: str) -> None:
    assert targets(f'<a href="{href}">') == [f"http://a.example/{path}"]


@pytest.mark.parametrize(
    ("charset", "query", "expected"),
    [
        ("utf-8", "q=é", "q=%C3%A9"),
        ("iso-8859-1", "q=é&r=a b", "q=%E9&r=a%20b"),
        ("koi8-r", "q=да", "q=%C4%C1"),
        ("shift_jis", "q=ソ", "q=%83\\"),
        ("iso-2022-jp", "q=あ", "q=%1B$B$%22%1B(B"),
        ("iso-2022-jp", "q=ぃ&r", "q=%1B$B$%23%1B(B&r"),
        ("utf-16", "q=é", "q=%C3%A9"),
        ("utf-16be", "q=é", "q=%C3%A9"),
        ("windows-1252", "q=☃&r=é", "q=%26%239731%3B&r=%E9"),
        ("windows-1252", "%C3%A9=é", "%C3%A9=%E9"),
        ("windows-1252", "q=é \n", "q=%E9"),
        ("windows-1252", "q=é#é", "q=%E9"),
    ],
)
def test_queries_are_sent_in_the_pages_own_encoding(charset: str, query: str, expected: str) -> None:
    """URL standard, 4.1, "percent-encode after encoding"; and 4.2: UTF-16 is sent as UTF-8."""
    codec = {"utf-16": "utf-16-le", "utf-16be": "utf-16-be", "shift_jis": "cp932"}.get(charset, charset)
    html = f'<a href="ü?{query}">'.encode(codec, "xmlcharrefreplace")
    assert targets(html, f"text/html; charset={charset}") == [f"{HERE}%C3%BC?{expected}"]


def test_characters_come_from_the_pages_encoding() -> None:
    html = "<meta charset=koi8-r><a href=да>".encode("koi8-r")
    assert targets(html, "text/html") == [HERE + "%D0%B4%D0%B0"]


@pytest.mark.parametrize(
    "html",
    [
        "<a href=x><div></a></p></table></html><body>",
        "<html><html><body><a href='x'><td>",
        "<<a href=x>>",
        "<a href=x href=y>",
        "<!doctype x [<!entity y '<a href=z>'>]><a href=x>",
        "<?xml version='1.0' encoding='utf-16'?><html xmlns='http://www.w3.org/1999/xhtml'><a href='x'/></html>",
        "\0\0<a href=x>",
        "</body></html><a href=x>",
        "<table><a href=x></table>",
        "<svg><a href=x></svg>",
        "<noscript><a href=x></noscript>",
        "<a\nhref\n=\nx\n>",
    ],
)
def test_malformed_pages_are_read_as_far_as_sense_can_be_made(html: str) -> None:
    assert targets(html) == [HERE + "x"]


@pytest.mark.parametrize("depth", [100, 300, 1500])
def test_deep_nesting_hides_no_links(depth: int) -> None:
    html = "<a href=1>" + "<div>" * depth + "<a href=2></a>" + "</div>" * depth + "<a href=3>"
    assert targets(html) == [HERE + name for name in "123"]


def test_endless_nesting_does_no_harm() -> None:
    html = "<a href=1></a>" + "<div>" * 200_000 + "<a href=2>"
    assert targets(html)[:1] == [HERE + "1"]


def test_huge_texts_hide_no_links() -> None:
    filler = "x" * 11_000_000
    assert targets(f"<a href=1><p>{filler}</p><a href=2>") == [HERE + "1", HERE + "2"]


@pytest.mark.parametrize(
    "html",
    [
        "<a>" * 350_000,
        "<a href=x>" * 100_000,
        "<a " * 350_000,
        "<b>" * 350_000,
        "</p>" * 250_000,
        "<div>" * 2000 + "</p>" * 100_000,
        "&amp" * 250_000,
        "<" * 1_000_000,
        "<!--" * 250_000,
        "<table>" * 150_000,
    ],
)
def test_a_megabyte_of_nonsense_takes_no_long_time(html: str) -> None:
    before = thread_time()
    assert len(links(html).urls) <= 1
    assert thread_time() - before < 5.0


TAGS = ["<a href=", "<base href=", "<iframe src=", "<link rel=next href=", "<!--", "-->", "</a>", "<script>", ">"]
TEXTS = ["http://b.example/", "//", "[", "?", "#", "%", "&", "&#0;", "&#xD800;", '"', "'", " ", "\x0c", "\0", "x"]
PIECES = st.sampled_from([*TAGS, *TEXTS, "\u00e9", "\u2603", "\ud800"])
CONTENT_TYPES = st.sampled_from(
    [f"text/html; charset={label}" for label in ("utf-8", "windows-1252", "utf-16", "iso-2022-jp", "gbk", "big5")]
    + [""]
)


@given(st.lists(PIECES, max_size=25).map("".join), CONTENT_TYPES)
def test_whatever_a_page_says_its_links_are_canonical(html: str, content_type: str) -> None:
    found = links(html.encode("utf-8", "surrogatepass"), content_type)
    assert len(found.urls) == len(found.flags) == len(set(found.urls))
    assert all(canonical(url) == url for url in found.urls)
    assert all(0 <= flag <= (NOFOLLOW | EMBEDDED) for flag in found.flags)


@settings(max_examples=200)
@given(st.binary(max_size=200), CONTENT_TYPES)
def test_no_bytes_do_harm(document: bytes, content_type: str) -> None:
    assert len(links(document, content_type).urls) <= len(document)


def test_a_tag_of_very_many_attributes_takes_no_time() -> None:
    """A tree's attributes are a list that is walked for each: 300,000 of them took minutes."""
    many = " ".join(f"a{number}=1" for number in range(300_000))
    assert targets(f"<a {many} href=1><a href=2>") == [HERE + "1", HERE + "2"]


class Budget:
    """Time that is over after it was asked for so many times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def is_over(self) -> bool:
        self.left -= 1
        return self.left < 0


def in_pieces(document: bytes, size: int, is_over: IsOver = never) -> References:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crawler.pages.links._SHORT_BYTES", 0)
        patch.setattr("crawler.pages.links._BYTES_AT_ONCE", size)
        return find_references(PAGE, document, "text/html; charset=utf-8", is_over)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=25).map("".join), st.integers(1, 9))
def test_a_document_that_is_read_in_pieces_says_the_same(html: str, size: int) -> None:
    document = html.encode("utf-8", "surrogatepass")
    assert in_pieces(document, size) == find_references(PAGE, document, "text/html; charset=utf-8")


def test_reading_stops_when_the_time_is_over_and_what_was_read_counts() -> None:
    document = b"".join(b"<a href=%06d>" % number for number in range(100_000))
    references = find_references(PAGE, document, "text/html", Budget(3).is_over)
    assert references.is_cut
    assert references.texts == [f"{number:06}" for number in range(3 * (1 << 16) // 15)]
    whole = find_references(PAGE, document, "text/html")
    assert not whole.is_cut
    assert len(whole.texts) == 100_000


def test_no_time_at_all() -> None:
    assert in_pieces(b"<a href=x>" * 10, 10, Budget(0).is_over) == (PAGE, [], [], [], True)


def test_nothing_remains_of_a_document_that_was_cut() -> None:
    for rest in (b"<a href='", b"<!--", b"<script>", b"<div>" * 1000, b"<textarea>"):
        assert in_pieces(b"<base href=/y/>" + rest + b"z" * 100, 50, Budget(2).is_over).is_cut
        assert targets("<a href=x>") == [HERE + "x"]


def test_a_short_document_is_read_whatever_the_time() -> None:
    references = find_references(PAGE, b"<a href=x>", "text/html", Budget(0).is_over)
    assert references.texts == ["x"]
    assert not references.is_cut


@given(
    st.lists(st.sampled_from(["a", "b", "./a", "c", "#", "mailto:x", "d"]), max_size=12), st.integers(1, 5), st.data()
)
def test_the_first_links_of_a_page_count(texts: list[str], most: int, data: st.DataObject) -> None:
    flags = data.draw(st.lists(st.sampled_from([0, NOFOLLOW, EMBEDDED]), min_size=len(texts), max_size=len(texts)))
    references = References(PAGE, texts, flags, [])
    unlimited = resolve(references)
    limited = resolve(references, most=most)
    assert limited == (unlimited.urls[:most], unlimited.flags[:most], max(0, len(unlimited.urls) - most))


def test_links_are_resolved_some_at_a_time_until_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.pages.links._TEXTS_AT_ONCE", 3)
    texts = ["a", "b", "./a", "c", "./c", "d", "e", "e", "a", "f"]
    references = References(PAGE, texts, [0, 0, NOFOLLOW, 0, 0, 0, 0, EMBEDDED, 0, 0], [])
    assert resolve(references) == ([HERE + name for name in "abcdef"], [0, 0, 0, 0, EMBEDDED, 0], 0)
    assert resolve(references, most=2) == ([HERE + "a", HERE + "b"], [0, 0], 4), "c and d, and e and f unseen"
    assert resolve(references, is_over=Budget(1).is_over) == ([HERE + name for name in "abcd"], [0] * 4, 2)
    assert resolve(references, nofollow=True, most=1).flags == [NOFOLLOW]


HOSTILE = {
    "deep": b"<div><a href=x>" * 100_000,
    "unclosed": b"<div>" * 2000 + b"</p>" * 500_000,
    "attributes": b"<a " + b" ".join(b"a%d=1" % number for number in range(200_000)) + b" href=x>",
    "no tags": b"<a" * 1_000_000,
    "entities": b"&amp" * 500_000 + b"&nosuch;" * 200_000,
    "a name": b"&" + b"a" * 4_000_000,
    "a text": b"<a href='" + b"x" * 4_000_000,
    "tables": b"<table>" * 500_000,
    "texts": b"".join(b"<a href=%d>" % number for number in range(200_000)),
    "zeros": b"\0" * 4_000_000,
}


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_are_stopped_soon_after_their_time_is_over(document: bytes) -> None:
    """Between two questions whether it is over, libxml2 reads 64 KiB, or what one tag in it has of attributes."""
    allowed = 0.2
    before = thread_time()

    def is_over() -> bool:
        return thread_time() - before > allowed

    references = find_references(PAGE, document, "text/html", is_over)
    resolve(references, most=1000, is_over=is_over)
    assert thread_time() - before < allowed + 3.0


def test_only_the_beginning_of_an_endless_document_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.pages.links.PARSED_BYTES", 40)
    assert targets("<a href=1>" + " " * 40 + "<a href=2>") == [HERE + "1"]


def test_links_that_are_too_long_are_none() -> None:
    assert targets(f"<a href={'x' * 8200}><a href=2>") == [HERE + "2"]

"""The links of a page."""

from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.links import PageLinks, find_references, resolve
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
    assert links(html) == ([HERE + "x"], [flags])


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
    assert links(html) == ([], [])


def test_links_come_in_document_order_and_once() -> None:
    html = "<a href=c><iframe src=a></iframe><a href=b><a href='c#x'><area href=d><a href='./b'><link rel=next href=e>"
    assert targets(html) == [HERE + name for name in "cabde"]


def test_a_target_is_nofollow_only_if_all_links_say_so_and_embedded_if_one_is() -> None:
    html = (
        "<a rel=nofollow href=a><a href=a><a href=b><a rel=nofollow href=b><a rel=nofollow href=c>"
        "<a rel=nofollow href=c><a href=d><iframe src=d></iframe><iframe src=e></iframe><a rel=nofollow href=e>"
    )
    assert links(html) == ([HERE + name for name in "abcde"], [0, 0, NOFOLLOW, EMBEDDED, EMBEDDED])


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


def test_only_the_beginning_of_an_endless_document_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.links.PARSED_BYTES", 40)
    assert targets("<a href=1>" + " " * 40 + "<a href=2>") == [HERE + "1"]


def test_links_that_are_too_long_are_none() -> None:
    assert targets(f"<a href={'x' * 8200}><a href=2>") == [HERE + "2"]

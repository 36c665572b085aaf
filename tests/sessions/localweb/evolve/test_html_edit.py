"""HTML taken apart and revised: links as another parser finds them, and no byte changed that need not be."""

from collections.abc import Sequence

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.localweb.evolve.html_edit import Revision, is_editable, revised, take_apart
from sessions.url import join

URL = "http://a.example/dir/page.html"
LONG = b"A text that is long enough to be written anew, some day."


def links(html: bytes) -> set[str]:
    """The links of a page as lxml finds them, but those to the page itself."""
    tree = lxml.html.fromstring(html)
    base = [*tree.xpath("//base/@href"), ""][0]
    references = tree.xpath("//a/@href | //area/@href | //iframe/@src | //frame/@src")
    return {link for link in join(join(URL, [base])[0] or URL, references) if link} - {URL}


def found(html: bytes) -> set[str]:
    return {anchor.target for anchor in take_apart(URL, html).anchors}


def change(
    html: bytes,
    cut: Sequence[str] = (),
    swapped: Sequence[str] = (),
    listed: Sequence[tuple[str, str]] = (),
    texts: Sequence[float] = (),
) -> bytes:
    return revised(URL, html, Revision(frozenset(cut), swapped, listed, texts), lambda length: f"new {length}")


NAMES = st.integers(0, 8).map(lambda n: f"/{n}.html?a=1&amp;b={n}")
PIECES = st.one_of(
    NAMES.map(lambda name: f'<a href="{name}">{name}</a>'),
    NAMES.map(lambda name: f"<A class=x HREF='{name}' ><b>deep</b></A>"),
    NAMES.map(lambda name: f"<li><a href={name}>item</a></li>\n"),
    NAMES.map(lambda name: f'<map><area shape="rect" href="{name}" alt=x></map>'),
    NAMES.map(lambda name: f'<iframe src="{name}"></iframe>'),
    NAMES.map(lambda name: f'<!-- <a href="{name}"> -->'),
    NAMES.map(lambda name: f"<script>'<a href=\"{name}\">'</script>"),
    st.sampled_from(
        ("<p>", "</p>", "<img src=i.png>", "text ", LONG.decode(), '<a name="x">', "<a href='mailto:x@y.z'>")
    ),
)
PAGES = st.lists(PIECES, max_size=25).map(lambda parts: f"<html><body>{''.join(parts)}</body></html>".encode())
TARGETS = [f"http://a.example/{n}.html?a=1&b={n}" for n in range(9)]


@settings(deadline=None, derandomize=True)
@given(PAGES)
def test_links_are_those_that_a_parser_finds(html: bytes) -> None:
    assert found(html) == links(html)


@settings(deadline=None, derandomize=True)
@given(PAGES, st.sets(st.sampled_from(TARGETS)), st.integers(0, 4), st.integers(0, 3))
def test_a_revision_gives_the_links_asked_for(html: bytes, cut: set[str], swapped: int, listed: int) -> None:
    markup = take_apart(URL, html)
    cut &= {a.target for a in markup.anchors} - {a.target for a in markup.anchors if not a.is_loose}
    come = [f"http://b.example/?x=1&y={n}" for n in range(swapped)]
    needed = [(f"http://c.example/{n}", "T & <t>") for n in range(listed)]
    new = change(html, sorted(cut), come, needed)
    assert links(new) == links(html) - cut | {*come, *(target for target, _ in needed)}
    assert found(new) == links(new)


@settings(deadline=None, derandomize=True)
@given(PAGES)
def test_no_revision_changes_nothing(html: bytes) -> None:
    assert change(html) == html


@settings(deadline=None, derandomize=True)
@given(PAGES, st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=3))
def test_new_text_changes_text_only(html: bytes, texts: list[float]) -> None:
    new = change(html, texts=texts)
    assert new != html
    assert links(new) == links(html)
    assert b"new " in new


@given(st.binary(max_size=300))
@settings(deadline=None, derandomize=True)
def test_anything_can_be_taken_apart(html: bytes) -> None:
    for start, stop in take_apart(URL, html).texts:
        assert b"<" not in html[start:stop]
    assert change(html) == html


def test_only_the_spans_are_touched() -> None:
    html = b'<P>\xe9 <a  href="/x">x \xff</a>, <a rel=nofollow href=/y>y</a>\r\n<p>' + LONG + b"<br><BODY></BODY>\n"
    assert change(html, ["http://a.example/x"]) == html.replace(b'<a  href="/x">x \xff</a>', b"")
    swapped = change(html, ["http://a.example/x"], ["http://b.example/"])
    assert swapped == html.replace(b'"/x"', b'"http://b.example/"')
    assert change(html, texts=[0.5]) == html.replace(LONG, b"new %d" % len(LONG))
    assert change(html, listed=[("http://b.example/", "B")]).endswith(b"</a></li>\n</ul>\n</BODY>\n")


def test_a_link_in_place_of_one_marked_nofollow_would_not_be_followed() -> None:
    html = b"<a rel='external nofollow' href=/y><b>y</b></a></body>"
    new = change(html, ["http://a.example/y"], ["http://b.example/"])
    assert [(a.target, a.is_followed) for a in take_apart(URL, new).anchors] == [("http://b.example/", True)]


@pytest.mark.parametrize(
    "html",
    [
        b"<html><frameset cols=*><frame src=/x></frameset>",
        b"<p>text <!-- that never ends",
        b"<p><script>that never ends",
        b"<title>that never ends",
        b'<meta name="robots" content="noindex, NoFollow"><a href=/x>x</a>',
        b'<meta content="none" name="robots"><a href=/x>x</a>',
    ],
)
def test_mute_pages_are_told(html: bytes) -> None:
    assert take_apart(URL, html).is_mute
    assert not take_apart(URL, b"<meta name=robots content=noindex><!-- x --><title>t</title><a href=/x>x</a>").is_mute


def test_base_and_fragments_and_entities_count() -> None:
    html = b'<base href="/other/"><base href="/no/"><a href="p?a=1&amp;b=2#f">p</a><a href="#top">top</a>'
    assert found(html) == {"http://a.example/other/p?a=1&b=2", "http://a.example/other/"}


@pytest.mark.parametrize("html", ["text".encode("utf-16"), "あ".encode("iso2022_jp"), b"", b" \n"])
def test_some_encodings_are_left_alone(html: bytes) -> None:
    assert not is_editable(html)
    assert is_editable("äあ".encode())

"""Links as the HTML standard's tree has them, where libxml2 alone reads otherwise; lexbor builds that tree."""

import random
from time import thread_time

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawler.pages import html_masking
from crawler.pages.html_masking import masked
from crawler.pages.links import find_references, never, resolve

PAGE = "http://a.example/"
PIECES = (
    *("<a href=@>", "<a href=@ />", "</a>", "<area href=@>", "<base href=/@/>", "<link rel=next href=@>"),
    *("<template>", "</template>", "<svg>", "<svg/>", "</svg>", "<math>", "</math>", "<mi>", "</mi>", "<g>", "</g>"),
    *("<foreignObject>", "</foreignObject>", "<desc>", "</desc>", "<annotation-xml encoding=text/html>", "<g/>"),
    *(
        "<script>",
        "<script src=q />",
        "</script>",
        "<style>",
        "<style/>",
        "</style>",
        "<title>",
        "<title/>",
        "</title>",
    ),
    *(
        "<textarea>",
        "<textarea />",
        "</textarea>",
        "<iframe src=@>",
        "<iframe src=@ />",
        "</iframe>",
        "<xmp>",
        "</xmp>",
    ),
    *("<noembed>", "</noembed>", "<noscript>", "</noscript>", "<plaintext>", "<frame src=@>", "<frameset>"),
    *("</frameset>", "<noframes>", "</noframes>", "<html>", "<head>", "</head>", "<body>", "<div>", "</div>", "<p>"),
    *("</p>", "<span>", "</span>", "<li>", "<table>", "<tr>", "</table>", "<select>", "</select>", "<option>", "<br>"),
    *("</br>", "<font color=x>", "<input type=hidden>", "<input>", "text", " ", "<!-- ", "-->", "--!>", "<?pi ?>"),
    *("</ x>", "<!doctype html>", "<![CDATA[", "]]>", "<path d='>'/>", '<b x="<a href=@>">'),
)
LINKING = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
HTML_WITHIN = {"svg": {"foreignobject", "desc", "title"}, "math": {"mi", "annotation-xml"}}


def texts(html: str) -> list[str]:
    return find_references(PAGE, html.encode(), "text/html; charset=utf-8").texts


def found(html: str) -> tuple[str, set[str]]:
    """Where the links of a page start from, and where they lead."""
    references = find_references(PAGE, html.encode(), "text/html; charset=utf-8")
    return references.base, set(references.texts)


def of_the_tree(html: str) -> tuple[str, set[str]]:
    """The same by the standard's tree."""
    base, links = PAGE, set()
    for node in LexborHTMLParser(html).css("base,a,area,frame,iframe,link"):
        if node.tag != "a" and is_foreign(node):
            continue
        if node.tag == "base":
            base = f"{PAGE.rstrip('/')}{node.attributes['href']}" if base == PAGE else base
        else:
            links.add(node.attributes[LINKING.get(node.tag, "href")])
    return base, links


def is_foreign(node) -> bool:  # type: ignore[no-untyped-def]
    passed = set()
    parent = node.parent
    while parent is not None and parent.tag not in HTML_WITHIN:
        passed.add(parent.tag.lower())
        parent = parent.parent
    return parent is not None and passed.isdisjoint(HTML_WITHIN[parent.tag])


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<template><a href=x></template><a href=y>", ["y"]),
        ("<TEMPLATE><a href=x></Template><a href=y>", ["y"]),
        ("<template><template></template><a href=x></template><a href=y>", ["y"]),
        ("<template><script>'</template>'</script><a href=x></template><a href=y>", ["y"]),
        ("<template><!-- </template> --><a href=x></template><a href=y>", ["y"]),
        ("<template><svg><a href=x></template><a href=y>", ["y"]),
        ("<template><iframe src=x></iframe><base href=/z/><link rel=next href=x></template><a href=y>", ["y"]),
        ("<div title='<template>'></div><!-- <template> --><script>'<template>'</script><a href=y>", ["y"]),
        ("</template><a href=y>", ["y"]),
        ("<a href=y><template><a href=x>", ["y"]),
        ("<svg><template><a href=y></template></svg>", ["y"]),
        ("<div><template shadowrootmode=open><a href=y></template></div>", ["y"]),
        ("<script src=q /><a href=x></script><a href=y>", ["y"]),
        ("<SCRIPT SRC=q /><a href=x></script><a href=y>", ["y"]),
        ("<script/><a href=x></script><a href=y>", ["y"]),
        ("<script src=/q/></script><a href=y>", ["y"]),
        ("<script src='q'/>//</script><a href=y>", ["y"]),
        ("<script title='>' src=q /><a href=x></script><a href=y>", ["y"]),
        ("<a href=y><script src=q /><a href=x>", ["y"]),
        ("<style/><a href=x></style><a href=y>", ["y"]),
        ("<title/><a href=x></title><a href=y>", ["y"]),
        ("<textarea name=q /><a href=x></textarea><a href=y>", ["y"]),
        ("<iframe src=z /><a href=x></iframe><a href=y>", ["z", "y"]),
        ("<iframe src=/z/></iframe><a href=y>", ["/z/", "y"]),
        ("<xmp/><a href=x></xmp><a href=y>", ["y"]),
        ("<noembed/><a href=x></noembed><a href=y>", ["y"]),
        ("<svg><title><a href=y></a></title></svg>", ["y"]),
        ("<svg><title>text</svg><a href=y>", ["y"]),
        ("<svg><style><a href=y></a></style></svg>", ["y"]),
        ("<svg><script><a href=y></a></script></svg>", ["y"]),
        ("<svg><script/></svg><a href=y>", ["y"]),
        ("<SVG><TITLE><a href=y></a></TITLE></SVG>", ["y"]),
        ("<math><style><a href=y></style></math>", ["y"]),
        ("<svg><foreignObject><style><a href=x></style><a href=y></foreignObject></svg>", ["y"]),
        ("<svg><g></svg><style><a href=x></style><a href=y>", ["y"]),
        ("<svg><p><style><a href=x></style><a href=y>", ["y"]),
        ("<div><svg></div><style><a href=x></style><a href=y>", ["y"]),
        ("<svg><![CDATA[ > <a href=x> ]]></svg><a href=y>", ["y"]),
        ("<svg><iframe src=x></iframe><area href=x><link rel=next href=x><base href=/z/></svg><a href=y>", ["y"]),
        ("<svg><style>a</style><title>b</title><path d=''/></svg><a href=y>", ["y"]),
        ("<frame src=x><a href=y>", ["y"]),
        ("<frameset><frame src=y></frameset>", ["y"]),
        ("<frameset><frameset><frame src=z></frameset><frame src=y></frameset><frame src=x>", ["z", "y"]),
        ("<head><link rel=next href=z></head><frameset><frame src=y></frameset>", ["z", "y"]),
        ("<frameset><a href=x><iframe src=x></iframe><script><frame src=y></script></frameset>", ["y"]),
        ("<frameset><frame src=y><noframes><a href=x></noframes></frameset>", ["y"]),
        ("<body><frameset><frame src=x></frameset><a href=y>", ["y"]),
        ("text<frameset><frame src=x></frameset><a href=y>", ["y"]),
        ("<div><a href=x></a></div> <frameset><frame src=y></frameset>", ["y"]),
        ("<noscript><a href=y></noscript>", ["y"]),
        ("<select><a href=y></select>", ["y"]),
    ],
)
def test_links_are_those_of_the_standards_tree(html: str, expected: list[str]) -> None:
    assert texts(html) == expected
    assert find_references(PAGE, html.encode(), "text/html").base == PAGE


def test_what_a_template_asks_of_robots_is_not_asked() -> None:
    html = b"<template><meta name=robots content=none></template><meta name=a content=b>"
    assert find_references(PAGE, html, "text/html").metas == [("a", "b")]


@pytest.mark.parametrize("seed", range(3))
def test_of_any_soup_of_tags_the_links_are_the_trees(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(700):
        chosen = rng.choices(PIECES, k=rng.randint(2, 8))
        html = "".join(piece.replace("@", f"u{number}") for number, piece in enumerate(chosen))
        assert found(html) == of_the_tree(html), html


@pytest.mark.parametrize(
    "html",
    [
        "<title>a</title><script>b</script><style>c</style><a href=y>",
        "<svg><title>a</title><style>b</style><path d=''/></svg><textarea>d</textarea><a href=y>",
        "<svg></svg><math><mi>x</mi></math><iframe src=y></iframe>",
        "<script src='a/b'></script><br/><img src=x /><a href=y />",
    ],
)
def test_ordinary_pages_are_read_once(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.pages.links.masked", None)
    assert texts(html) == ["y"]


def test_what_needs_no_mask_is_returned_as_it_is() -> None:
    html = b"<svg><title>a</svg><a href=y><frameset><script src=/a/></script>"
    assert masked(html, never)[0] is not html
    plain = b"<svg><g><script src='x'></script></g>" * 2
    assert len(masked(html, never)[0]) == len(html)
    assert masked(plain.replace(b"script", b"circle"), never) == (plain.replace(b"script", b"circle"), False)


def test_a_page_is_cut_where_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_masking, "_TAGS_AT_ONCE", 10)
    html = b"<template><a href=x></template>" + b"<a href=y>" * 5 + b"<a href=z>" * 5
    document, is_cut = masked(html, lambda: True)
    assert is_cut
    assert len(document) == len(html)
    assert document.count(b"<a href=") < 10


NONSENSE = [
    "<svg>" * 10_000 + "</x>" * 1_000,
    "<template>" * 2_000 + "</template>" * 20_000,
    "<svg><foreignObject>" + "<b>" * 99 + "</g>" * 10_000,
    "<script/>" * 20_000,
    "<script " * 40_000 + "/>",
    "<svg><title" * 5_000,
    "<frameset>" * 2_000 + "<frame src=x>" * 10_000,
    "<template>" + "<a " * 100_000,
    "<template><a " + "b=" * 100_000 + "/>",
    "<svg><g " + "=" * 300_000 + "/>" + "<g =/>" * 1000,
    "<svg><![CDATA[" * 20_000,
    "<template>" + "<!--" * 70_000,
    "<svg>" * 2 + "<a href='" * 30_000,
    "<SCRIPT></SCRIPT><!--" + "<SCRIPT" * 40_000 + "-->",
    "<script></script><!--" + ("<script" + '""' * 7_000 + ">") * 150,
]


@pytest.mark.parametrize("html", NONSENSE, ids=lambda html: html[:24])
def test_nonsense_takes_no_long_time(html: str) -> None:
    before = thread_time()
    assert len(resolve(find_references(PAGE, html.encode(), "text/html")).urls) <= 1
    assert thread_time() - before < 3.0

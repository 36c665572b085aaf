"""The pieces of HTML, as read by a parser."""

from xml.etree import ElementTree

import pytest

from partition.report.markup import caption, document, facts, size


def test_titles_are_text() -> None:
    page = document("a < b", "p { margin: 0 }", ["<p>x</p>", "<p>y</p>"])
    assert "<title>a &lt; b</title><style>p { margin: 0 }</style>" in page
    assert page.startswith("<!doctype html>")
    assert page.endswith("</body></html>\n")
    assert "<b>Table 3.</b> a &lt; b (kB). " in caption(3, "a < b", "kB", "")
    assert "<b>Table 3.</b> a. " in caption(3, "a", "", "")


def test_facts_stand_beside_their_names() -> None:
    found = ElementTree.fromstring(facts({"K": "4", "Pages": "<b>5</b>"}))
    assert [(child.tag, "".join(child.itertext())) for child in found] == [
        ("dt", "K"),
        ("dd", "4"),
        ("dt", "Pages"),
        ("dd", "5"),
    ]


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234567, "1.23 MB"), (5 * 10**12, "5 TB")]
)
def test_sizes_have_three_digits(count: int, text: str) -> None:
    assert size(count) == text

"""What a page asks of robots."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.pages.robots_meta import NOTHING_ASKED, PageDirectives, asked_of

BOTH = PageDirectives(noindex=True, nofollow=True)
NOINDEX = PageDirectives(noindex=True)
NOFOLLOW = PageDirectives(nofollow=True)


@pytest.mark.parametrize(
    ("tags", "asked"),
    [
        (None, NOTHING_ASKED),
        ("", NOTHING_ASKED),
        ("all", NOTHING_ASKED),
        ("index, follow", NOTHING_ASKED),
        ("noindex", NOINDEX),
        ("NoFollow", NOFOLLOW),
        ("none", BOTH),
        ("noindex,nofollow", BOTH),
        (" nofollow ,, noarchive , noindex ", BOTH),
        ("noindex\nnofollow", BOTH),
        ("noindexed", NOTHING_ASKED),
        ("cutweb: noindex", NOINDEX),
        ("CUTWEB : noindex, nofollow", BOTH),
        ("otherbot: noindex, nofollow", NOTHING_ASKED),
        ("otherbot: noindex\nnofollow", NOFOLLOW),
        ("otherbot: noindex, cutweb: nofollow", NOFOLLOW),
        ("cutweb: nofollow, otherbot: noindex", NOFOLLOW),
        ("nofollow, otherbot: noindex", NOFOLLOW),
        ("*: noindex", NOINDEX),
        ("robots: noindex", NOINDEX),
        ("cutwebber: noindex", NOTHING_ASKED),
        ("max-snippet: 20, noindex", NOINDEX),
        ("max-image-preview:large, nofollow", NOFOLLOW),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", NOINDEX),
        ("otherbot: max-snippet: 20, noindex", NOTHING_ASKED),
        (":noindex", NOTHING_ASKED),
    ],
)
def test_x_robots_tag(tags: str | None, asked: PageDirectives) -> None:
    assert asked_of("cutweb", tags) == asked


@pytest.mark.parametrize(
    ("metas", "asked"),
    [
        ([], NOTHING_ASKED),
        ([("robots", "noindex")], NOINDEX),
        ([("ROBOTS", "NOINDEX,NOFOLLOW")], BOTH),
        ([("robots", "noindex nofollow")], BOTH),
        ([("robots", "none")], BOTH),
        ([("robots", "index,follow")], NOTHING_ASKED),
        ([("CutWeb", "nofollow")], NOFOLLOW),
        ([("googlebot", "none")], NOTHING_ASKED),
        ([("description", "noindex")], NOTHING_ASKED),
        ([("robots", "noindex"), ("cutweb", "index, nofollow")], BOTH),
        ([("robots", "noindex"), ("robots", "nofollow")], BOTH),
        ([("", "noindex")], NOTHING_ASKED),
    ],
)
def test_meta_elements(metas: list[tuple[str, str]], asked: PageDirectives) -> None:
    assert asked_of("cutweb", None, metas) == asked


def test_what_header_and_document_say_adds_up() -> None:
    assert asked_of("cutweb", "noindex", [("robots", "nofollow")]) == BOTH


def test_without_a_name_only_what_is_asked_of_all_counts() -> None:
    assert asked_of("", "noindex\ncutweb: nofollow", [("", "nofollow"), ("cutweb", "nofollow")]) == NOINDEX


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=40), st.lists(st.tuples(st.text(max_size=10), st.text(max_size=20)), max_size=3))
def test_no_text_does_harm(tags: str, metas: list[tuple[str, str]]) -> None:
    assert isinstance(asked_of("cutweb", tags, metas), PageDirectives)

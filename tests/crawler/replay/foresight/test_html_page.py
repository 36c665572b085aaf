"""The page of a made-up foresight."""

import re
from html.parser import HTMLParser

from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.foresight import Foresight
from crawler.replay.foresight.html_page import as_html, later_sessions, notes
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight, outlook, replayed

VOID = {"meta", "br", "path", "circle"}


class Reader(HTMLParser):
    """Checks that elements are closed in order, and keeps headings and items of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {"h2": [], "li": [], "caption": []}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self.texts.keys() & set(self.open):
            self.texts[tag][-1] += data


def read(made: Foresight) -> Reader:
    reader = Reader()
    reader.feed(as_html(made))
    assert reader.open == []
    return reader


def test_what_stands_out_comes_first_and_then_what_is_missing() -> None:
    items = read(EXAMPLE).texts["li"]
    assert items == [*sentences(EXAMPLE), *notes(EXAMPLE)]
    assert notes(EXAMPLE) == [
        "site at K=2 left out: too few",
        "url-range at K=2: no partition within the tolerance it was to be cut with was found; the least unbalanced",
    ]


def test_a_section_for_each_later_session_and_decay_if_there_are_several() -> None:
    assert read(EXAMPLE).texts["h2"] == ["after: predicted and actual", "Rules for unknown URLs"]
    sessions = (replayed("a", 0.0), replayed("b", 1.0), replayed("c", 2.0))
    made = foresight(*(outlook("page/site", 2, number) for number in range(3)), sessions=sessions)
    assert read(made).texts["h2"] == [
        "Decay with age",
        "b: predicted and actual",
        "c: predicted and actual",
        "Rules for unknown URLs",
    ]
    assert later_sessions(made) == range(1, 3)


def test_tables_are_numbered_and_those_that_say_nothing_are_left_out() -> None:
    captions = read(EXAMPLE).texts["caption"]
    assert [caption.partition(".")[0] for caption in captions] == [f"Table {n + 1}" for n in range(len(captions))]
    assert any("Overlap" in caption for caption in captions)
    assert not any("Ranks without pages" in caption or "time" in caption for caption in captions)
    made = foresight(*both("page-hash", 2, {}, {"empty_parts": 1}))
    assert any("Ranks without pages" in caption for caption in read(made).texts["caption"])


def test_names_are_escaped() -> None:
    made = foresight(outlook("page-hash", 2, 0), outlook("page-hash", 2, 1), sessions=(replayed("<a>"), replayed("&b")))
    text = as_html(made)
    assert "<a>" not in text
    assert not re.search(r"&b\b", text)


def test_no_name_turns_the_order_of_letters_round() -> None:
    made = foresight(
        outlook("page-hash", 2, 0), outlook("page-hash", 2, 1), sessions=(replayed("a\u202e"), replayed("b"))
    )
    assert "\u202e" not in as_html(made)


def test_what_is_not_known_is_noted() -> None:
    made = foresight(
        outlook("page-hash", 2, 0),
        outlook("page-hash", 2, 1),
        sessions=(replayed("a", has_urls=False), replayed("b", has_urls=False)),
    )
    assert [note.partition(":")[0] for note in notes(made)] == [
        "the pages have no URLs",
        "it is not known when the pages of every session were fetched",
    ]


def test_a_session_alone_is_shown_beside_itself() -> None:
    made = foresight(outlook("page/site", 2, 0), sessions=(replayed("a", 0.0),))
    assert list(later_sessions(made)) == [0]
    assert read(made).texts["h2"][0] == "a: predicted and actual"

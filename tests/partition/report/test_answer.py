"""What a report says first: bars that keep their proportions, and one that would flatten all others cut off."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.report.answer import Answer, Bar, answer_as_html, bars_as_svg
from partition.report.plots import hidden_lines
from partition.report.scales import percent


def answer(*values: float, sentence: str = "x", command: str = "cutweb info x") -> Answer:
    bars = [Bar(f"bar {at}", value, f"{value:g}") for at, value in enumerate(values)]
    return Answer(sentence, "Bars; less is better", bars, (command,), "see more")


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=9))
def test_bars_are_as_long_as_their_values_but_for_those_cut_off(values: list[float]) -> None:
    made = answer(*values)
    lengths = dict(zip(made.bars, made.lengths, strict=True))
    assert all(0 <= length <= 1 for length in lengths.values())
    whole = [bar for bar in made.bars if bar.value and not made.is_cut(bar)]
    for one in whole:
        for other in whole:
            assert lengths[one] * other.value == pytest.approx(lengths[other] * one.value)
    assert all(lengths[bar] == 1 for bar in made.bars if made.is_cut(bar))


def test_one_that_would_flatten_all_others_is_cut_off_and_marked() -> None:
    made = answer(10, 11, 12, 5000)
    assert [made.is_cut(bar) for bar in made.bars] == [False, False, False, True]
    assert bars_as_svg(made).count('class="break"') == 1
    assert bars_as_svg(answer(10, 11, 12, 50)).count('class="break"') == 0


@pytest.mark.parametrize("name", ["archive.d30.example", "www.mmmmmmmmmm.example", "wm" * 100, "a" * 1000])
def test_a_name_has_room_in_a_wide_font(name: str) -> None:
    """DejaVu Serif, at the size of the figure: 12 px for an m, 7 for most others."""
    figure = ElementTree.fromstring(bars_as_svg(Answer("", "", [Bar(name, 1, "1")])))
    label = next(text for text in figure.iter("text") if text.get("class") == "y")
    assert label.text is not None
    assert sum(11.9 if letter in "mw" else 7.0 for letter in label.text) <= float(label.get("x", "0"))
    assert label.text.rstrip("…") == name[: len(label.text.rstrip("…"))]


def test_what_is_said_is_text() -> None:
    made = answer(1, sentence="a < b & c", command="cutweb info 'a<b'")
    page = ElementTree.fromstring(answer_as_html(made))
    assert next(page.iter("p")).text == "a < b & c"
    assert [code.text for code in page.iter("code")] == ["cutweb info 'a<b'"]


def test_without_bars_there_is_no_figure() -> None:
    assert bars_as_svg(Answer("x", "y", [])) == ""
    assert "<svg" not in answer_as_html(Answer("x", "y", []))
    assert answer_as_html(Answer("x", "y", [])).count("<p") == 1


def test_a_line_under_another_is_found() -> None:
    one, near, far = [(0.0, 1.0), (9.0, 5.0)], [(0.0, 1.4), (9.0, 5.0)], [(0.0, 1.0), (9.0, 9.0)]
    assert hidden_lines({"a": one, "b": far, "c": near}) == {"a"}
    assert hidden_lines({"a": one, "b": far}) == set()
    assert hidden_lines({"a": one, "b": one[:1]}) == set()


def test_percent() -> None:
    assert [percent(ratio) for ratio in (0, 0.0512, 0.0996, 0.17, 12.5)] == ["0.0%", "5.1%", "10%", "17%", "1,250%"]

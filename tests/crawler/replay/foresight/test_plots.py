"""Foresights in pictures."""

from html import escape
from xml.etree import ElementTree

from crawler.replay.foresight.answer import answer_of, best_of_models
from crawler.replay.foresight.arrows import arrows_as_html
from crawler.replay.foresight.figures import BY_NAME
from crawler.replay.foresight.html_page import as_html
from crawler.replay.foresight.plots import decay_plots, plots_against_parts
from crawler.replay.foresight.view import View
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight, outlook, replayed

UNIT = BY_NAME["wire_bytes_per_page"].unit


def plots(html: str) -> dict[str, ElementTree.Element]:
    """The plots by title."""
    found = ElementTree.fromstring(f"<page>{html}</page>").iter("svg")
    return {next(text.text or "" for text in plot.iter("text")): plot for plot in found}


def kinds(plot: ElementTree.Element) -> list[str]:
    return [group.attrib["class"] for group in plot.iter("g") if "series" in group.attrib.get("class", "")]


def test_a_plot_for_each_figure_and_rule_with_the_prediction_drawn_otherwise() -> None:
    found = plots(plots_against_parts(View(EXAMPLE), 1))
    assert len(found) == 4 * 2 + 1
    page, prefix, hashed = "series page", "series prefix", "series page-hash"
    assert kinds(found["Imbalance of storage, prefix (%) ↓"]) == [
        f"{page} foreseen",
        f"{prefix} foreseen",
        f"{hashed} foreseen",
        page,
        prefix,
        hashed,
    ]
    titles = [title.text for title in found[f"Wire bytes, prefix ({UNIT}) ↓"].iter("title")]
    assert titles[2:4] == ["page-hash, foreseen, K=2: 200.0", "page, K=2: 20.0"]


def test_overlap_is_plotted_where_there_is_any() -> None:
    found = plots(plots_against_parts(View(EXAMPLE), 1))
    assert [title for title in found if "Overlap" in title] == ["Overlap, discoverer (%) ↓"]


def test_a_session_alone_has_no_prediction_beside_it() -> None:
    found = plots(plots_against_parts(View(EXAMPLE), 0))
    assert all("foreseen" not in kind for plot in found.values() for kind in kinds(plot))


def test_decay_stands_against_the_age_of_the_sessions_at_the_largest_k() -> None:
    sessions = (replayed("a", 0.0), replayed("b", 2.5), replayed("c", 400.0))
    made = foresight(
        *(outlook("page/site", 4, number, wire_bytes_per_page=40.0 + number) for number in range(3)),
        *(outlook("page/site", 2, number) for number in range(3)),
        sessions=sessions,
    )
    found = plots(decay_plots(made, View(made)))
    assert list(found)[3] == f"Wire bytes, site ({UNIT}) ↓, K = 4"
    plot = found[f"Wire bytes, site ({UNIT}) ↓, K = 4"]
    assert [title.text for title in plot.iter("title")] == [
        "page, cut: 40.00",
        "page, 2.5 days: 41.00",
        "page, 400 days: 42.00",
    ]
    labels = [text.text for text in plot.iter("text") if text.attrib.get("class") == "tick x"]
    assert labels == ["0", "400", "age in days"]
    start, soon, late = (circle_of(plot, number) for number in range(3))
    assert abs((soon - start) / (late - start) - 2.5 / 400) < 1e-3


def circle_of(plot: ElementTree.Element, number: int) -> float:
    """Where across a plot a circle stands."""
    return float(list(plot.iter("circle"))[number].attrib["cx"])


def test_decay_leaves_out_what_says_nothing_and_plots_once_what_is_the_same_under_all_rules() -> None:
    sessions = (replayed("a", 0.0), replayed("b", 30.0), replayed("c", 90.0), replayed("d", 455.0))
    made = foresight(
        *(outlook("page/site", 4, number, unknown_discovered=number / 8) for number in range(4)),
        *(
            outlook("page/discoverer", 4, number, unknown_discovered=number / 8, overlap=number / 9)
            for number in range(4)
        ),
        *(outlook("page-hash", 4, number) for number in range(4)),
        sessions=sessions,
    )
    found = plots(decay_plots(made, View(made)))
    assert [title for title in found if "Overlap" in title or "URLs not" in title] == [
        "Overlap, discoverer (%) ↓, K = 4",
        "URLs not in the map (%) ↓, K = 4",
    ]
    assert f"Bytes sent, K = 4 ({UNIT})" not in found
    assert any(title.startswith("Bytes sent") for title in found)
    assert not any("Coverage" in title for title in found)
    plot = found["Overlap, discoverer (%) ↓, K = 4"]
    labels = [text.text for text in plot.iter("text") if text.attrib.get("class") == "tick x"]
    assert labels == ["0", "30", "90", "455", "age in days"]


def test_coverage_that_is_lost_with_age_is_plotted() -> None:
    sessions = (replayed("a", 0.0), replayed("b", 1.0), replayed("c", 2.0))
    made = foresight(
        *(outlook("page-hash", 2, number, coverage=1 - number / 10) for number in range(3)), sessions=sessions
    )
    assert "Coverage (%) ↑, K = 2" in plots(decay_plots(made, View(made)))


def test_sessions_without_an_age_stand_by_name() -> None:
    sessions = (replayed("a"), replayed("b"), replayed("<c>"))
    made = foresight(*(outlook("page-hash", 2, number) for number in range(3)), sessions=sessions)
    plot = next(iter(plots(decay_plots(made, View(made))).values()))
    labels = [text.text for text in plot.iter("text") if text.attrib.get("class") == "tick x"]
    assert labels == ["cut", "b", "<c>", "age"]


# The figure and the sentence that a foresight begins with.


def test_each_model_is_shown_by_the_rule_that_turned_out_most_even_without_overlap() -> None:
    made = foresight(
        *both("page/prefix", 8, {}, {"storage_imbalance": 0.4}),
        *both("page/page-hash", 8, {}, {"storage_imbalance": 0.2}),
        *both("page/discoverer", 8, {}, {"overlap": 0.05}),
        *both("page/prefix", 2, {}, {}),
        *both("site-hash", 8, {}, {}),
    )
    assert [candidate.way for candidate in best_of_models(View(made), 1)] == ["page/page-hash", "site-hash"]


def test_the_page_begins_with_one_figure_and_one_sentence() -> None:
    page = as_html(EXAMPLE)
    figure = arrows_as_html(EXAMPLE, View(EXAMPLE))
    assert figure in page
    assert page.index(figure) < page.index('<ul class="standing">')
    assert page[: page.index(figure)].count("<svg") == 0
    answer = answer_of(EXAMPLE, "folder/after b")
    assert escape(answer.sentence) in page[: page.index(figure)]
    assert answer.sentence == (
        "On 2 ranks in after, page-hash is most even: its fullest rank is 2.0% above the mean (2.0% was predicted), "
        "for 100.0 bytes on the wire a page; prefix/prefix is 5.0% above the mean (2.0% was predicted), for 5.0 bytes "
        "on the wire a page."
    )
    assert answer.next == ("cutweb advise 'folder/after b' --ranks 2",)
    assert [(bar.name, bar.is_out) for bar in answer.bars] == [
        ("page-hash", False),
        ("prefix/prefix", False),
        ("page/prefix", True),
    ]
    assert figure.count('<svg class="plot') == 1
    for model in ("page", "prefix", "page-hash"):
        assert f'<g class="series {model}"><title>' in figure
    assert "page/prefix: 40% above the mean (2.0% was predicted), for 20.0 bytes on the wire a page" in figure


def test_an_arrow_leads_from_the_prediction_to_what_came() -> None:
    moved = foresight(*both("page/prefix", 2, {}, {"storage_imbalance": 0.4, "wire_bytes_per_page": 20.0}))
    stayed = foresight(*both("page/prefix", 2, {}, {}))
    for made, has_arrow in ((moved, True), (stayed, False)):
        figure = arrows_as_html(made, View(made))
        assert ('r="2.6"/>' in figure) == has_arrow


def test_without_a_later_session_there_is_none() -> None:
    alone = foresight(outlook("page-hash", 2, 0), sessions=(replayed("a", 0.0),))
    assert arrows_as_html(alone, View(alone)) == ""

"""The figure and the sentence that a foresight begins with."""

from crawler.replay.foresight.arrows import best_of_models, first_figure, sentence
from crawler.replay.foresight.html_page import as_html
from crawler.replay.foresight.view import View
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight, outlook, replayed


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
    figure = first_figure(EXAMPLE, View(EXAMPLE))
    assert figure in page
    assert page.index(figure) < page.index('<ul class="standing">')
    assert page[: page.index(figure)].count("<svg") == 0
    assert sentence(EXAMPLE, View(EXAMPLE)) == (
        "At K = 2 in after page-hash is most even: an imbalance of 2% (2% was predicted) with 100.0 bytes on the wire "
        "a page; prefix/prefix has an imbalance of 5% (2% was predicted) with 5.0 bytes on the wire a page."
    )
    assert figure.count('<svg class="plot') == 1
    for model in ("page", "prefix", "page-hash"):
        assert f'<g class="series {model}"><title>' in figure
    assert "page/prefix: an imbalance of 40% (2% was predicted) with 20.0 bytes on the wire a page" in figure


def test_an_arrow_leads_from_the_prediction_to_what_came() -> None:
    moved = foresight(*both("page/prefix", 2, {}, {"storage_imbalance": 0.4, "wire_bytes_per_page": 20.0}))
    stayed = foresight(*both("page/prefix", 2, {}, {}))
    for made, has_arrow in ((moved, True), (stayed, False)):
        figure = first_figure(made, View(made))
        assert ('r="2.6"/>' in figure) == has_arrow


def test_without_a_later_session_there_is_none() -> None:
    alone = foresight(outlook("page-hash", 2, 0), sessions=(replayed("a", 0.0),))
    assert first_figure(alone, View(alone)) == ""

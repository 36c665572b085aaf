"""Entries put together by model and K."""

from dataclasses import replace

from crawler.replay.measuring.figures import FIGURES
from crawler.replay.reporting.entry import at_k, looks_of, results_of, shown_of
from partition.quality.request import ALL_MODELS
from tests.crawler.replay.support.entries import entries_at


def test_an_entry_has_every_figure() -> None:
    _, (first, *_) = entries_at(2)
    assert list(first.figures()) == [figure.name for figure in FIGURES]


def test_entries_of_one_model_and_k_are_one_result() -> None:
    _, entries = entries_at(2, 3)
    again = replace(entries[0], seconds=2.5)
    results = results_of([*entries, again])
    assert [(result.model, result.k) for result in results] == [(entry.model, entry.k) for entry in entries]
    seconds = results[0].figures["seconds"]
    assert (seconds.mean, seconds.least, seconds.most) == (2.0, 1.5, 2.5)


def test_of_several_the_first_is_shown() -> None:
    _, entries = entries_at(2, 3)
    again = replace(entries[0], seconds=2.5)
    assert list(at_k([*entries, again], 2).values()) == entries[:2]


def test_models_keep_their_looks_and_others_get_free_ones() -> None:
    looks = looks_of(["old", "page", "new"])
    assert looks["page"] == "page"
    assert len(set(looks.values())) == 3
    assert looks_of(["page/site", "page", "x/y"]) == {"page/site": "site", "page": "page", "x/y": "prefix"}
    assert looks_of(["prefix/site", "page-hash"]) == {"prefix/site": "prefix", "page-hash": "page-hash"}


def test_plots_show_the_first_way_of_each_model_and_six_at_most() -> None:
    few = ["page/prefix", "page/site", "old"]
    assert shown_of(few) == few
    ways = [f"{model}/{rule}" for model in ("page", "site", "prefix", "url-range") for rule in ("prefix", "site")]
    assert shown_of([*ways, "page-hash", "site-hash"]) == [*ways[::2], "page-hash", "site-hash"]
    assert shown_of(ways) == [*ways[:5], "url-range/prefix"]
    for many in (ways, [f"model {number}" for number in range(20)]):
        assert set(looks_of(shown_of(many)).values()) == set(ALL_MODELS)

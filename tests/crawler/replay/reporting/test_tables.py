"""Entries by model and K, in tables: on the page and in the terminal."""

import re
from dataclasses import replace

import pytest

from crawler.replay.measuring.figures import BY_NAME, FIGURES
from crawler.replay.reporting.entry import at_k, looks_of, results_of, shown_of
from crawler.replay.reporting.full_table import whole_tables
from crawler.replay.reporting.summary import print_summary
from partition.quality.request import USUAL_MODELS
from partition.report.tables import ResultGrid, even
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
        assert set(looks_of(shown_of(many)).values()) == set(USUAL_MODELS)


# The table of all figures at one K.


def test_figures_stand_under_their_groups_and_models_across() -> None:
    _, entries = entries_at(2)
    table = whole_tables(ResultGrid(results_of(entries), even(0.1)), [BY_NAME[name] for name in ("fetches", "overlap")])
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table)]
    assert rows == [
        ["figure", "page, &lt;discoverer&gt;<sup>†</sup>", "page-hash<sup>†</sup>"],
        ["Coverage and overlap"],
        ['Fetches <span class="unit">↓</span>', "7", "5"],
        ['Overlap <span class="unit">(%) ↓</span>', "40.00", "0.00"],
    ]


def test_many_models_stand_in_several_tables_of_eight_at_most() -> None:
    _, (first, *_) = entries_at(2)
    models = [f"model {number}/a" for number in range(9)]
    entries = [replace(first, model=model) for model in models]
    found = whole_tables(ResultGrid(results_of(entries), even(0.1)), [BY_NAME["fetches"]])
    heads = [re.findall(r'<th scope="col">(.*?)<sup>', table) for table in found.split("</table>")[:-1]]
    shown = [model.replace("/", "/<wbr>") for model in models]
    assert heads == [
        ['figure</th><th scope="col">' + shown[0], *shown[1:5]],
        ['figure</th><th scope="col">' + shown[5], *shown[6:]],
    ]
    assert found.count("<td>7</td>") == 9


# The printed table.


def test_each_entry_has_a_row_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    _, entries = entries_at(2)
    print_summary(entries)
    head, first, second, told = capsys.readouterr().out.splitlines()
    assert [word for word in head.split() if word not in "%↑↓"][:3] == ["model", "K", "coverage,"]
    assert first.split()[:5] == ["page,", "<discoverer>", "2", "100.00", "40.00"]
    assert second.split()[:4] == ["page-hash", "2", "100.00", "0.00"]
    assert first.split()[9:11] == ["0.286", "4.86"]
    assert told.startswith("↓ less is better, ↑ more is better")

"""The table of all figures at one K."""

import re
from dataclasses import replace

from crawler.replay.measuring.figures import BY_NAME
from crawler.replay.reporting.entry import results_of
from crawler.replay.reporting.full_table import whole_tables
from partition.report.tables import ResultGrid
from tests.crawler.replay.support.entries import entries_at


def test_figures_stand_under_their_groups_and_models_across() -> None:
    _, entries = entries_at(2)
    table = whole_tables(ResultGrid(results_of(entries), 0.1), [BY_NAME[name] for name in ("fetches", "overlap")])
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table)]
    assert rows == [
        ["figure", "page, &lt;discoverer&gt;<sup>†</sup>", "page-hash<sup>†</sup>"],
        ["Coverage and overlap"],
        ["Fetches", "7", "5"],
        ['Overlap <span class="unit">(%)</span>', "40.00", "0.00"],
    ]


def test_many_models_stand_in_several_tables_of_eight_at_most() -> None:
    _, (first, *_) = entries_at(2)
    models = [f"model {number}/a" for number in range(9)]
    entries = [replace(first, model=model) for model in models]
    found = whole_tables(ResultGrid(results_of(entries), 0.1), [BY_NAME["fetches"]])
    heads = [re.findall(r'<th scope="col">(.*?)<sup>', table) for table in found.split("</table>")[:-1]]
    shown = [model.replace("/", "/<wbr>") for model in models]
    assert heads == [
        ['figure</th><th scope="col">' + shown[0], *shown[1:5]],
        ['figure</th><th scope="col">' + shown[5], *shown[6:]],
    ]
    assert found.count("<td>7</td>") == 9

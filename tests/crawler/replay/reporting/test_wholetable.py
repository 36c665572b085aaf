"""The table of all figures at one K."""

import re

from crawler.replay.measuring.figures import BY_NAME
from crawler.replay.reporting.entry import results_of
from crawler.replay.reporting.wholetable import whole_table
from partition.quality.tables import ResultGrid
from tests.crawler.replay.entries import entries_at


def test_figures_stand_under_their_groups_and_models_across() -> None:
    _, entries = entries_at(2)
    table = whole_table(ResultGrid(results_of(entries), 0.1), [BY_NAME[name] for name in ("fetches", "overlap")])
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table)]
    assert rows == [
        ["figure", "page, &lt;discoverer&gt;<sup>†</sup>", "page-hash<sup>†</sup>"],
        ["Coverage and overlap"],
        ["Fetches", "7", "5"],
        ['Overlap <span class="unit">(%)</span>', "40.00", "0.00"],
    ]

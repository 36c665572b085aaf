"""Tables of made-up foresights."""

import re

from crawler.replay.foresight.figures import BY_NAME
from crawler.replay.foresight.tables import table_of
from crawler.replay.foresight.view import View
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight

WIRE = BY_NAME["wire_bytes_per_page"]
NONE = "&ndash;"


def rows(table: str) -> list[list[str]]:
    body = table.partition("<tbody>")[2]
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body)]


def test_predicted_stands_beside_actual_and_a_hash_once_for_all_rules() -> None:
    table = table_of(View(EXAMPLE), WIRE, 1, "x")
    assert rows(table) == [
        ["2", "prefix", "10.0", "20.0<sup>†</sup>", "10.0", "<b>5.0</b>", "200.0", "100.0"],
        ["discoverer", "10.0", "10.0", "10.0", "10.0"],
    ]
    assert table.count('rowspan="2">200.0') == 1
    assert [row.count("<th") for row in re.findall(r"<tr>(.*?)</tr>", table.partition("</thead>")[0])] == [5, 6]


def test_what_is_missing_is_a_dash() -> None:
    view = View(foresight(*both("page/site", 2, {}, {}), *both("page/site", 4, {}, {}), *both("page-hash", 4, {}, {})))
    assert rows(table_of(view, WIRE, 1, "x")) == [
        ["2", "site", "10.00", "10.00", NONE, NONE],
        ["4", "site", "10.00", "10.00", "10.00", "10.00"],
    ]


def test_without_maps_there_are_no_rules() -> None:
    view = View(foresight(*both("page-hash", 2, {}, {}), *both("site-hash", 2, {}, {"wire_bytes_per_page": 3.0})))
    assert rows(table_of(view, WIRE, 1, "x")) == [["2", "10.00", "10.00", "10.00", "<b>3.00</b>"]]


def test_the_best_may_be_the_largest() -> None:
    view = View(foresight(*both("page-hash", 2, {}, {"coverage": 0.5}), *both("site-hash", 2, {}, {})))
    assert rows(table_of(view, BY_NAME["coverage"], 1, "x"))[0][1:] == ["100.0", "50.0", "100.0", "<b>100.0</b>"]

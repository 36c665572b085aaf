"""Made-up foresights in tables: on the page and in the terminal."""

import re
from io import StringIO
from pathlib import Path

from rich.console import Console

from crawler.replay.foresight.answer import answer_of
from crawler.replay.foresight.figures import BY_NAME
from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.html_page import notes
from crawler.replay.foresight.summary import print_foresight
from crawler.replay.foresight.tables import table_of
from crawler.replay.foresight.view import View
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight, outlook, replayed

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


# What is printed of a made-up foresight.


def test_a_row_for_each_candidate_after_the_answer_and_what_stands_out(tmp_path: Path) -> None:
    printed = StringIO()
    print_foresight(EXAMPLE, tmp_path / "index.html", "after", Console(file=printed, width=1000, highlight=False))
    lines = printed.getvalue().splitlines()
    assert lines[0] == answer_of(EXAMPLE, "after").sentence
    first = lines.index("before -> after")
    told = [f"- {sentence}" for sentence in sentences(EXAMPLE)] + [f"note: {note}" for note in notes(EXAMPLE)]
    assert lines[first - len(told) : first] == told
    rows = [line.split() for line in lines if line[:2] == "2 "]
    assert [row[1:3] for row in rows] == [
        ["*", "page"],
        ["page", "discoverer"],
        ["prefix", "prefix"],
        ["prefix", "discoverer"],
        ["page-hash", "-"],
    ]
    assert rows[0][4:] == ["1.0", "->", "40.0", "2.0", "->", "2.0", "10.0", "->", "20.0", "0.0", "->", "0.0"]
    assert lines[-1] == f"report: {tmp_path / 'index.html'}"


def test_of_several_later_sessions_the_balance_by_age_is_printed(tmp_path: Path) -> None:
    made = foresight(
        *(outlook("page/site", 4, number, requests_imbalance=number / 10) for number in range(3)),
        *(outlook("page/site", 2, number) for number in range(3)),
        *(outlook("page-hash", 4, number, storage_imbalance=number / 20) for number in range(3)),
        sessions=(replayed("a", 0.0), replayed("b", 30.0), replayed("c", 90.0)),
    )
    printed = StringIO()
    print_foresight(made, tmp_path / "index.html", "after", Console(file=printed, width=1000, highlight=False))
    lines = printed.getvalue().splitlines()
    begin = lines.index("the larger imbalance of storage and requests at K = 4 by age, %")
    rows = [line.split() for line in lines[begin + 1 : begin + 6]]
    assert ["way", "predicted", "30", "days", "90", "days"] in rows
    assert ["page/site", "1.0", "10.0", "20.0"] in rows
    assert ["page-hash", "2.0", "5.0", "10.0"] in rows

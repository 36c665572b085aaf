"""What is printed of a made-up foresight."""

from io import StringIO
from pathlib import Path

from rich.console import Console

from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.html_page import notes
from crawler.replay.foresight.summary import print_foresight
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, foresight, outlook, replayed


def test_a_row_for_each_candidate_then_what_stands_out(tmp_path: Path) -> None:
    printed = StringIO()
    print_foresight(EXAMPLE, tmp_path / "index.html", Console(file=printed, width=1000, highlight=False))
    lines = printed.getvalue().splitlines()
    assert lines[:2] == [f"note: {note}" for note in notes(EXAMPLE)]
    assert lines[2] == "before -> after"
    rows = [line.split() for line in lines if line[:1] == "2"]
    assert [row[1:3] for row in rows] == [
        ["*", "page"],
        ["page", "discoverer"],
        ["prefix", "prefix"],
        ["prefix", "discoverer"],
        ["page-hash", "-"],
    ]
    assert rows[0][4:] == ["1.0", ">", "40.0", "2.0", ">", "2.0", "10.0", ">", "20.0", "0.0", ">", "0.0"]
    assert lines[-len(sentences(EXAMPLE)) - 1 : -1] == sentences(EXAMPLE)
    assert lines[-1] == f"report: {tmp_path / 'index.html'}"


def test_of_several_later_sessions_the_balance_by_age_is_printed(tmp_path: Path) -> None:
    made = foresight(
        *(outlook("page/site", 4, number, requests_imbalance=number / 10) for number in range(3)),
        *(outlook("page/site", 2, number) for number in range(3)),
        *(outlook("page-hash", 4, number, storage_imbalance=number / 20) for number in range(3)),
        sessions=(replayed("a", 0.0), replayed("b", 30.0), replayed("c", 90.0)),
    )
    printed = StringIO()
    print_foresight(made, tmp_path / "index.html", Console(file=printed, width=1000, highlight=False))
    lines = printed.getvalue().splitlines()
    begin = lines.index("the larger imbalance of storage and requests at K = 4 by age, %")
    rows = [line.split() for line in lines[begin + 1 : begin + 6]]
    assert ["way", "predicted", "30", "days", "90", "days"] in rows
    assert ["page/site", "1.0", "10.0", "20.0"] in rows
    assert ["page-hash", "2.0", "5.0", "10.0"] in rows

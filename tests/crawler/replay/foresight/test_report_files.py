"""report.json and figures.csv."""

import csv
import json
from dataclasses import asdict

from crawler.replay.foresight.figures import FIGURES
from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.report_files import as_csv, as_json
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE


def test_everything_is_in_the_record() -> None:
    told = json.loads(as_json(EXAMPLE))
    assert told["format"] == 1
    assert told["stands_out"] == sentences(EXAMPLE)
    assert told["sessions"] == [asdict(session) for session in EXAMPLE.sessions]
    assert told["left_out"] == [{"model": "site", "k": 2, "reason": "too few"}]
    assert told["unbalanced"] == [{"model": "url-range", "k": 2}]
    assert told["figures"].keys() == {figure.name for figure in FIGURES}
    assert [one["figures"] for one in told["outlooks"]] == [one.figures for one in EXAMPLE.outlooks]
    last = told["outlooks"][-1]
    assert [last[name] for name in ("model", "rule", "k", "session", "crowded")] == [
        "page-hash",
        None,
        2,
        1,
        "a.example/new/",
    ]


def test_a_row_for_each_outlook() -> None:
    rows = list(csv.DictReader(as_csv(EXAMPLE).splitlines()))
    assert len(rows) == len(EXAMPLE.outlooks)
    first, second, last = rows[0], rows[1], rows[-1]
    keys = ("model", "unknown_rule", "k", "session", "age", "is_predicted", "wire_bytes_per_page", "time_imbalance")
    assert [first[key] for key in keys] == ["page", "prefix", "2", "before", "0.0", "1", "10.0", ""]
    assert [second[key] for key in keys] == ["page", "prefix", "2", "after", "30.0", "0", "20.0", ""]
    assert [last[key] for key in keys] == ["page-hash", "", "2", "after", "30.0", "0", "100.0", ""]

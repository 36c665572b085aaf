"""The report of a foresight: what its files say, and that its folder is whole or not there."""

import csv
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from crawler.replay.foresight import make_report
from crawler.replay.foresight.figures import FIGURES
from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.make_report import as_csv, as_json, make_foresight
from crawler.replay.foresight.request import ForesightRequest
from partition.models.settings import Settings
from sessions.session import SessionError
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE
from tests.crawler.replay.support.series import write_warc


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


# The report's folder: whole or not at all.

REQUEST = ForesightRequest(
    ("prefix", "page-hash"), (2,), ("prefix", "discoverer"), cutting=Settings(effort="low", threads=1, tolerance=0.3)
)
MADE = "2026-01-02T03:04:05+00:00"


def test_a_report_from_two_warc_files(tmp_path: Path) -> None:
    paths = [write_warc(tmp_path / "a.warc", 40), write_warc(tmp_path / "b.warc", 50, 7)]
    out = tmp_path / "new" / "report"
    found = make_foresight(paths[0], paths[1:], out, REQUEST, made=MADE, progress=lambda _: None)
    assert {path.name for path in out.iterdir()} == {"index.html", "report.json", "figures.csv"}
    assert {path.name for path in tmp_path.iterdir()} == {"a.warc", "b.warc", "new"}
    told = json.loads((out / "report.json").read_text())
    assert told["made"] == found.made == MADE
    assert [session["name"] for session in told["sessions"]] == ["a", "b"]


def test_nothing_is_left_of_a_report_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warc = write_warc(tmp_path / "a.warc", 40)

    def fail(_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(make_report, "as_html", fail)
    with pytest.raises(OSError, match="No space"):
        make_foresight(warc, [warc], tmp_path / "out", REQUEST, made=MADE, progress=lambda _: None)
    with pytest.raises(SessionError):
        make_foresight(tmp_path / "none", [warc], tmp_path / "out", REQUEST, made=MADE, progress=lambda _: None)
    assert [path.name for path in tmp_path.iterdir()] == ["a.warc"]


def test_a_folder_that_is_taken_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").write_text("x")
    with pytest.raises(SessionError, match="out"):
        make_foresight(tmp_path / "none", [], tmp_path / "out", REQUEST, made=MADE, progress=print)

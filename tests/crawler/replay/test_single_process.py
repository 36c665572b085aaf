"""``cutweb replay --estimate`` and ``--from``: reports, and what is refused in one line with nothing written."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.pages.warc_import import import_warcs
from crawler.replay.command import replay
from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.measures import measures_of
from crawler.replay.ownership import ownership_by_map
from crawler.replay.recording import recording_of
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.support.series import pages_of, write_warc
from tests.mpi.maps import write_random_map


@pytest.fixture
def session(tmp_path: Path) -> Path:
    import_warcs([write_warc(tmp_path / "web.warc", 40)], tmp_path / "session")
    return tmp_path / "session"


def measures(folder: Path) -> list[dict[str, str]]:
    with open(folder / "measures.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_an_estimate_is_a_report_of_each_model_and_k(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "report"
    asked = ["--estimate", "--parts", "1,3", "--models", "page,site-hash", "--out", str(out)]
    assert replay([str(session), *asked]) == 0
    assert f"report: {out / 'index.html'}" in capsys.readouterr().out
    rows = measures(out)
    assert {(row["model"], row["k"]) for row in rows} == {
        (model, k) for model in ("page", "site-hash") for k in ("1", "3")
    }
    assert all(float(row["coverage"]) == 1.0 for row in rows)
    assert all((float(row["urls_per_page"]) > 0) == (row["k"] == "3") for row in rows)
    assert not list(tmp_path.glob(".*")), "the maps that it was made with are gone"


def test_an_estimate_in_virtual_time_has_delays(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    asked = ["--estimate", "--parts", "1,3", "--models", "page,site-hash", "--latency", "0.5", "--delay", "2"]
    assert replay([str(session), *asked, "--out", str(out)]) == 0
    rows = measures(out)
    assert {(row["model"], row["k"]) for row in rows} == {
        (model, k) for model in ("page", "site-hash") for k in ("1", "3")
    }
    assert all(float(row["coverage"]) == 1.0 for row in rows)
    assert all(float(row["virtual_seconds"]) > 2.0 for row in rows)
    with open(out / "ranks.csv", newline="") as file:
        by_rank = list(csv.DictReader(file))
    assert all(float(row["milliseconds"]) == 500 * int(row["fetches"]) for row in by_rank)
    assert not list(tmp_path.glob(".*")), "the scratch folders of the ranks are gone"


def test_an_estimate_in_virtual_time_needs_to_know_how_long_a_request_takes(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--estimate", "--parts", "2", "--models", "site-hash", "--latency", "recorded", "--out"]
    assert replay([str(session), *asked, str(tmp_path / "report")]) == 2
    assert "has no times of requests; name a model" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()


def test_an_estimate_by_a_map_is_that_of_its_ownership(session: Path, tmp_path: Path) -> None:
    write_random_map(tmp_path / "map", pages_of(30), 3)
    asked = ["--estimate", "--partition", str(tmp_path / "map"), "--unknown", "prefix,discoverer"]
    more = ["--pages-per-superstep", "4", "--out", str(tmp_path / "report")]
    assert replay([str(session), *asked, *more]) == 0
    recording, settings = recording_of(session), ReplaySettings(4)
    for row, rule in zip(measures(tmp_path / "report"), ("prefix", "discoverer"), strict=True):
        ownership = ownership_by_map(recording, tmp_path / "map", rule)
        course = estimate(recording, ownership, settings)
        told = measures_of(recording, ownership, course, settings, importance_of(recording))
        assert float(row["urls_per_page"]) == pytest.approx(told.urls_per_page)
        assert float(row["overlap"]) == pytest.approx(told.overlap)
        assert row["k"] == "3"


def test_the_next_session_is_compared_with_what_was_foreseen(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = write_warc(tmp_path / "later.warc", 60, days=30)
    asked = ["--from", str(session), "--models", "page,page-hash", "--parts", "2", "--unknown", "prefix"]
    assert replay([str(later), *asked, "--out", str(tmp_path / "report")]) == 0
    assert "index.html" in capsys.readouterr().out
    assert (tmp_path / "report" / "index.html").stat().st_size > 1000


REFUSALS: dict[str, tuple[Callable[[Path], list[str]], str]] = {
    "no session": (lambda folder: [str(folder / "nowhere"), "--estimate", "--parts", "2"], "nowhere/session.json: no"),
    "no WARC": (lambda folder: [str(folder / "x.warc"), "--estimate", "--parts", "2"], "x.warc: No such file"),
    "no parts": (lambda folder: [str(folder / "session"), "--estimate"], "--parts K,... is missing"),
    "no map": (
        lambda folder: [str(folder / "session"), "--estimate", "--partition", str(folder)],
        "no such file; is",
    ),
    "no session to come from": (
        lambda folder: [str(folder / "session"), "--from", str(folder / "nowhere"), "--parts", "2"],
        "nowhere/session.json: no such file",
    ),
    "more parts than pages": (
        lambda folder: [str(folder / "session"), "--estimate", "--models", "page", "--parts", "5000"],
        "nothing to estimate",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_cannot_be_estimated_is_refused(
    session: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: Callable[[Path], list[str]],
    message: str,
) -> None:
    before = set(tmp_path.rglob("*"))
    assert replay([*arguments(tmp_path), "--out", str(tmp_path / "new" / "report")]) == 2
    assert set(tmp_path.rglob("*")) == before
    said = capsys.readouterr()
    assert said.out == ""
    lines = [line for line in said.err.splitlines() if line.startswith("cutweb replay: ")]
    assert len(lines) == 1
    assert message in lines[0]
    assert "Traceback" not in said.err


def test_nothing_is_written_over(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert replay([str(session), "--estimate", "--parts", "2", "--out", str(session)]) == 2
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert "exists and is not empty" in capsys.readouterr().err
    below = tmp_path / "web.warc" / "report"
    assert replay([str(session), "--estimate", "--parts", "2", "--out", str(below)]) == 2
    assert capsys.readouterr().err == f"cutweb replay: {below}: Not a directory\n"


@pytest.mark.parametrize("way", [["--estimate"], ["--from", "session"]])
def test_one_process_is_enough(
    session: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    way: list[str],
) -> None:
    before = set(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMI_SIZE", "2")
    said = []
    for rank in "01":
        monkeypatch.setenv("PMI_RANK", rank)
        assert replay([str(session), *way, "--parts", "2", "--models", "page-hash", "--out", "report"]) == 2
        said.append(capsys.readouterr().err)
    assert said[0].startswith("cutweb replay: --estimate and --from take one process")
    assert "2 were launched: leave out mpiexec" in said[0]
    assert said[0].count("\n") == 1
    assert said[1] == ""
    assert set(tmp_path.rglob("*")) == before
    monkeypatch.setenv("PMI_SIZE", "1")
    monkeypatch.setenv("PMI_RANK", "0")
    assert replay([str(session), *way, "--parts", "2", "--models", "page-hash", "--out", "report"]) == 0


def test_parts_may_be_said_beside_a_map_that_is_for_as_many(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_random_map(tmp_path / "map", pages_of(30), 3)
    asked = [str(session), "--estimate", "--partition", str(tmp_path / "map"), "--out", str(tmp_path / "report")]
    for parts in ("4", "3,4"):
        assert replay([*asked, "--parts", parts]) == 2
        problem = f"--parts {parts}, but the map of --partition {tmp_path / 'map'} is for 3 ranks"
        assert problem in capsys.readouterr().err
    assert replay([*asked, "--parts", "3"]) == 0
    assert [row["k"] for row in measures(tmp_path / "report")] == ["3"]

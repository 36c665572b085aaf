"""`cutweb report`: the page, the figures beside it, and what it refuses."""

import csv
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from crawler.main import cutweb
from crawler.session_report.figures import figures_of
from sessions.session import Session
from tests.crawler.session_report.random_sessions import random_session
from tests.sessions.support.breaking import edit_epoch, edit_header
from tests.sessions.support.builder import Crawl, small_session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sessions") / "crawl <1>"
    small_session(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["report", *map(str, arguments)], catch_exceptions=False)


def test_a_session_is_shown(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(session, "--out", out)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    figures = figures_of(Session.open(session), "crawl <1>")
    assert lines[0].startswith(f"crawl <1> holds {figures.pages} pages of {figures.summary.total.sites} sites")
    assert lines[-1] == f"report: {out / 'report.html'}"
    told = json.loads((out / "report.json").read_text())
    known = {f"{name}.csv" for name, figure in told["figures"].items() if any(figure["rows"].values())}
    assert {path.name for path in out.iterdir()} == {"report.html", "report.json", "sites.csv", *known}
    assert len(known) > 5
    (told,) = told["sessions"]
    assert sum(told["answers"].values()) == sum(told["statuses"].values()) == sum(told["depths"]) == figures.pages
    assert str(session.parent) not in (out / "report.json").read_text()
    rows = list(csv.DictReader((out / "sites.csv").read_text().splitlines()))
    assert sum(int(row["pages"]) for row in rows) == figures.pages
    page = (out / "report.html").read_text()
    body = page[page.index("<body>") : page.index("</body>") + len("</body>")]
    ElementTree.fromstring(body.replace("<br>", "<br/>").replace("&ndash;", "-"))
    assert body.index('<section class="answer">') < body.index('<div class="facts">')
    for part in ("Pages by in-degree", "Answers", "Media types", "Sites with most pages", "crawl &lt;1&gt;"):
        assert part in body
    assert "http-equiv" not in page
    assert "<script" not in page


def test_a_session_that_was_killed_is_shown_as_far_as_it_is_committed(session: Path, tmp_path: Path) -> None:
    killed = Path(shutil.copytree(session, tmp_path / "killed"))
    edit_epoch(killed, lambda record: record.update(ended=None))
    edit_header(killed, lambda header: header.update(ended=None))
    done = run(killed, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "It is not complete: it was killed, or is still running" in done.stdout
    assert f"cutweb crawl --resume {killed}" in done.stdout


@pytest.mark.parametrize("taken", ["file", "folder"])
def test_what_is_there_is_not_touched(session: Path, tmp_path: Path, taken: str) -> None:
    out = tmp_path / "out"
    if taken == "file":
        out.write_text("mine")
    else:
        out.mkdir()
        (out / "mine").write_text("mine")
    done = run(session, "--out", out)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"cutweb report: {out}")
    assert len(done.stderr.splitlines()) == 1


def test_no_session_or_a_damaged_one(session: Path, tmp_path: Path) -> None:
    assert run(tmp_path / "none", "--out", tmp_path / "out").exit_code == 2
    damaged = Path(shutil.copytree(session, tmp_path / "damaged"))
    broken = next(damaged.glob("rank-0000/pages-*.parquet"))
    broken.write_bytes(b"no table")
    done = run(damaged, "--out", tmp_path / "out")
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert f"{broken}: row 0 cannot be read" in line
    assert not (tmp_path / "out").exists()


def test_several_sessions_stand_in_the_order_of_time(session: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    random_session(later, 2)
    edit_header(later, lambda header: header.update(run="20270101T000000-aaaaaa", started="2027-01-01T00:00:00+00:00"))
    done = run(later, session, "--out", tmp_path / "new" / "out", "--hot", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("2 sessions, begun from 2026-")
    assert " to 2027-01-01, have " in done.stdout
    assert "The last of them: later holds " in done.stdout
    told = json.loads((tmp_path / "new" / "out" / "report.json").read_text())
    assert [one["session"] for one in told["sessions"]] == ["crawl <1>", "later"]
    hot = told["figures"]["hot_pages"]
    assert list(hot["rows"]) == ["crawl <1>", "later"]
    assert {row[hot["columns"].index("more_than")] for rows in hot["rows"].values() for row in rows} == {3}
    rows = list(csv.DictReader((tmp_path / "new" / "out" / "hot_pages.csv").read_text().splitlines()))
    assert len(rows) == sum(map(len, hot["rows"].values()))
    assert not [path for path in (tmp_path / "new" / "out").iterdir() if path.is_dir()]
    page = (tmp_path / "new" / "out" / "report.html").read_text()
    assert "2 sessions, the last later" in page


def test_one_session_twice_and_one_without_pages(session: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(session, tmp_path / "copy"))
    for twice, why in ((session, "is named twice"), (copy, "is the same session as")):
        done = run(session, twice, "--out", tmp_path / "out")
        assert done.exit_code == 2
        assert why in done.stderr
    empty = Crawl(tmp_path / "empty", ranks=1)
    empty.commit("max-pages")
    empty.close()
    done = run(tmp_path / "empty", "--out", tmp_path / "out")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "has no pages" in done.stderr
    assert not (tmp_path / "out").exists()

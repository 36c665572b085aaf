"""Merging: what is good becomes a session with a rank for each unit, whatever else is handed in."""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crawler.work.ledger import locked, present
from crawler.work.merge import MergedResults, MergeSettings, merge
from crawler.work.work_error import WorkError
from sessions.checking.check import check_session
from sessions.session import Session, SessionError
from tests.crawler.support.work_units import OTHER_URLS, ROOT, URLS, Forgery, Project, Run


@pytest.fixture
def project(run: Run, other_run: Run, tmp_path: Path) -> Project:
    return run.project.copied(tmp_path / "project")


def merged(project: Project, out: Path, *results: Path, **settings: float) -> MergedResults:
    told = MergeSettings(**settings)
    return merge(project.worklist, results, project.volunteers, out, told, project.units)


def test_two_units_are_a_session_of_two_ranks(project: Project, run: Run, other_run: Run, tmp_path: Path) -> None:
    done = merged(project, tmp_path / "new" / "m", run.result, other_run.result)
    assert (len(done.accepted), done.refused) == (2, [])
    session = Session.open(tmp_path / "new" / "m")
    findings = check_session(session.path)
    assert findings.is_good, findings.problems
    assert (session.ranks, session.header["assignment"]) == (2, "work-units")
    pages = {row["url"]: row["rank"] for row in session.read("pages").to_pylist()}
    assert pages == dict.fromkeys(URLS, 0) | dict.fromkeys(OTHER_URLS, 1)
    urls = {row["hash"]: row["url"] for row in session.read("urls").to_pylist()}
    found = ["http://a.example/one", "http://e.example/two", "http://z.example/"]
    assert sorted(urls.values()) == sorted([*URLS, *OTHER_URLS, *found])
    left = session.read("frontier").to_pylist()
    assert sorted(urls[row["hash"]] for row in left) == found
    links = {(urls[row["source"]], urls[row["target"]]) for row in session.read("links").to_pylist()}
    assert links == {
        ("http://a.example/", "http://a.example/one"),
        ("http://a.example/", "http://b.example/"),
        ("http://a.example/moved", "http://z.example/"),
        ("http://b.example/", "http://a.example/one"),
        ("http://b.example/", "http://b.example/x"),
        ("http://b.example/x", "http://d.example/"),
        ("http://d.example/", "http://a.example/one"),
        ("http://d.example/", "http://b.example/"),
        ("http://e.example/", "http://e.example/two"),
    }
    assert session.read("robots").num_rows == 5
    assert findings.checked["responses"] == 7


def test_a_url_that_another_unit_lists_is_that_units(
    project: Project, run: Run, other_run: Run, tmp_path: Path
) -> None:
    """Whatever the order in which results are given: d.example, which unit 1 only links to, is unit 2's."""
    merged(project, tmp_path / "m", other_run.result, run.result)
    assert check_session(tmp_path / "m").is_good
    session = Session.open(tmp_path / "m")
    assert [set(session.read("urls", ["url"], rank)["url"].to_pylist()) for rank in (0, 1)] == [
        {*OTHER_URLS, "http://a.example/one", "http://e.example/two"},
        {*URLS, "http://z.example/"},
    ]


def test_the_ledger_says_what_became_of_each(project: Project, run: Run, other_run: Run, tmp_path: Path) -> None:
    bad = Forgery(other_run.result, tmp_path)
    bad.one("rank-0000/*.warc.gz").write_bytes(b"")
    done = merged(project, tmp_path / "m", run.result, bad.write(tmp_path / "bad"))
    assert [(path.name, why.reason) for path, why in done.refused] == [("bad", "cut-short")]
    assert check_session(tmp_path / "m").is_good
    told = [(line["event"], line["unit"]) for line in project.ledger_lines]
    assert told == [("exported", 1), ("exported", 2), ("merged", 1), ("refused", 2)]
    ledger = project.received().ledger
    assert [ledger.standing(number, present()) for number in (1, 2)] == ["back", "refused"]
    assert ledger.merged[1].session == str(tmp_path / "m")
    summary = json.loads((tmp_path / "m" / "merge.json").read_text())
    assert [unit["name"] for unit in summary["units"]] == ["anna"]
    assert [(one["result"], one["reason"], one["unit"]) for one in summary["refused"]] == [("bad", "cut-short", 2)]
    again = merged(project, tmp_path / "m2", run.result, other_run.result)
    assert [why.reason for _, why in again.refused] == ["twice"]
    assert project.received().ledger.standing(2, present()) == "back"


def test_all_refused_is_no_session(project: Project, run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"nothing")
    before = project.ledger_lines
    done = merged(project, tmp_path / "new" / "m", tmp_path / "bad")
    assert (done.accepted, [why.reason for _, why in done.refused]) == ([], ["format"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "project"]
    assert project.ledger_lines == before


def test_the_same_result_twice_in_one_call(project: Project, run: Run, tmp_path: Path) -> None:
    done = merged(project, tmp_path / "m", run.result, run.result)
    assert (len(done.accepted), [why.reason for _, why in done.refused]) == (1, ["twice"])
    assert project.received().ledger.standing(1, present()) == "back"


def repeat_of(project: Project, run: Run, out: Path, *, is_honest: bool) -> Path:
    """A result of bert's for a unit that repeats unit 1."""
    number = project.hand_out(URLS, exported=_early(), repeats=1)
    path = project.result_of(number, run.result, project.bert, out)
    if is_honest:
        return path
    forgery = Forgery(path, out.parent / "lie")
    forgery.drop_link()
    forgery.statement_of_all()
    forgery.sign(project.bert)
    return forgery.write(out)


def _early() -> datetime:
    return present() - timedelta(hours=1)


def test_what_two_saw_alike(project: Project, run: Run, tmp_path: Path) -> None:
    merged(project, tmp_path / "m", run.result)
    done = merged(project, tmp_path / "m2", repeat_of(project, run, tmp_path / "r", is_honest=True), distrust=0.0)
    assert done.refused == []
    (comparison,) = done.compared.values()
    assert (comparison.compared, comparison.differing) == (5, ())
    assert check_session(tmp_path / "m2").is_good
    assert Session.open(tmp_path / "m2").read("pages").num_rows == 0
    assert (
        project.ledger_lines[-1] | {"compared": 5, "differing": 0, "other": project.anna.public}
        == (project.ledger_lines[-1])
    )


def test_what_two_saw_differently(project: Project, run: Run, other_run: Run, tmp_path: Path) -> None:
    """Both keys are named; beyond the share that is tolerated all units of theirs in this merge are refused."""
    merged(project, tmp_path / "m", run.result)
    lie = repeat_of(project, run, tmp_path / "r", is_honest=False)
    trusting = project.copied(tmp_path / "trusting")
    done = merged(trusting, tmp_path / "m2", lie, other_run.result, distrust=0.25)
    assert done.refused == []
    (overlap,) = json.loads((tmp_path / "m2" / "merge.json").read_text())["overlap"]
    (difference,) = overlap["differing"]
    assert (overlap["compared"], difference["keys"]) == (5, [project.anna.public, project.bert.public])
    assert (difference["status"], difference["links_of_one"]) == ([200, 200], 1)
    done = merged(project, tmp_path / "m3", lie, other_run.result, distrust=0.1)
    assert [why.reason for _, why in done.refused] == ["distrusted", "distrusted"]
    assert "of 5 URLs that others saw too 1 differ, more than 0.1" in str(done.refused[0][1])
    assert not (tmp_path / "m3").exists()


def test_what_was_seen_at_other_times_is_not_compared(project: Project, run: Run, tmp_path: Path) -> None:
    from crawler.work.overlap import Sighting, _pairs
    from sessions.url import url_hashes

    at = present()
    hashes = url_hashes(URLS[:2])
    first = {int(page): Sighting(200, frozenset(), at) for page in hashes}
    second = {page: seen._replace(fetched=at + timedelta(hours=3)) for page, seen in first.items()}
    assert list(_pairs(URLS[:2], hashes, first, second, timedelta(hours=2))) == []
    assert len(list(_pairs(URLS[:2], hashes, first, second, timedelta(hours=3)))) == 2


def test_the_first_session_is_gone(project: Project, run: Run, tmp_path: Path) -> None:
    merged(project, tmp_path / "m", run.result)
    (tmp_path / "m").rename(tmp_path / "elsewhere")
    done = merged(project, tmp_path / "m2", repeat_of(project, run, tmp_path / "r", is_honest=True))
    (comparison,) = done.compared.values()
    assert comparison.problem.startswith("what unit 1 saw cannot be read: ")


def test_one_at_a_time(project: Project, run: Run, tmp_path: Path) -> None:
    with locked(project.units), pytest.raises(WorkError, match="another export or merge is at work"):
        merged(project, tmp_path / "m", run.result)


def test_what_changes_nothing(project: Project, run: Run, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "file").write_text("mine")
    before = project.ledger_lines
    with pytest.raises(SessionError, match="exists and is not empty"):
        merged(project, tmp_path / "m", run.result)
    with pytest.raises(FileNotFoundError):
        merged(project, tmp_path / "m2", tmp_path / "none")
    project.volunteers.write_text("anna 12\n")
    with pytest.raises(WorkError, match=r"line 1: must be NAME PUBLIC-KEY \[revoked DATE\]"):
        merged(project, tmp_path / "m2", run.result)
    assert project.ledger_lines == before
    assert not (tmp_path / "m2").exists()


def test_later_commands_take_it(project: Project, run: Run, other_run: Run, tmp_path: Path) -> None:
    merged(project, tmp_path / "m", run.result)
    merged(project, tmp_path / "m2", other_run.result)
    for words in (
        ["worklist", "m", "m2", "--out", "w"],
        ["diff", "m", "m2"],
        ["replay", "m", "--out", "r"],
        ["info", "m"],
    ):
        command = [sys.executable, "-m", "cutweb", *words]
        environment = {"PYTHONPATH": str(ROOT), "PATH": str(Path(sys.executable).parent)}
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
    assert check_session(tmp_path / "r").is_good
    assert Session.open(tmp_path / "r").read("pages").num_rows == len(URLS)

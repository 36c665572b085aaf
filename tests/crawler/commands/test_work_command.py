"""`cutweb work`: what is said, and one line on what is wrong, with nothing written."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands import work as command
from crawler.main import _run_command, cutweb
from crawler.work import unit
from crawler.work.export import MOST_UNITS
from crawler.work.keys import make_key
from crawler.work.merge import SLOT_HOURS
from sessions.compacting.compact import compact_session
from tests.crawler.support.work_units import CONTACT, Project
from tests.sessions.compacting.test_compact import quiet
from tests.sessions.support.builder import small_session

URLS = ["http://a.example/", "http://b.example/"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, URLS)


def test_a_key_is_made_and_its_public_half_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(cutweb, ["work", "key", str(tmp_path / "a.key")])
    assert done.exit_code == 0
    assert len(done.output) == 65
    assert done.output.strip() not in (tmp_path / "a.key").read_text()


def test_what_export_and_status_say(project: Project) -> None:
    words = [str(project.worklist), "--key", str(project.folder / "project.key"), "--out", str(project.units)]
    done = CliRunner().invoke(cutweb, ["work", "export", *words, "--delay", "2"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == f"{project.units}: 1 unit with 2 URLs"
    assert lines[1].startswith(f"signed by {project.key.public}, worth something until ")
    done = CliRunner().invoke(cutweb, ["work", "export", *words])
    assert done.output.splitlines()[1] == "nothing can go out now: cutweb work status tells what is out"
    done = CliRunner().invoke(cutweb, ["work", "status", str(project.worklist)])
    assert done.output.splitlines()[1].split()[:3] == ["1", "out", "2"]
    assert done.output.splitlines()[-1] == "1 out, 0 late, 0 back, 0 refused, 0 replaced"


def test_a_refused_result_is_named_and_the_code_is_1(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.hand_out(URLS)
    (tmp_path / "bad").write_bytes(b"nothing")
    words = [str(project.worklist), str(tmp_path / "bad"), "--volunteers", str(project.volunteers)]
    words += ["--units", str(project.units), "--out", str(tmp_path / "m")]
    assert _run_command(["work", "merge", *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path / 'bad'}: refused (format): no tar file, or damaged")
    assert not (tmp_path / "m").exists()


def test_a_session_without_bodies_takes_no_result(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result becomes a session of its own."""
    small_session(tmp_path / "m")
    compact_session(tmp_path / "m", quiet, drop_bodies=True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    project.hand_out(URLS)
    (tmp_path / "result").write_bytes(b"nothing")
    words = [str(project.worklist), str(tmp_path / "result"), "--volunteers", str(project.volunteers)]
    words += ["--units", str(project.units), "--out", str(tmp_path / "m")]
    assert _run_command(["work", "merge", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path / 'm'}: exists and is not empty; name a new folder" in line
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--unit", "0"], "Invalid value for '--unit': 0 is not in the range 1<=x<=10000."),
        (["--days", "0.5"], "Invalid value for '--days': 0.5 is not in the range 1<=x<=3650."),
        (["--days", "nan"], "--days nan: is no number of days"),
        (["--overlap", "1.5"], "Invalid value for '--overlap': 1.5 is not in the range 0<=x<=1."),
        (["--overlap", "-0.1"], "Invalid value for '--overlap': -0.1 is not in the range 0<=x<=1."),
        (["--overlap", "nan"], "--overlap nan: is no share"),
        (["--delay", "0.5"], "--delay 0.5: a unit may ask for 1 to 3600, and for nothing laxer"),
        (["--server-delay", "0"], "--server-delay 0.0: a unit may ask for 0.5 to 3600, and for nothing laxer"),
        (["--max-body", "1000"], "--max-body 1000.0: a unit may ask for 0.000976562 to 64"),
        (["--key", "none.key"], "none.key: No such file or directory; cutweb work key FILE makes a key"),
    ],
)
def test_exports_that_are_refused(
    project: Project, capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    before = sorted(project.folder.rglob("*"))
    given = ["--key", str(project.folder / "project.key"), "--out", str(project.units), *words]
    assert _run_command(["work", "export", str(project.worklist), *given]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"cutweb work export: {problem}")
    assert sorted(project.folder.rglob("*")) == before


def test_keys_that_are_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    open_key, no_key = project.folder / "open.key", project.folder / "no.key"
    make_key(open_key)
    open_key.chmod(0o644)
    no_key.write_text("secret")
    no_key.chmod(0o600)
    for path, problem in ((open_key, "others may read this secret key"), (no_key, "no secret key")):
        words = [str(project.worklist), "--key", str(path), "--out", str(project.units)]
        assert _run_command(["work", "export", *words]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"cutweb work export: {path}: {problem}")
        assert not project.units.exists()


def test_worklists_and_folders_that_are_refused(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = ["--key", str(project.folder / "project.key")]
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    for words, problem in (
        (
            ["export", str(tmp_path / "none"), *key, "--out", str(project.units)],
            f"{tmp_path / 'none'}/worklist.json: no",
        ),
        (
            ["export", str(project.worklist), *key, "--out", str(tmp_path / "taken")],
            f"{tmp_path / 'taken'}: is not empty",
        ),
        (["status", str(project.worklist)], f"{project.worklist}: no units of it were exported"),
        (["status", str(project.worklist), "--units", "none"], "none/ledger.jsonl: no such file"),
    ):
        assert _run_command(["work", *words]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"cutweb work {words[0]}: {problem}")


def test_units_that_are_refused(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = project.hand_out(URLS)
    text = (project.units / unit.unit_name(number)).read_text()
    first, told, _ = text.split("\n", 2)
    whole = json.loads(told)
    for content, problem in (
        (f"{first}\n{told}\n", "no unit to run: not signed"),
        (text.replace("a.example", "c.example"), "no unit to run: the signature is not that of"),
        (text.replace("unit 1", "unit 7"), "no unit to run: not of the format 'cutweb work unit 1'"),
        (json.dumps(whole), "no unit to run: not of the format"),
    ):
        path = tmp_path / "a.unit"
        path.write_text(content)
        words = [str(path), "--trust", project.key.public, "--key", str(tmp_path / "anna.key")]
        assert _run_command(["work", "run", *words, "--contact", CONTACT, "--out", str(tmp_path / "r")]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"cutweb work run: {path}: {problem}")
        assert not (tmp_path / "r").exists()


def test_defaults_are_those_of_what_works() -> None:
    assert (command._MOST_URLS, command._MOST_UNITS) == (unit.MOST_URLS, MOST_UNITS)
    merge = command.work.get_command(None, "merge")  # type: ignore[arg-type]
    assert merge is not None
    assert {item.name: item.default for item in merge.params}["slot"] == SLOT_HOURS


def test_what_a_unit_may_carry_are_options_of_export() -> None:
    export = command.work.get_command(None, "export")  # type: ignore[arg-type]
    assert export is not None
    assert set(unit.OPTIONS) <= {item.name for item in export.params}

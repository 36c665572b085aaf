"""`cutweb diff`: what it prints and how it exits."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from crawler.commands.diff import diff
from sessions.analysis.difference import difference
from sessions.analysis.difference_figures import BINS
from sessions.session import Session
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import Crawl
from tests.sessions.support.differing import URLS, Fetch, of, session

OLD = of(
    Fetch(URLS[0], b"." * 100, links=frozenset(URLS[1:3]), simhash=0),
    Fetch(URLS[1], b"gone"),
    Fetch(URLS[3], b"same", day=1),
)
NEW = of(
    Fetch(URLS[0], b"." * 80, links=frozenset(URLS[2:4]), day=31, simhash=0b1111),
    Fetch(URLS[3], b"same", status=500, day=31),
    Fetch(URLS[4], b"born" * 1000, links=frozenset(URLS[:1]), day=31),
    seen=[URLS[1]],
)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two sessions that differ in something of everything."""
    folder = tmp_path_factory.mktemp("pair")
    return session(folder / "old", OLD).path, session(folder / "new", NEW).path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(diff, [str(argument) for argument in arguments], catch_exceptions=False)


def test_the_text(pair: tuple[Path, Path]) -> None:
    result = run(*pair)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    old, new = pair
    assert lines[0] == (
        "In the 30 days from old to new, 1 of new's 3 pages were born (33%), 1 of old's 3 went (33%), and 50% of the 2 "
        "that both have changed."
    )
    assert f"  cutweb replay {new} --from {old} --parts 4,8 --out foresight" in lines
    lines = lines[lines.index(f"{old} -> {new}: 2020-01-02 to 2020-02-01, 30 days") :]
    assert lines[1:7] == [
        "  pages   3 -> 3: 1 born, 1 gone, 2 kept",
        "  answers 3 -> 2 2xx, 0 -> 0 redirects, 0 -> 1 errors",
        "  kept    1 changed (50.0%), 1 unchanged, 0 not known; 1 answer with an error now, 0 no longer",
        "  links   2 -> 3: 2 born (1 on kept pages), 1 gone (1 from kept pages), 1 kept",
        "  bytes   108 B -> 4.08 kB: 4 kB born, 4 B gone, kept 104 B -> 84 B",
        "  missed  0 born pages that old had discovered and not downloaded, 1 gone ones that new had",
    ]
    begin = lines.index("kept pages by how much of them changed") + 1
    assert lines[begin].split() == ["change", "size", "links", "text"]
    steps = {line[:9].strip(): line[9:].split() for line in lines[begin + 1 : begin + 1 + len(BINS)]}
    assert len(steps) == len(BINS)
    half, full = "#" * 12, "#" * 24
    assert steps["none"] == ["1", "50.0%", half, "0", "0.0%", "0", "0.0%"]
    assert steps["up to 10%"] == ["0", "0.0%", "0", "0.0%", "1", "100.0%", full]
    assert steps["10-20%"] == ["1", "50.0%", half, "0", "0.0%", "0", "0.0%"]
    assert steps["60-70%"] == ["0", "0.0%", "1", "100.0%", full, "0", "0.0%"]
    assert [line.split() for line in lines[-3:]] == [
        ["a.example", "0", "1", "1", "1", "1", "1", "1"],
        ["c.example:81", "1", "0", "0", "0", "1", "0", "0"],
        ["b.example", "0", "0", "1", "0", "0", "0", "0"],
    ]
    assert result.stdout.isascii()


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_no_figure_is_cut_on_a_terminal(
    columns: int, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    assert diff.main([str(path) for path in pair], standalone_mode=False) is None
    lines = click.unstyle(capsys.readouterr().out).splitlines()
    rows = [line for line in lines if "%" in line and line.startswith(" ") and "  kept  " not in line]
    assert len(rows) == len(BINS)
    assert "…" not in "".join(lines)
    assert any("100.0%" in row for row in rows)
    assert max(map(len, lines[lines.index("kept pages by how much of them changed") :])) <= columns


def test_only_so_many_sites(pair: tuple[Path, Path]) -> None:
    lines = run(*pair, "--sites", 1).stdout.splitlines()
    assert lines[-2].startswith("a.example ")
    assert lines[-1] == "and 2 more sites"
    assert "a.example" not in run(*pair, "--sites", 0).stdout


def test_json_to_a_file_beside_the_text(pair: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "difference.json"
    file.write_text("of yesterday")
    assert run(*pair, "--json", file).stdout == run(*pair).stdout
    told = json.loads(file.read_text())
    assert told == difference(*(Session.open(path) for path in pair)).as_dict()
    assert told["days"] == 30
    assert list(told["sites"]) == ["a.example", "b.example", "c.example:81"]
    assert [path.name for path in tmp_path.iterdir()] == ["difference.json"]


def test_json_to_stdout_alone(pair: tuple[Path, Path]) -> None:
    told = json.loads(run(*pair, "--json", "-").stdout)
    assert told["total"]["pages"]["born"] == 1
    assert told["bins"] == list(BINS)


def test_a_session_and_itself(pair: tuple[Path, Path]) -> None:
    result = run(pair[0], pair[0])
    assert result.exit_code == 0
    assert "pages   3 -> 3: 0 born, 0 gone, 3 kept" in result.stdout
    assert "0 changed (0.0%), 3 unchanged" in result.stdout
    assert "links   2 -> 2: 0 born (0 on kept pages), 0 gone (0 from kept pages), 2 kept" in result.stdout


def test_the_wrong_way_round_is_noted(pair: tuple[Path, Path]) -> None:
    lines = run(*reversed(pair)).stdout.splitlines()
    assert lines[0].startswith("From new to old, 1 of old's 3 pages were born")
    assert any(line.endswith(": 2020-02-01 to 2020-01-02, -30 days") for line in lines)
    assert "note: old was fetched before new" in lines


def test_an_empty_session(pair: tuple[Path, Path], tmp_path: Path) -> None:
    Crawl(tmp_path / "empty").close()
    result = run(tmp_path / "empty", pair[0])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "From empty to old, 3 of old's 3 pages were born (100%), 0 of empty's 0 went, and none is kept."
    assert any(line.endswith(": dates not known") for line in lines)
    assert "  pages   0 -> 3: 3 born, 0 gone, 0 kept" in lines
    assert "  kept    0 changed, 0 unchanged, 0 not known; 0 answer with an error now, 0 no longer" in lines
    assert "kept pages by how much" not in result.stdout
    both = run(tmp_path / "empty", tmp_path / "empty")
    assert both.exit_code == 0
    assert (
        both.stdout.splitlines()[1:]
        == run(tmp_path / "empty", tmp_path / "empty", "--sites", 0).stdout.splitlines()[1:]
    )


def test_sessions_with_nothing_in_common_are_noted(good_session: Path, tmp_path: Path) -> None:
    other = session(tmp_path / "other", of(Fetch("http://elsewhere.example/")))
    assert (
        "note: the sessions have no page in common; are they of the same web?" in run(good_session, other.path).stdout
    )


@pytest.mark.parametrize("is_second", [False, True])
def test_no_session(is_second: bool, good_session: Path, tmp_path: Path) -> None:
    result = run(*((good_session, tmp_path) if is_second else (tmp_path, good_session)))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        f"cutweb diff: {tmp_path}/session.json: no such file; is {tmp_path} a session?"
    ]


@pytest.mark.parametrize("key", ["assignment", "configuration", "ranks"])
def test_a_session_that_does_not_say_what_it_is(key: str, session_copy: Path, good_session: Path) -> None:
    edit_header(session_copy, lambda header: header.pop(key))
    result = run(good_session, session_copy)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"cutweb diff: {session_copy}/session.json: {key} is missing\n"


def test_a_warc_file_is_to_be_imported_first(good_session: Path, tmp_path: Path) -> None:
    warc = tmp_path / "web.warc.gz"
    warc.write_bytes(b"")
    result = run(warc, good_session)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.endswith(f"import it first: cutweb import warc {warc} --out DIR")


def test_a_damaged_session_leaves_no_json(session_copy: Path, good_session: Path, tmp_path: Path) -> None:
    Session.open(session_copy).table_files("links")[0].path.write_bytes(b"")
    (tmp_path / "out").mkdir()
    result = run(good_session, session_copy, "--json", tmp_path / "out" / "difference.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"cutweb diff: {session_copy} is damaged (")
    assert result.stderr.count("\n") == 1
    assert list((tmp_path / "out").iterdir()) == []


def test_json_in_a_place_that_is_none(pair: tuple[Path, Path], tmp_path: Path) -> None:
    for place, problem in ((tmp_path / "no" / "x", f"{tmp_path / 'no'}: no such folder"), (tmp_path, "is a folder")):
        result = run(*pair, "--json", place)
        assert (result.exit_code, result.stdout) == (2, "")
        assert problem in result.stderr

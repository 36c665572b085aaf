"""`cutweb advise`: what it prints and how it exits."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.main import cutweb
from crawler.replay.advice import advise
from partition.models.partitioning import Settings
from tests.partition.quality.webs import SmallWeb, ring


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["advise", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ring(80).session(tmp_path_factory.mktemp("webs") / "ring")


def test_one_recommendation_with_reasons_and_commands(session: Path) -> None:
    done = run(session, "--ranks", 4, "--effort", "low", "--tolerance", 0.5)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    found = advise(session, 4, tolerance=0.5, cutting=Settings(effort="low"))
    assert lines[0].startswith(f"recommended for 4 ranks: {found.chosen.candidate.model}")
    assert [line for line in lines if line.startswith("  cutweb")] == [f"  {line}" for line in found.commands]
    assert any(line.startswith("- expected, not sure: partitions were made without 16 of the 80") for line in lines)
    (row,) = (line for line in lines if "(recommended)" in line)
    assert f"{found.chosen.figures['storage_imbalance']:.1%}" in row
    assert any(line.startswith("page-hash") for line in lines)


def test_as_json(session: Path) -> None:
    done = run(session, "--ranks", 4, "--effort", "low", "--json")
    told = json.loads(done.stdout)
    found = advise(session, 4, cutting=Settings(effort="low"))
    assert told["recommended"]["model"] == found.chosen.candidate.model
    assert told["recommended"]["figures"] == found.chosen.figures
    assert told["commands"] == found.commands
    assert len(told["options"]) == len(found.options)
    assert (told["ranks"], told["pages"], told["held_out"]) == (4, 80, 16)
    assert told["is_within_tolerance"] == (found.least is not None)


def test_if_nothing_is_even_enough_that_is_said(session: Path) -> None:
    done = run(session, "--ranks", 7, "--effort", "low", "--tolerance", 0)
    assert done.exit_code == 0
    assert "- nothing without overlap stays within 0%: this has the least imbalance" in done.stdout
    assert "site left out: 7 parts of 4 sites" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--ranks", 0], "--ranks"),
        (["--ranks", 81], "81 ranks for 80 pages"),
        (["--ranks", 4, "--tolerance", -1], "--tolerance"),
        ([], "--ranks"),
    ],
)
def test_what_cannot_be(session: Path, arguments: list[object], told: str) -> None:
    done = run(session, *arguments)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_no_session(tmp_path: Path) -> None:
    done = run(tmp_path / "none", "--ranks", 2)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_session_without_urls(tmp_path: Path) -> None:
    pages = dict.fromkeys([f"http://pages.invalid/{number}" for number in range(4)], 1)
    done = run(SmallWeb(pages, (), ()).session(tmp_path / "numbered"), "--ranks", 2)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {tmp_path / 'numbered'}: its pages have no URLs")

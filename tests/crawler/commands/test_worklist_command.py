"""`cutweb worklist` as one process: what it prints, and one line on what is wrong."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.main import cutweb
from crawler.worklist.worklist import open_worklist
from tests.crawler.support.ranked_sessions import Crawled, Fetch, write_session


@pytest.fixture
def sessions(tmp_path: Path) -> list[str]:
    for number, last in enumerate((2, 3)):
        fetches = (Fetch(0, 10.0 * number, links=((1, 0), (last, 0))), Fetch(1, 10.0 * number, links=((4, 0),)))
        fetches += (Fetch(5, 10.0 * number),)
        write_session(
            tmp_path / f"s{number}", Crawled(number, fetches, frozenset([2, 3, 4])), f"2026010{number}T000000-a"
        )
    return [str(tmp_path / "s0"), str(tmp_path / "s1")]


def test_what_is_said(tmp_path: Path, sessions: list[str]) -> None:
    done = CliRunner().invoke(cutweb, ["worklist", *sessions, "--out", str(tmp_path / "w"), "--now", "2026-03-01"])
    assert done.exit_code == 0, done.output
    # On a busy machine lines of progress stand before these.
    assert done.output.splitlines()[-3:] == [
        f"{tmp_path / 'w'}: 3 new URLs and 3 old ones by anansi, of 2 sessions with 3 links at the latest visits",
        "of 3 old URLs visited again 1 (33%) kept all links: by anansi their priority is 0, however old they are; "
        "1 (33%) have no links, which counts as a change of all, for ever",
        f"next: cutweb crawl --worklist {tmp_path / 'w'} --out DIR",
    ]
    assert open_worklist(tmp_path / "w").manifest.now == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--now", "noon"], "--now noon: is no time as in 2026-03-01 or 2026-03-01T12:00:00+00:00"),
        (
            ["--now", "2025-03-01"],
            "--now 2025-03-01T00:00:00+00:00 is before the last fetch of the sessions, 2026-01-11",
        ),
        (["--weight", "backlinks"], "--weight is for --by value; leave one of the two out"),
        (["--partition", "none"], "none/partition.json: no such file; is none a partition map?"),
        (["--memory", "8"], "Invalid value for '--memory': 8 is not in the range x>=16."),
        (["--crawl-seconds", "0"], "Invalid value for '--crawl-seconds': 0.0 is not in the range x>0."),
        (["--crawl-seconds", "nan"], "--crawl-seconds nan: is no number of seconds"),
        (["--crawl-seconds", "inf"], "--crawl-seconds inf: is no number of seconds"),
    ],
)
def test_one_line_tells_what_is_wrong(
    tmp_path: Path, sessions: list[str], capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    from crawler.main import _run_command

    before = sorted(tmp_path.iterdir())
    assert _run_command(["worklist", *sessions, "--out", str(tmp_path / "w"), *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"cutweb worklist: {problem}")
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_taken(tmp_path: Path, sessions: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from crawler.main import _run_command

    assert _run_command(["worklist", *sessions, "--out", sessions[0]]) == 2
    assert capsys.readouterr().err.startswith(f"cutweb worklist: {sessions[0]}: exists and is not empty")

"""`cutweb check` and `cutweb info`: what they print and how they exit."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from crawler.commands.check import check
from crawler.commands.info import info
from sessions.session import Session
from tests.sessions.support.breaking import edit_header, edit_report, edit_rows
from tests.sessions.support.builder import HOME, Crawl, GoingOn


def run(command: click.Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def test_check_of_a_good_session(good_session: Path) -> None:
    result = run(check, good_session)
    assert result.exit_code == 0
    note, summary = result.stdout.splitlines()
    assert note.startswith("note: 2 content digests not verified")
    assert summary.startswith(f"{good_session}: good; 14 pages, 31 links, 21 URLs, 30 WARC records checked in ")
    assert result.stderr == ""


def test_check_names_file_and_row(session_copy: Path) -> None:
    name = edit_rows(session_copy, "links", lambda links: links.extend([links[0]] * 5))
    result = run(check, session_copy, "--most", 2)
    assert result.exit_code == 1
    assert f"{name}: row 2: the link " in result.stdout
    assert f"{name}: row 3: the link " in result.stdout
    assert f"{name}: row 4: " not in result.stdout
    assert "... and 3 more of links_are_distinct" in result.stdout
    assert f"{session_copy}: 6 problems; " in result.stdout


def test_check_names_offsets_in_warc_files(session_copy: Path) -> None:
    page = Session.open(session_copy).read("pages").to_pylist()[1]
    edit_rows(session_copy, "pages", lambda pages: pages.pop(0))
    where = f"{page['warc_file']}: offset {page['warc_offset']}"
    assert f"{where}: a response record with 0 pages" in run(check, session_copy).stdout


def test_check_as_json(session_copy: Path) -> None:
    assert json.loads(run(check, session_copy, "--json").stdout)["good"] is True
    edit_rows(session_copy, "pages", lambda pages: pages.pop())
    result = run(check, session_copy, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["good"] is False


@pytest.mark.parametrize("command", [check, info])
def test_no_session(command: click.Command, tmp_path: Path) -> None:
    result = run(command, tmp_path)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"cutweb {command.name}: {tmp_path}/session.json: no such file; is {tmp_path} a session?"
    ]


def test_info(good_session: Path) -> None:
    result = run(info, good_session)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"{good_session}: ended (max-pages) after 4.0 s, 3 epochs"
    assert "  fetched      14 pages of 2 sites: 12 2xx, 1 3xx, 1 4xx" in lines
    assert "  failed       2: 1 dns, 1 timeout" in lines
    rank, first, second, total = (line.split() for line in lines[-4:])
    assert rank[:3] == ["rank", "discovered", "fetched"]
    assert (first[:3], second[:3], total[:3]) == (["0", "13", "9"], ["1", "8", "5"], ["all", "21", "14"])
    assert result.stdout.isascii()


def test_info_of_a_session_whose_finders_own_what_they_find(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", assignment="page-partition/discoverer")
    for rank in crawl.ranks:
        rank.discover([HOME])
        rank.fetch(HOME)
    crawl.commit("complete")
    crawl.close()
    edit_header(tmp_path / "session", lambda header: header.update(previous="crawl-1"))
    lines = run(info, tmp_path / "session").stdout.splitlines()
    assert "  ranks        2, assignment page-partition/discoverer" in lines
    assert "  previous     session crawl-1" in lines
    assert "  overlap      1 page fetched more than once, 1 for each distinct page" in lines
    assert "overlap: 1 pages fetched by more than one rank" in run(check, tmp_path / "session").stdout


def test_info_of_several_runs(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session")
    crawl.ranks[0].discover([HOME])
    crawl.end("signal")
    again = GoingOn(crawl.path, "29990101T000000-aaaaaa", ranks=1)
    again.ranks[0].take_back([HOME])
    again.ranks[0].fetch(HOME, b"home")
    again.end("complete")
    again.close()
    lines = run(info, crawl.path).stdout.splitlines()
    assert lines[0] == f"{crawl.path}: ended (complete) after 4.0 s, 3 epochs"
    assert "  ranks        1, assignment page-hash" in lines
    assert "  runs         2: 2 ranks from epoch 1, 1 rank from epoch 4" in lines
    queued = [line.split()[5] for line in lines if line.split()[:1] in (["rank"], ["0"], ["1"], ["all"])]
    assert queued == ["queued", "-", "-", "0"]
    assert "note: 2 runs, with 2, 1 ranks" in run(check, crawl.path).stdout
    assert [each["ranks"] for each in json.loads(run(info, crawl.path, "--json").stdout)["runs"]] == [2, 1]


def test_info_tells_what_verifying_links_has_cost(session_copy: Path) -> None:
    assert not [line for line in run(info, session_copy).stdout.splitlines() if line.startswith("  verified")]
    for rank in range(2):
        cost = {"head_requests": 600, "head_seconds": 30.25, "head_bytes": 70_000}
        edit_report(session_copy, lambda report, cost=cost: report.update(cost), rank=rank)  # type: ignore[misc]
    lines = run(info, session_copy).stdout.splitlines()
    assert "  verified     1,200 HEADs, 60.5 s until they were answered, 140,000 bytes of answers" in lines
    assert json.loads(run(info, session_copy, "--json").stdout)["total"]["head_seconds"] == 60.5


def test_info_of_a_session_without_epochs(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    result = run(info, tmp_path / "new")
    assert result.exit_code == 0
    assert "not ended (killed, or still running), nothing committed" in result.stdout


def test_info_as_json(good_session: Path) -> None:
    told = json.loads(run(info, good_session, "--json").stdout)
    assert told["total"]["fetched"] == 14
    assert len(told["ranks"]) == 2


def test_info_of_a_damaged_session(session_copy: Path) -> None:
    Session.open(session_copy).table_files("pages")[0].path.write_bytes(b"")
    result = run(info, session_copy)
    assert result.exit_code == 2
    assert "is damaged" in result.stderr


def test_info_of_a_session_whose_header_lost_a_key(session_copy: Path) -> None:
    edit_header(session_copy, lambda header: header.pop("assignment"))
    assert run(info, session_copy).exit_code == 2


def test_commands_load_quickly() -> None:
    """`cutweb --help` must not wait for Arrow."""
    code = "import sys, crawler.commands.check, crawler.commands.info; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pyarrow", "rich", "numpy"} & set(printed.split())

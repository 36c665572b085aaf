"""What is checked before a session goes on, and what taking it over leaves."""

import json
import os
from pathlib import Path

import pytest

from crawler.commands.crawl import crawl
from crawler.config.command_line import UsageError, parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.verdict import EndConditions
from crawler.launch.plan import Plan, plan
from crawler.launch.remaining_limits import conditions_left, used_up
from crawler.launch.resume_plan import plan_to_resume
from sessions.session import Session
from tests.crawler.support.fake_web import Crawls, no_answer, page
from tests.partition.map.support.maps import make_map
from tests.sessions.support.builder import small_session

SEED = "http://a.example/"
SCRIPT = {SEED: page("/1", "/2", "/3")}


def resumed(path: Path, ranks: int, *arguments: str) -> Plan:
    options = parsed(["--resume", str(path), "--ranks", str(ranks), *arguments])
    assert isinstance(options, CrawlOptions)
    return plan_to_resume(options, ranks)


def refused(path: Path, ranks: int, *arguments: str) -> str:
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with pytest.raises(UsageError) as caught:
        resumed(path, ranks, *arguments)
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    return str(caught.value)


def test_a_plan_to_go_on_takes_the_session_over(tmp_path: Path) -> None:
    plan(CrawlOptions(urls=(SEED,), out=tmp_path / "session", contact="me@a.example", scope="all", delay=0.25), 2)
    planned = resumed(tmp_path / "session", 3, "--delay", "2")
    session = Session.open(tmp_path / "session")
    assert planned.seeds == session.seeds == (SEED,)
    assert [run.ranks for run in session.runs] == [2, 3]
    assert session.header == planned.header
    assert session.header["run"] == planned.run
    assert session.header["configuration"]["delay"] == 2.0
    assert session.header["configuration"]["urls"] == [SEED], "as it was begun"
    assert session.has_moved


def test_a_complete_session_has_nothing_left_to_do(crawls: Crawls, capsys: pytest.CaptureFixture[str]) -> None:
    crawls(SCRIPT)
    with pytest.raises(SystemExit) as left:
        resumed(crawls.out, 1)
    assert left.value.code == 0
    assert "is complete: nothing is left to crawl" in capsys.readouterr().out
    assert len(Session.open(crawls.out).runs) == 1


def test_a_complete_session_is_complete_whatever_its_options_name(
    crawls: Crawls, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawls(SCRIPT)
    capsys.readouterr()
    gone = str(tmp_path / "gone" / "gone")
    for name in ("--partition", "--ca-cert", "--scratch"):
        assert crawl(["--resume", str(crawls.out), name, gone]) == 0
        assert capsys.readouterr() == (f"{crawls.out} is complete: nothing is left to crawl\n", "")
    header = json.loads((crawls.out / "session.json").read_text())
    header["configuration"] |= {"ca_cert": gone, "previous": gone, "scope": gone, "metrics_port": 1}
    (crawls.out / "session.json").write_text(json.dumps(header))
    assert crawl(["--resume", str(crawls.out)]) == 0
    assert capsys.readouterr() == (f"{crawls.out} is complete: nothing is left to crawl\n", "")


def test_a_complete_session_without_a_page_ends_as_it_did_before(crawls: Crawls) -> None:
    crawls({SEED: no_answer()}, retries=0)
    with pytest.raises(SystemExit) as left:
        resumed(crawls.out, 1)
    assert left.value.code == 4


def test_all_that_keeps_a_session_from_going_on_is_told(crawls: Crawls, tmp_path: Path) -> None:
    crawls(SCRIPT, max_pages=2)
    gone = str(tmp_path / "gone")
    text = refused(crawls.out, 1, "--partition", gone, "--ca-cert", gone)
    assert "has its 2 pages; go on with a larger --max-pages; --partition: " in text
    assert f"; --ca-cert {gone}: No such file or directory" in text


def test_a_limit_that_was_reached_must_be_raised(crawls: Crawls) -> None:
    crawls(SCRIPT, max_pages=2)
    assert "has its 2 pages; go on with a larger --max-pages" in refused(crawls.out, 1)
    assert resumed(crawls.out, 1, "--max-pages", "3").options.max_pages == 3


def test_what_is_no_crawl_cannot_go_on(tmp_path: Path) -> None:
    small_session(tmp_path / "session")
    (tmp_path / "session" / "seeds.txt").unlink(missing_ok=True)
    assert "has no seeds.txt" in refused(tmp_path / "session", 2)


def test_seeds_that_a_killed_claim_has_not_named_are_read_before_anything_is_removed(tmp_path: Path) -> None:
    begun = plan(CrawlOptions(urls=(SEED,), out=tmp_path / "session", contact="me@a.example", scope="all"), 1)
    seeds = tmp_path / "session" / "seeds.txt"
    seeds.rename(seeds.with_name(f".seeds.txt.{begun.run}.abcdef.partial"))
    for ranks in (1, 2):
        assert resumed(tmp_path / "session", ranks).seeds == (SEED,)
    assert seeds.read_text() == f"{SEED}\n"


def test_a_crawl_whose_seeds_are_lost_is_refused(crawls: Crawls) -> None:
    crawls(SCRIPT, max_pages=2)
    (crawls.out / "seeds.txt").write_text("")
    assert "seeds.txt is empty" in refused(crawls.out, 1, "--max-pages", "9")


def test_what_is_recorded_of_a_map_goes_with_it(crawls: Crawls, tmp_path: Path) -> None:
    crawls(SCRIPT, max_pages=2)
    made = make_map(tmp_path / "map")
    options = ("--partition", str(tmp_path / "map"), "--max-pages", "9")
    by_map = resumed(crawls.out, made.parts, *options).header["configuration"]
    assert by_map["partition_identity"] == made.identity
    by_hash = resumed(crawls.out, made.parts, "--assign", "page-hash").header["configuration"]
    assert by_hash["partition"] is None
    assert "partition_identity" not in by_hash


def test_a_map_for_another_number_of_ranks_is_refused(crawls: Crawls, tmp_path: Path) -> None:
    crawls(SCRIPT, max_pages=2)
    made = make_map(tmp_path / "map")
    text = refused(crawls.out, made.parts + 1, "--partition", str(tmp_path / "map"), "--max-pages", "9")
    assert "make a map that fits with: cutweb partition" in text


def test_a_complete_session_goes_on_where_limits_are_wider(crawls: Crawls) -> None:
    crawls(SCRIPT, max_depth=0)
    done = crawls.resume(SCRIPT, "--max-depth", "3")
    assert len(done.pages()) == 4


def test_a_damaged_session_is_refused_and_stays_as_it_is(crawls: Crawls) -> None:
    crawls(SCRIPT, max_pages=2)
    damaged = next(crawls.out.glob("rank-0000/urls-*.parquet"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert "so the session is damaged" in refused(crawls.out, 1, "--max-pages", "9")
    damaged.unlink()
    assert "has 0 bytes" in refused(crawls.out, 1, "--max-pages", "9")


def test_files_among_the_options_are_found_from_any_folder(crawls: Crawls, monkeypatch: pytest.MonkeyPatch) -> None:
    crawls(SCRIPT, max_pages=2)
    monkeypatch.chdir(crawls.out.parent)
    planned = resumed(crawls.out, 1, "--max-pages", "9", "--scratch", "here")
    assert planned.header["configuration"]["scratch"] == str(crawls.out.parent / "here")


@pytest.mark.parametrize(("age", "is_told"), [(0, True), (3, True), (3600, False)])
def test_a_session_that_seems_to_be_crawled_is_not_taken_over_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], age: int, is_told: bool
) -> None:
    begun = plan(CrawlOptions(urls=(SEED,), out=tmp_path / "session", contact="me@a.example", scope="all"), 2)
    live = tmp_path / "session" / "live.json"
    live.write_text("{}")
    written = live.stat().st_mtime - age
    os.utime(live, (written, written))
    resumed(tmp_path / "session", 2)
    error = capsys.readouterr().err
    assert is_told == (f"run {begun.run} wrote there {age} s ago; if it still goes on, it ends now" in error)
    assert is_told == bool(error)


def test_a_session_that_has_ended_is_taken_over_in_silence(crawls: Crawls, capsys: pytest.CaptureFixture[str]) -> None:
    crawls(SCRIPT, max_pages=2)
    (crawls.out / "live.json").write_text("{}")
    capsys.readouterr()
    resumed(crawls.out, 1, "--max-pages", "3")
    assert capsys.readouterr().err == ""


# What a session's runs have used up of its limits.


def test_a_run_has_what_the_runs_before_have_left(tmp_path: Path) -> None:
    small_session(tmp_path / "session")
    session = Session.open(tmp_path / "session")
    pages, seconds = used_up(session)
    assert pages == session.read("pages").num_rows
    assert seconds == max(report["seconds"] for report in session.rank_reports())
    options = CrawlOptions(max_pages=pages + 5, max_seconds=seconds + 2.5, max_wait=7.0)
    assert conditions_left(options, session) == EndConditions(5, 2.5, 7.0)
    assert conditions_left(options, None) == EndConditions(pages + 5, seconds + 2.5, 7.0)
    assert conditions_left(CrawlOptions(max_pages=1, max_seconds=1e-9), session).max_pages == 0
    assert conditions_left(CrawlOptions(), session) == EndConditions()

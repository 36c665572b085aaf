"""``cutweb replay`` by one rank, and what it refuses: in one line, with exit code 2 and nothing written."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler.pages.warc_import import import_warcs
from crawler.process.mpi_environment import RANK_VARIABLES
from crawler.replay.command import replay, replay_command
from crawler.replay.measuring.timeline import Timeline, timeline_of
from crawler.replay.recording import Recording
from crawler.replay.reporting import replay_report
from crawler.replay.reporting.replay_report import report_on
from crawler.replay.settings import ReplaySettings
from partition.map.manifest import MapError, read_manifest
from sessions.checking.check import check_session
from sessions.session import Session
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, write
from tests.crawler.replay.support.series import pages_of, write_warc
from tests.mpi.maps import write_random_map
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import Crawl


@pytest.fixture(autouse=True)
def _by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had launched this process, and its environment were its own."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    for name in RANK_VARIABLES:
        os.environ.pop(name, None)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A crawl of two pages, of which one leads to a URL that robots.txt forbade."""
    pages = [Fetched(URLS[0], 1, 0, 0, {URLS[1]: 0, URLS[2]: 0}), Fetched(URLS[1], 2, 1, 0, {URLS[0]: 0})]
    what = Drawn(True, [URLS[:3], []], [pages, []], [{URLS[2]: ("filtered", "robots")}, {}])
    return write(tmp_path / "session", what, assignment="site-hash")


def test_a_replay_is_a_session(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay([str(session), "--out", str(tmp_path / "new" / "replayed")]) == 0
    assert "replay ended: complete; see it with: cutweb info" in capsys.readouterr().out
    replayed = Session.open(tmp_path / "new" / "replayed")
    assert check_session(replayed.path).problems == {}
    assert replayed.read("pages")["url"].to_pylist() == URLS[:2]
    assert replayed.read("links").num_rows == 3
    assert replayed.read("outcomes")["reason"].to_pylist() == ["robots"]
    assert replayed.header["previous"] == str(session)
    assert replayed.header["assignment"] == "site-hash"
    assert replayed.honours_nofollow
    assert replayed.header["configuration"]["mode"] == "exchange"
    assert replayed.header["configuration"]["replay"]["pages_per_superstep"] == 1000
    assert not list(replayed.path.glob("rank-*/*.warc.gz"))
    assert (replayed.path / "report" / "index.html").exists()
    assert "site-hash" in (replayed.path / "report" / "measures.csv").read_text()


def test_a_replay_can_be_replayed(session: Path, tmp_path: Path) -> None:
    for before, after in ((session, "once"), (tmp_path / "once", "twice")):
        assert replay([str(before), "--out", str(tmp_path / after), "--assign", "page-hash"]) == 0
    once, twice = (Session.open(tmp_path / name).read("pages").drop_columns("run") for name in ("once", "twice"))
    assert once.equals(twice)


@pytest.mark.parametrize("name", ["web.warc", "other.WARC"])
def test_a_warc_file_can_be_replayed(tmp_path: Path, name: str) -> None:
    warc = write_warc(tmp_path / name, 24)
    assert replay([str(warc), "--out", str(tmp_path / "replayed")]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {name, "replayed"}, "what it was unpacked into is gone"
    replayed = Session.open(tmp_path / "replayed")
    assert set(replayed.read("pages")["url"].to_pylist()) == set(pages_of(24))
    assert replayed.header["assignment"] == "site-hash"


def test_the_bodies_say_the_same_as_the_tables(tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "web.warc", 24)
    for name, how in (("tables", []), ("bodies", ["--bodies"])):
        assert replay([str(warc), *how, "--out", str(tmp_path / name)]) == 0
        assert check_session(tmp_path / name).problems == {}
    tables, bodies = (Session.open(tmp_path / name) for name in ("tables", "bodies"))
    assert tables.read("links").equals(bodies.read("links"))
    assert tables.read("urls").equals(bodies.read("urls"))
    columns = ["url", "depth", "superstep", "bytes", "decoded_bytes", "content_digest", "status", "fetched"]
    assert tables.read("pages", columns).equals(bodies.read("pages", columns))


@pytest.mark.parametrize("latency", ["recorded", "0.5", "0.1+1e3/s"])
def test_time_is_virtual(session: Path, tmp_path: Path, latency: str) -> None:
    assert replay([str(session), "--latency", latency, "--delay", "30", "--out", str(tmp_path / "replayed")]) == 0
    replayed = Session.open(tmp_path / "replayed")
    assert check_session(replayed.path).problems == {}
    first, second = (time.timestamp() for time in replayed.read("pages")["fetched"].to_pylist())
    assert 30.0 <= second - first < 31.0
    assert replayed.ended is not None
    assert replayed.ended["seconds"] >= 30.0
    figures = figures_of(replayed.path)
    assert figures["virtual_seconds"] == replayed.ended["seconds"]
    assert figures["seconds"] < 30.0, "that is what the machine took"


def figures_of(replayed: Path) -> dict[str, float]:
    (told,) = json.loads((replayed / "report" / "report.json").read_text())["replays"]
    figures: dict[str, float] = told["figures"]
    return figures


def test_only_a_replay_in_virtual_time_tells_it(session: Path, tmp_path: Path) -> None:
    assert replay([str(session), "--out", str(tmp_path / "replayed")]) == 0
    assert figures_of(tmp_path / "replayed")["virtual_seconds"] == 0
    assert "Virtual duration" not in (tmp_path / "replayed" / "report" / "index.html").read_text()


def test_times_are_those_of_the_model_if_none_were_recorded(tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "web.warc", 6)
    for name, how in (("without", []), ("with", ["--latency", "0.5", "--delay", "0", "--server-delay", "0"])):
        assert replay([str(warc), *how, "--out", str(tmp_path / name)]) == 0
        page = (tmp_path / name / "report" / "index.html").read_text()
        assert ("No times of requests were recorded" in page) == (name == "without")
        assert ("Virtual duration" in page) == (name == "with")


@pytest.mark.parametrize("bodies", [False, True])
def test_links_are_those_of_the_replay_if_it_read_bodies(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bodies: bool
) -> None:
    fewer = write(tmp_path / "fewer", Drawn(True, [URLS[:3], []], [[Fetched(URLS[0], 1, 0, 0, {})], []], [{}, {}]))
    replayed = tmp_path / "replayed"
    assert replay([str(session), "--out", str(replayed)]) == 0
    shutil.rmtree(replayed / "report")
    edit_header(replayed, lambda header: header["configuration"]["replay"].update(bodies=bodies))
    measured = []

    def timeline(recording: Recording, *rest: Any) -> Timeline:
        measured.append(np.diff(recording.starts).tolist())
        return timeline_of(recording, *rest)

    monkeypatch.setattr(replay_report, "timeline_of", timeline)
    report_on(replayed, fewer, ReplaySettings())
    assert measured == [[2 if bodies else 0]]


@pytest.fixture
def broken(session: Path, tmp_path: Path) -> Path:
    """A folder of things that cannot be replayed, or replayed by."""
    folder = tmp_path / "broken"
    Crawl(folder / "empty").close()
    shutil.copytree(session, folder / "damaged")
    next((folder / "damaged").glob("rank-*/links-*")).unlink()
    (folder / "file").write_text("not a folder")
    write_random_map(folder / "map-3", URLS, 3)
    write_random_map(folder / "map-cut", URLS, 1)
    (folder / "map-cut" / "shards.bin").write_bytes(b"cut")
    (folder / "nonsense.warc.gz").write_bytes(b"nonsense")
    whole = write_warc(folder / "cut.warc", 8)
    whole.write_bytes(whole.read_bytes()[:700])
    return folder


REFUSALS: dict[str, tuple[Callable[[Path, Path], list[object]], str]] = {
    "no session": (lambda session, broken: [broken / "nowhere"], "nowhere/session.json: no such file"),
    "a file": (lambda session, broken: [broken / "file"], "file: is a file, not a session; if it is a WARC"),
    "an empty session": (lambda session, broken: [broken / "empty"], "so there is nothing to replay"),
    "a damaged session": (lambda session, broken: [broken / "damaged"], "cutweb check tells more"),
    "no map": (lambda session, broken: [session, "--partition", broken], "broken a partition map?"),
    "a map for others": (lambda session, broken: [session, "--partition", broken / "map-3"], "is for K = 3 ranks"),
    "a cut map": (lambda session, broken: [session, "--partition", broken / "map-cut"], "shards.bin: is 3 bytes"),
    "no bodies": (lambda session, broken: [session, "--bodies"], "has no bodies; replay it without --bodies"),
    "no WARC file": (lambda session, broken: [broken / "nowhere.warc"], "nowhere.warc: No such file or directory"),
    "no WARC": (lambda session, broken: [broken / "nonsense.warc.gz"], "nonsense.warc.gz: is not a WARC file"),
    "a cut WARC": (lambda session, broken: [broken / "cut.warc"], "cut.warc: offset 700: the file ends in the middle"),
    "a rule without a map": (lambda session, broken: [session, "--unknown", "site"], "give --partition DIR"),
    "a contradiction": (lambda session, broken: [session, "--parts", "2"], "--parts belongs to --estimate and --from"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_cannot_be_replayed_is_refused(
    session: Path,
    broken: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: Callable[[Path, Path], list[object]],
    message: str,
) -> None:
    before = set(tmp_path.rglob("*"))
    assert replay([str(argument) for argument in (*arguments(session, broken), "--out", tmp_path / "replayed")]) == 2
    assert set(tmp_path.rglob("*")) == before
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("cutweb replay: ")
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("key", ["assignment", "configuration", "ranks", "ended"])
def test_a_session_that_does_not_say_what_it_is_is_refused(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    edit_header(session, lambda header: header.pop(key))
    for how in ([], ["--assign", "page-hash"], ["--estimate", "--parts", "2", "--models", "page-hash"]):
        assert replay([str(session), *how, "--out", str(tmp_path / "replayed")]) == 2
        lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("cutweb replay: ")]
        assert lines == [f"cutweb replay: {session / 'session.json'}: {key} is missing"]
    assert not (tmp_path / "replayed").exists()


@pytest.mark.parametrize("words", [["--estimate", "--no-estimate", "--out", "{}"], ["--out", "{}", "--", "--from"]])
def test_what_only_looks_like_an_estimate_is_a_replay(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    where = tmp_path / "replayed"
    session.rename(tmp_path / "--from")
    monkeypatch.chdir(tmp_path)
    sessions = [] if "--" in words else ["./--from"]
    assert replay([*sessions, *(word.format(where) for word in words)]) == 0
    assert Session.open(where).ended is not None


def test_an_option_for_a_folder_is_one(session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert replay([str(session), "--out", "--estimate"]) == 0
    assert Session.open(tmp_path / "--estimate").ended is not None


def test_a_replay_says_by_which_map_it_went(session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_random_map(tmp_path / "map", URLS, 1)
    monkeypatch.chdir(tmp_path)
    assert replay([str(session), "--partition", "map", "--out", "replayed"]) == 0
    configuration = Session.open(tmp_path / "replayed").header["configuration"]
    assert configuration["partition"] == str(tmp_path / "map")
    assert configuration["partition_identity"] == read_manifest(tmp_path / "map").identity
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert replay([str(tmp_path / "replayed"), "--out", "again"]) == 0
    assert Session.open("again").header["configuration"]["partition"] == str(tmp_path / "map")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MapError("map is gone"), MemoryError()])
def test_a_replay_stands_though_its_report_fails(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(replay_report, "report_on", fail)
    assert replay([str(session), "--out", str(tmp_path / "replayed")]) == 1
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if line.startswith("cutweb replay: ")]
    assert len(lines) == 1
    why = {OSError: "No space left on device", MapError: "map is gone", MemoryError: "not enough memory"}[type(error)]
    assert lines[0].endswith(f"replayed: the session is complete, but its report could not be written: {why}")
    assert "Traceback" not in said.err
    assert "replay ended: complete" in said.out
    assert check_session(tmp_path / "replayed").problems == {}


@pytest.mark.parametrize("name", ["a rule without a map", "no bodies", "no WARC", "a cut WARC", "a map for others"])
def test_no_folder_is_left_for_what_was_refused(session: Path, broken: Path, tmp_path: Path, name: str) -> None:
    before = set(tmp_path.rglob("*"))
    asked = [*REFUSALS[name][0](session, broken), "--out", tmp_path / "new" / "newer" / "replayed"]
    assert replay([str(argument) for argument in asked]) == 2
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["broken/file/below", "broken/file/far/below"])
def test_a_file_in_the_way_is_named(
    session: Path, broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    assert replay([str(session), "--out", str(tmp_path / place)]) == 2
    assert capsys.readouterr().err == f"cutweb replay: {tmp_path / place}: Not a directory\n"


@pytest.mark.parametrize("place", ["session", "broken/file", "broken/file/below"])
def test_nothing_is_written_over(
    session: Path, broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert replay([str(session), "--out", str(tmp_path / place)]) == 2
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert capsys.readouterr().err.count("\n") == 1


def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(option in text for parameter in replay_command().params for option in parameter.opts if option[0] == "-")


(FIRST,) = pages_of(1)


def damaged(warc: Path, records: int) -> None:
    """Overwrite the first ``records`` response bodies with what is no response, as a failing disk does."""
    content = warc.read_bytes()
    for _ in range(records):
        content = content.replace(b"HTTP/1.1 200", b"\0\0\0\0\0\0\0\0\0\0\0\0", 1)
    warc.write_bytes(content)


@pytest.mark.parametrize(
    ("how", "code"),
    [(["--bodies"], 1), (["--bodies", "--lenient"], 0), ([], 0)],
    ids=["strict", "lenient", "tables"],
)
def test_bodies_that_cannot_be_read_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str], code: int
) -> None:
    warc, out = write_warc(tmp_path / "web.warc", 24), tmp_path / "replayed"
    import_warcs([warc], tmp_path / "session")
    damaged(warc, 3)
    assert replay([str(tmp_path / "session"), *how, "--out", str(out)]) == code
    told, problems = capsys.readouterr()
    line = f"21 pages were read from their bodies; 3 bodies (12.5%) could not be read, the first that of {FIRST}"
    assert (f"bodies: {line}\n" in told) == bool(how)
    assert (f"cutweb replay: {line}; more than 1% is an error unless --lenient is given" in problems) == bool(code)
    page = (out / "report" / "index.html").read_text()
    assert ("3 bodies (12.5%) could not be read" in page) == bool(how)
    assert Session.open(out).read("pages").num_rows == 24


def test_bodies_that_were_not_kept_are_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1)
    crawl.ranks[0].discover(URLS[:2])
    crawl.ranks[0].fetch(URLS[0], b"<a href=x>", lines=[b"Content-Type: text/html"], depth=0)
    crawl.ranks[0].fetch(URLS[1], b"x", is_kept=False, truncated="length", depth=0)
    crawl.commit("complete")
    crawl.close()
    assert replay([str(crawl.path), "--bodies", "--out", str(tmp_path / "replayed")]) == 0
    kept = "bodies: 1 pages were read from their bodies, 1 from the tables since their bodies were not kept; 0 bodies"
    assert kept in capsys.readouterr().out


def test_a_session_that_is_not_complete_is_named(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "session session is not complete: it ended at its limit max-pages and left 2 URLs queued"
    crawl = Crawl(tmp_path / "more" / "session", ranks=1)
    crawl.ranks[0].discover(URLS[:4])
    for url in URLS[:2]:
        crawl.ranks[0].fetch(url, depth=0)
    crawl.commit("max-pages")
    crawl.close()
    for number, how in enumerate(([], ["--estimate", "--parts", "2", "--models", "page-hash"])):
        out = tmp_path / f"out-{number}"
        assert replay([str(crawl.path), *how, "--out", str(out)]) == 0
        assert f"warning: {line}" in capsys.readouterr().err.splitlines()
        report = out if how else out / "report"
        assert line in (report / "index.html").read_text()
        (told,) = json.loads((report / "report.json").read_text())["replays"]
        assert told["figures"]["coverage"] == 2 / 4


def test_a_map_of_another_web_is_named(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_random_map(tmp_path / "other", [f"http://elsewhere.example/{number}" for number in range(9)], 1)
    write_random_map(tmp_path / "own", URLS[:3], 1)
    for name, how in (("other", []), ("other", ["--estimate"]), ("own", []), ("own", ["--estimate"])):
        out = tmp_path / f"{name}-{len(how)}"
        assert replay([str(session), *how, "--partition", str(tmp_path / name), "--out", str(out)]) == 0
        line = "the partition map holds only 0 of the session"
        assert (line in capsys.readouterr().err) == (name == "other")
        assert (line in (out / "index.html" if how else out / "report" / "index.html").read_text()) == (name == "other")


def test_a_replay_with_a_limit_fetches_from_the_first_superstep_on(session: Path, tmp_path: Path) -> None:
    for name, how in (("ranks", []), ("estimate", ["--estimate", "--parts", "1", "--models", "site-hash"])):
        out = tmp_path / name
        assert replay([str(session), *how, "--max-pages", "2", "--out", str(out)]) == 0
        report = out if how else out / "report"
        rows = (report / "timeline.csv").read_text().splitlines()
        assert len(rows) == 1 + 1, "one superstep, in which both pages are fetched"
        (told,) = json.loads((report / "report.json").read_text())["replays"]
        assert (told["figures"]["supersteps"], told["figures"]["fetches"]) == (1, 2)
    assert Session.open(tmp_path / "ranks").read("pages")["superstep"].to_pylist() == [0, 0]


@pytest.mark.parametrize(
    ("factor", "seconds", "told"),
    [("4", 40.0, ", at least 4 times as long as the last answer<"), ("0", 5.0, "0 s a server<")],
)
def test_slow_sites_rest_longer_in_virtual_time_too(
    session: Path, tmp_path: Path, factor: str, seconds: float, told: str
) -> None:
    asked = ["--latency", "10", "--delay", "5", "--server-delay", "0", "--delay-factor", factor]
    assert replay([str(session), *asked, "--out", str(tmp_path / "replayed")]) == 0
    fetched = Session.open(tmp_path / "replayed").read("pages")["fetched"].to_pylist()
    first, second = (time.timestamp() for time in fetched)
    assert seconds + 10 <= second - first < seconds + 11  # after the answer, which takes 10 s
    assert told in (tmp_path / "replayed" / "report" / "index.html").read_text()

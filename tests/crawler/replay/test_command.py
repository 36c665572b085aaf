"""``cutweb replay`` by one rank, and what it refuses: in one line, with exit code 2 and nothing written."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler import launch
from crawler.replay.command import replay, replay_command
from sessions.check import check_session
from sessions.session import Session
from tests.crawler.replay.recorded import URLS, Drawn, Fetched, write
from tests.crawler.replay.series import pages_of, write_warc
from tests.mpi.maps import write_random_map
from tests.sessions.builder import Crawl


@pytest.fixture(autouse=True)
def _by_itself(monkeypatch: pytest.MonkeyPatch, same_signals_afterwards: None) -> None:
    """As if nothing had launched this process, and its environment were its own."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    for name in launch._LAUNCHED_BY:
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
    (folder / "map-cut" / "urls.marisa").write_bytes(b"cut")
    (folder / "nonsense.warc.gz").write_bytes(b"nonsense")
    whole = write_warc(folder / "cut.warc", 8)
    whole.write_bytes(whole.read_bytes()[:700])
    return folder


REFUSALS: dict[str, tuple[Callable[[Path, Path], list[object]], str]] = {
    "no session": (lambda session, broken: [broken / "nowhere"], "nowhere/session.json: no such file"),
    "a file": (lambda session, broken: [broken / "file"], "file/session.json: "),
    "an empty session": (lambda session, broken: [broken / "empty"], "so there is nothing to replay"),
    "a damaged session": (lambda session, broken: [broken / "damaged"], "cutweb check tells more"),
    "no map": (lambda session, broken: [session, "--partition", broken], "broken a partition map?"),
    "a map for others": (lambda session, broken: [session, "--partition", broken / "map-3"], "is for K = 3 ranks"),
    "a cut map": (lambda session, broken: [session, "--partition", broken / "map-cut"], "urls.marisa: is 3 bytes"),
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

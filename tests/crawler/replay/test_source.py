"""Sessions as they are, and WARC files as sessions for the time."""

from pathlib import Path

import pytest

from crawler.replay.source import folder_above, is_warc, name_of, recorded_place, recorded_session
from sessions.importing.source import SourceError
from sessions.session import Session
from tests.crawler.replay.support.series import pages_of, write_warc
from tests.sessions.support.builder import Crawl


def test_a_session_is_taken_as_it_is(tmp_path: Path) -> None:
    with recorded_session(tmp_path / "session") as path:
        assert path == tmp_path / "session"


def test_a_warc_file_is_a_session_for_the_time(tmp_path: Path) -> None:
    warc, scratch = write_warc(tmp_path / "web.warc", 6), tmp_path / "scratch"
    scratch.mkdir()
    with recorded_session(warc, scratch) as path:
        assert path.is_relative_to(scratch)
        assert path.name == "web"
        assert Session.open(path).read("pages", ["url"])["url"].to_pylist() == pages_of(6)
    assert list(scratch.iterdir()) == []


def test_the_folder_above_is_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert folder_above(tmp_path / "out") == tmp_path
    assert folder_above(tmp_path / "new" / "newer" / "out") == tmp_path
    for place in ("file/out", "file/new/out"):
        with pytest.raises(NotADirectoryError, match=place):
            folder_above(tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_nothing_is_left_of_what_is_no_warc_file(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (tmp_path / "x.warc.gz").write_bytes(b"no")
    with pytest.raises(SourceError), recorded_session(tmp_path / "x.warc.gz", scratch):
        pass
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "name", "is_one"),
    [("a/x.warc", "x", True), ("x.WARC.GZ", "x", True), ("crawl-1", "crawl-1", False), ("a.warc.d", "a.warc.d", False)],
)
def test_names(path: str, name: str, is_one: bool) -> None:
    assert is_warc(Path(path)) == is_one
    assert name_of(Path(path)) == name


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "work").mkdir()
    Crawl(tmp_path / "work" / "session").close()
    return Session.open(tmp_path / "work" / "session")


def test_an_absolute_name_is_a_place_of_its_own(session: Session, tmp_path: Path) -> None:
    assert recorded_place(session, str(tmp_path / "map")) == tmp_path / "map"
    (tmp_path / "map").mkdir()
    assert recorded_place(session, str(tmp_path / "map")) == tmp_path / "map"


def test_a_relative_name_lies_beside_the_session_wherever_one_is(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert recorded_place(session, "map") == Path("map"), "it is nowhere"
    (tmp_path / "map").mkdir()
    assert recorded_place(session, "map") == Path("map")
    (tmp_path / "work" / "map").mkdir()
    assert recorded_place(session, "map").samefile(tmp_path / "work" / "map")

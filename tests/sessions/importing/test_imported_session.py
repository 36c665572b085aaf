"""The folder of an imported session: whole, or not there."""

import threading
from pathlib import Path

import pytest

from sessions.importing.imported_session import NOT_IMPORTED, imported_session
from sessions.session import SessionError
from sessions.url import url_hashes
from tests.sessions.importing.support.reading import opened


def fill(out: Path) -> None:
    with imported_session(out, "test", {"file": "x"}) as session:
        urls = ["http://a.example/"]
        session.add_urls(url_hashes(urls), urls)
        session.leave(url_hashes(urls))
        assert not out.exists() or not any(out.iterdir())


@pytest.mark.parametrize("name", ["new", "a/b/new", "empty", "link"])
def test_a_session_gets_its_name_when_it_is_whole(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty", target_is_directory=True)
    before = set(tmp_path.iterdir())
    fill(tmp_path / name)
    session = opened(tmp_path / name)
    assert session.header["configuration"] == {"import": "test", "file": "x"}
    assert session.read("frontier")["reason"].to_pylist() == [NOT_IMPORTED]
    assert set(tmp_path.iterdir()) - before <= {tmp_path / name.partition("/")[0]}


def test_a_folder_that_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    fill(Path())
    opened(tmp_path / "here")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def fail(out: Path, error: type[BaseException]) -> None:
    with imported_session(out, "test", {}) as session:
        urls = ["http://a.example/"]
        session.add_urls(url_hashes(urls), urls)
        (folder,) = out.resolve().parent.glob(".*.partial")
        (folder / "rank-0000" / ".urls.partial").write_text("half a table")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("name", ["new", "a/b/new", "empty"])
def test_nothing_is_left_of_what_failed(tmp_path: Path, error: type[BaseException], name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(error):
        fail(tmp_path / name, error)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_other_threads_leave_signals_alone(tmp_path: Path) -> None:
    thread = threading.Thread(target=fill, args=[tmp_path / "new"])
    thread.start()
    thread.join()
    opened(tmp_path / "new")


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError, match="is a file"):
        fill(tmp_path / "file")
    fill(tmp_path / "new")
    with pytest.raises(SessionError, match="not empty"):
        fill(tmp_path / "new")


def test_a_place_that_is_taken_meanwhile(tmp_path: Path) -> None:
    session = imported_session(tmp_path / "new", "test", {})
    session.__enter__()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("theirs")
    with pytest.raises(OSError, match="not empty"):
        session.__exit__(None, None, None)
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "file"]

"""Where what a session names lies: at an absolute place, beside the session, or in the current folder."""

from pathlib import Path

import pytest

from crawler.replay.recorded_places import recorded_place
from sessions.session import Session
from tests.sessions.support.builder import Crawl


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

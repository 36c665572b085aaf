"""What an operator wants of a crawl that runs, in a file of its session."""

import os
from pathlib import Path
from typing import Any

import pytest

from crawler.launch import earlier_ranks
from crawler.launch.operator_wish import NAME, Wish, ask, begin_wishes, end_wishes, wish_for
from crawler.monitoring.signs_of_life import Sign, begin_signs, write_sign
from sessions.session import SessionError
from sessions.writing.commit import claim, commit

EMPTY: dict[str, Any] = {"tables": {}, "warc": [], "report": {}}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    claim(tmp_path / "session", run="run", ranks=1, assignment="page-hash", configuration={})
    return tmp_path / "session"


def test_what_is_asked_is_read_in_the_same_file(session: Path) -> None:
    begin_wishes(session, "run")
    before = (session / NAME).stat()
    assert wish_for(session, "run") is Wish.GO_ON
    for wish in (Wish.PAUSE, Wish.GO_ON, Wish.STOP):
        ask(session, wish)
        assert wish_for(session, "run") is wish
        assert wish_for(session, "the next run") is Wish.GO_ON
    after = (session / NAME).stat()
    assert (after.st_ino, after.st_size) == (before.st_ino, before.st_size)
    begin_wishes(session, "the next run")
    assert wish_for(session, "run") is Wish.GO_ON


def test_nobody_is_asked_where_nobody_crawls(session: Path) -> None:
    with pytest.raises(SessionError, match="session: no crawl runs on it that could pause"):
        ask(session, Wish.PAUSE)
    begin_wishes(session, "run")
    end_wishes(session)
    assert not (session / NAME).exists()
    with pytest.raises(SessionError):
        ask(session.parent, Wish.STOP)


def test_a_crawl_that_has_ended_is_not_asked_though_its_file_was_left(tmp_path: Path) -> None:
    header = claim(tmp_path / "session", run="run", ranks=1, assignment="page-hash", configuration={})
    begin_wishes(tmp_path / "session", "run")
    commit(tmp_path / "session", header, 1, [EMPTY], {"reason": "complete", "seconds": 1.0})
    with pytest.raises(SessionError, match="no crawl runs on it"):
        ask(tmp_path / "session", Wish.PAUSE)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": "run"}', '{"run": "run", "wish": "dance"}', "\xff"])
def test_what_is_no_wish_is_to_go_on(session: Path, text: str) -> None:
    (session / NAME).write_text(text, encoding="latin-1")
    assert wish_for(session, "run") is Wish.GO_ON


def test_ranks_that_were_killed_are_not_asked(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier_ranks, "_PATIENCE_SECONDS", 0.0)
    begin_wishes(session, "run")
    begin_signs(session, "run")
    here = os.uname().nodename
    write_sign(session, "run", 0, Sign(here, process=(1 << 30, 5)))
    with pytest.raises(SessionError, match="session: all ranks were killed; go on with: cutweb crawl --resume"):
        ask(session, Wish.STOP)
    write_sign(session, "run", 0, Sign("elsewhere", process=(1 << 30, 5)))
    ask(session, Wish.STOP)
    assert wish_for(session, "run") is Wish.STOP

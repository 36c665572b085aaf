"""Pausing, going on and stopping: what an operator is told, where ranks may have been killed on other machines."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.commands.operate import go_on, pause, stop
from crawler.launch.operator_wish import Wish, ask, begin_wishes, wish_for
from crawler.monitoring.live_file import NAME, LiveFile
from sessions.session import HEADER
from sessions.writing.commit import claim
from tests.crawler.monitoring.support.states import at

LONG_SECONDS = 94


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A crawl of two ranks that has shown how it stands just now."""
    path = tmp_path / "session"
    header = claim(path, run="run", ranks=2, assignment="page-hash", configuration={"superstep": 1.0})
    begin_wishes(path, "run")
    LiveFile(path, header).show(at(1.0, 1, 1))
    return path


def fall_silent(session: Path) -> None:
    for name in (HEADER, NAME):
        written = (session / name).stat().st_mtime - LONG_SECONDS
        os.utime(session / name, (written, written))


@pytest.mark.parametrize(("command", "wish"), [(pause, Wish.PAUSE), (stop, Wish.STOP), (go_on, Wish.GO_ON)])
def test_a_crawl_that_lives_is_only_asked(session: Path, command: object, wish: Wish) -> None:
    result = _invoke(command, session)
    assert (result.exit_code, wish_for(session, "run")) == (0, wish)
    assert "killed" not in result.output


@pytest.mark.parametrize(("command", "wish"), [(pause, Wish.PAUSE), (stop, Wish.STOP)])
def test_of_one_that_is_silent_it_is_said_that_nobody_may_obey(session: Path, command: object, wish: Wish) -> None:
    fall_silent(session)
    result = _invoke(command, session)
    assert (result.exit_code, wish_for(session, "run")) == (0, wish)
    assert "nothing was written for 0:01:3" in result.output
    assert f"go on with: cutweb crawl --resume {session}" in result.output


def test_one_that_pauses_is_silent_by_right(session: Path) -> None:
    ask(session, Wish.PAUSE)
    fall_silent(session)
    assert "killed" not in _invoke(stop, session).output


def test_where_nobody_crawls_nothing_is_promised(tmp_path: Path) -> None:
    result = _invoke(pause, tmp_path / "none")
    assert result.exit_code == 2
    assert "pauses when" not in result.output


def _invoke(command: object, session: Path) -> Result:
    return CliRunner().invoke(command, [str(session)])  # type: ignore[arg-type]

"""Following a session by its files, with a clock and a crawl that the test moves on."""

import io
import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from crawler.commands import follow as following
from crawler.commands.follow import Follower, follow
from crawler.commands.info import info
from crawler.monitoring.live_file import NAME, LiveFile
from crawler.monitoring.signs_of_life import Sign, begin_signs, write_sign
from sessions.session import HEADER, Session, SessionError
from sessions.writing.commit import claim, commit, fence_and_take_over
from tests.crawler.monitoring.support.states import at

RUN, NEXT_RUN = "20260101T000000-aaaaaa", "20260102T000000-bbbbbb"
EMPTY: dict[str, Any] = {"tables": {}, "warc": [], "report": {}}


class Crawl:
    """A session of two ranks, and what time it is for who looks at it; its own wall clock is the real one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = claim(path, run=RUN, ranks=2, assignment="site-hash", configuration={"superstep": 1.0})
        self.waited = 0.0
        self.ahead = 0.0
        """How far the clock of who looks goes ahead of that of the crawl."""
        self._written = 0
        self._touch(HEADER)  # a slow disk wrote it later than it began

    def time(self) -> float:
        started = datetime.fromisoformat(self.header["started"]).timestamp()
        return started + self.waited + self.ahead

    def monotonic(self) -> float:
        return 5000.0 + self.waited

    def show(self, seconds: float, *pages: int) -> None:
        """A superstep ends."""
        LiveFile(self.path, self.header).show(at(seconds, *pages, superstep=round(seconds)))
        self._touch(NAME)

    def commit(self, ended: dict[str, Any] | None = None) -> None:
        commit(self.path, self.header, 1, [EMPTY, EMPTY], ended)
        self._touch(HEADER)

    def resume(self) -> None:
        """Another run goes on with it."""
        session = Session.open(self.path)
        self.header = fence_and_take_over(session, run=NEXT_RUN, ranks=2, assignment="site-hash", configuration={})
        self._touch(HEADER)

    def follow(self, *steps: Callable[[], object], is_terminal: bool = False) -> str:
        """What is printed if these happen, one between two looks."""
        out, coming = io.StringIO(), iter(steps)

        def wait(seconds: float) -> None:
            self.waited += seconds
            next(coming)()

        follow(self.path, Console(file=out, width=400, force_terminal=is_terminal), clock=self, wait=wait)
        assert next(coming, None) is None, "it ended too early"
        return out.getvalue()

    def _touch(self, name: str) -> None:
        """Every change has a time of its own, however coarse the file system's clock."""
        self._written += 1
        stamp = round((self.time() - self.ahead) * 1e9) + self._written
        os.utime(self.path / name, ns=(stamp, stamp))


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    return Crawl(tmp_path / "session")


END = {"reason": "max-pages", "seconds": 3.25}


def nothing() -> None:
    """Nothing happens."""


def test_a_crawl_is_followed_to_its_end(crawl: Crawl) -> None:
    text = crawl.follow(
        lambda: crawl.show(1.0, 10, 20),
        lambda: crawl.show(3.0, 30, 20),
        nothing,
        crawl.commit,
        lambda: crawl.commit(END),
    )
    headings = [line.removeprefix(f"run {RUN}: ") for line in text.splitlines() if line.startswith("run ")]
    assert headings == [
        "nothing to see yet, for 0:00:00; nothing committed yet",
        "superstep 1, 0:00:01; nothing committed yet",
        "superstep 3, 0:00:03; nothing committed yet",
        headings[3],
        headings[4],
    ]
    assert headings[3].startswith("superstep 3, 0:00:03; epoch 1 committed 0:00:0")
    assert headings[4] == "superstep 3, 0:00:03; epoch 2 was the last"
    totals = [line.split()[:3] for line in text.splitlines() if line.split()[:1] == ["all"]]
    assert totals == [["all", "30", "-"], *[["all", "50", "10"]] * 3]
    assert text.splitlines()[-1] == f"ended (max-pages) after 3.2 s; see it with: cutweb info {crawl.path}"


def test_a_session_that_has_ended_is_shown_once(crawl: Crawl) -> None:
    crawl.show(2.0, 1, 2)
    crawl.commit(END)
    text = crawl.follow()
    assert text.count("run ") == 1
    assert "epoch 1 was the last" in text
    assert "ended (max-pages)" in text
    assert "this run alone" not in text


def test_a_crawl_that_writes_nothing_for_long_may_have_been_killed(crawl: Crawl) -> None:
    crawl.show(1.0, 1, 1)
    steps = [nothing] * 60
    text = crawl.follow(*steps, lambda: crawl.show(62.0, 2, 2), lambda: crawl.commit(END))
    told = [line for line in text.splitlines() if "nothing was written" in line]
    assert told == [
        "nothing was written for 0:00:31: was it killed?  What is committed is safe; if nobody crawls any more, "
        f"go on with: cutweb crawl --resume {crawl.path}"
    ]
    assert text.count("rank  pages") == 4


@pytest.mark.parametrize(("superstep", "is_silent"), [(1.0, True), (10.0, False)])
def test_how_long_is_long_depends_on_the_supersteps(tmp_path: Path, superstep: float, is_silent: bool) -> None:
    crawl = Crawl(tmp_path / "session")
    crawl.header["configuration"]["superstep"] = superstep
    crawl.header["runs"][0]["configuration"]["superstep"] = superstep
    crawl.commit()
    crawl.show(1.0, 1, 1)
    text = crawl.follow(*[nothing] * 60, lambda: crawl.commit(END))
    assert ("was it killed?" in text) == is_silent


def test_one_that_was_killed_long_ago_is_noticed_at_the_first_look(crawl: Crawl) -> None:
    crawl.show(1.0, 1, 1)
    crawl.waited = 3600.0
    standing = Follower(crawl.path, crawl).look().standing
    assert standing.silence == pytest.approx(3600.0, abs=1e-3)


def test_a_clock_that_is_wrong_does_no_harm_once_something_was_written(crawl: Crawl) -> None:
    crawl.show(1.0, 1, 1)
    crawl.ahead = 500.0
    follower = Follower(crawl.path, crawl)
    assert follower.look().standing.silence >= 499
    crawl.show(2.0, 2, 2)
    assert follower.look().standing.silence == 0.0
    crawl.waited += 2
    assert follower.look().standing.silence == 2.0
    crawl.ahead = -500.0
    assert Follower(crawl.path, crawl).look().standing.silence == 0.0
    crawl.commit()
    assert Follower(crawl.path, crawl).look().standing.epoch_age == 0.0


def test_what_an_earlier_run_wrote_says_nothing_of_the_one_that_goes_on(crawl: Crawl) -> None:
    crawl.show(1.0, 1, 1)
    crawl.commit({"reason": "signal", "seconds": 1.0})
    crawl.resume()
    follower = Follower(crawl.path, crawl)
    look = follower.look()
    assert look.session.ended is None
    assert (look.standing.run, look.standing.live) == (NEXT_RUN, None)
    crawl.show(2.0, 3, 4)
    assert follower.look().standing.before is None
    crawl.show(3.0, 3, 4)
    standing = follower.look().standing
    assert standing.before is not None
    assert (standing.before.seconds, standing.before.run) == (2.0, NEXT_RUN)
    crawl.commit(END)
    assert f"this run alone; with the earlier ones: cutweb info {crawl.path}" in crawl.follow()


def test_the_epoch_that_was_committed_last_has_an_age(crawl: Crawl) -> None:
    follower = Follower(crawl.path, crawl)
    assert follower.look().standing[3:5] == (0, None)
    crawl.commit()
    crawl.waited += 90
    epoch, age = follower.look().standing[3:5]
    assert epoch == 1
    assert age is not None
    assert 60 <= age <= 91  # a machine may be slow between the claim and the commit


def test_on_a_terminal_the_table_is_drawn_over(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    text = crawl.follow(lambda: crawl.show(1.0, 10, 20), nothing, lambda: crawl.commit(END), is_terminal=True)
    assert "\x1b[1A" in text
    assert "ended (max-pages)" in text


def test_the_session_is_read_again_only_when_it_has_changed(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    is_open = Session.open
    monkeypatch.setattr(following.Session, "open", lambda path: opened.append(path) or is_open(path))
    crawl.follow(*[lambda: crawl.show(crawl.waited + 1, 1, 1)] * 20, lambda: crawl.commit(END))
    assert len(opened) == 2


def test_what_is_no_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError):
        Follower(tmp_path).look()
    result = CliRunner().invoke(info, ["--watch", str(tmp_path)])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert result.output.startswith("cutweb info: ")


def test_a_damaged_live_file_is_named(crawl: Crawl) -> None:
    (crawl.path / NAME).write_text("{")
    result = CliRunner().invoke(info, ["--watch", str(crawl.path)])
    assert result.exit_code == 2
    assert result.output.startswith(f"cutweb info: {crawl.path / NAME}: is not what a crawl writes there")


def test_the_command_follows_and_can_be_interrupted(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(following, "_looks", interrupted)
    assert CliRunner().invoke(info, ["--watch", str(crawl.path)]).exit_code == 0
    monkeypatch.undo()
    crawl.commit(END)
    result = CliRunner().invoke(info, ["--watch", str(crawl.path)])
    assert result.exit_code == 0
    assert "ended (max-pages)" in result.output


def test_a_table_is_no_json(crawl: Crawl) -> None:
    result = CliRunner().invoke(info, ["--watch", "--json", str(crawl.path)])
    assert result.exit_code == 2
    assert "contradict each other" in result.output


def test_a_rank_that_gives_no_sign_while_another_does_is_named(crawl: Crawl) -> None:
    signs = [Sign("node1"), Sign("node2")]
    begin_signs(crawl.path, RUN)

    def gives_signs(*ranks: int) -> None:
        for rank in ranks:
            signs[rank] = signs[rank]._replace(beat=signs[rank].beat + 1, waits=True)
            write_sign(crawl.path, RUN, rank, signs[rank])

    crawl.show(1.0, 1, 1)
    alone, both = [partial(gives_signs, 0)] * 40, [partial(gives_signs, 0, 1)]
    text = crawl.follow(*both * 20, *alone, *both * 2, lambda: crawl.show(62.0, 2, 2), lambda: crawl.commit(END))
    told = [line for line in text.splitlines() if "no sign of life" in line]
    assert told[0] == "rank 1 on node2 has given no sign of life for 0:00:10; others wait for it"
    assert all(line.startswith("rank 1 on node2 ") for line in told)
    assert "nothing was written" in text, "when both give signs again, and still nothing is written"

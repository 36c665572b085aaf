"""The log of a rank: lines that anyone can read, of all that happens, and a disk that is full."""

import errno
import json
import logging
import os
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.monitoring import event_log as eventlog
from crawler.monitoring.event_log import LoggedSupersteps, event_log, log_path
from crawler.monitoring.events import EVENTS, say
from tests.crawler.monitoring.support.states import NOTHING, errors
from tests.crawler.support.fake_web import Crawls, no_answer, page, robots_txt

RUN = "20260101T000000-abcdef"
A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def told(session: Path) -> list[dict[str, Any]]:
    """The events of the only rank of a session, without time and names."""
    (path,) = (session / eventlog.FOLDER).iterdir()
    events = lines(path)
    run = path.stem.removeprefix("rank-0000-")
    assert all((event.pop("run"), event.pop("rank")) == (run, 0) for event in events)
    times = [datetime.fromisoformat(event.pop("time")) for event in events]
    assert times == sorted(times)
    return events


def test_an_event_is_a_line_with_time_and_names(tmp_path: Path) -> None:
    before = datetime.now(UTC)
    with event_log(tmp_path, 3, RUN):
        say("site given up", site="ä.example\n", reason=None)
        (event,) = lines(log_path(tmp_path, 3, RUN))  # while the log is open
    assert log_path(tmp_path, 3, RUN) == tmp_path / "log" / f"rank-0003-{RUN}.jsonl"
    time = datetime.fromisoformat(event.pop("time"))
    assert 0 <= (time - before).total_seconds() + 0.001 < 60
    assert event == {"run": RUN, "rank": 3, "event": "site given up", "site": "ä.example\n", "reason": None}
    assert list(event)[:3] == ["run", "rank", "event"]


NAMES = st.sampled_from(["site", "origin", "status", "pages", "reason"])


@given(st.dictionaries(NAMES, st.none() | st.integers() | st.text(), max_size=5))
@example({"reason": "a file named \udcff"})
@settings(deadline=None, derandomize=True, max_examples=50)
def test_whatever_is_said_is_one_line(tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("session")
    with event_log(folder, 0, RUN):
        say("something", **fields)
        say("something else")
    text = log_path(folder, 0, RUN).read_bytes()
    assert text.count(b"\n") == 2
    first, second = (json.loads(line) for line in text.decode().strip("\n").split("\n"))
    assert {name: first[name] for name in fields} == fields
    assert second["event"] == "something else"


def test_after_its_end_nothing_is_written(tmp_path: Path) -> None:
    before = [*EVENTS.handlers]
    with event_log(tmp_path, 0, RUN):
        assert EVENTS.handlers != before
    say("too late")
    assert log_path(tmp_path, 0, RUN).read_text() == ""
    assert EVENTS.handlers == before
    assert not EVENTS.isEnabledFor(logging.INFO)


def test_the_error_that_ends_a_run_is_its_last_event(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), event_log(tmp_path, 0, RUN):
        _begin_and_fail()
    events = lines(log_path(tmp_path, 0, RUN))
    assert [(event["event"], event.get("error")) for event in events] == [
        ("run began", None),
        ("error", "ZeroDivisionError: by 0"),
    ]


def _begin_and_fail() -> None:
    say("run began")
    raise ZeroDivisionError("by 0")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_an_error_that_names_the_log(tmp_path: Path) -> None:
    path = log_path(tmp_path, 0, RUN)
    path.parent.mkdir()
    path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as caught, event_log(tmp_path, 0, RUN):
        say("run began")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("")
    with pytest.raises(FileExistsError), event_log(tmp_path, 0, RUN):
        raise AssertionError


def test_a_superstep_is_told_as_the_rank_sees_it_and_a_stop_once(tmp_path: Path) -> None:
    other = NOTHING._replace(pages=99, is_stopping=1)
    mine = NOTHING._replace(
        superstep=7, milliseconds=1500, pages=3, bytes=100, queued=5, in_flight=2, errors=errors(dns=2, idle=1)
    )
    watcher = LoggedSupersteps(1)
    with event_log(tmp_path, 1, RUN):
        watcher.show([other, mine])
        watcher.show([other, mine._replace(is_stopping=1)])
        watcher.show([other, mine._replace(is_stopping=1)], is_last=True)
    events = lines(log_path(tmp_path, 1, RUN))
    superstep = {
        **{"event": "superstep ended", "superstep": 7, "seconds": 1.5, "pages": 3, "bytes": 100, "queued": 5},
        **{"in_flight": 2, "waiting": 0, "failed": 0, "filtered": 0, "errors": 3},
    }
    assert {name: events[0][name] for name in superstep} == superstep
    assert [event["event"] for event in events[1:]] == ["superstep ended", "stop asked for", "superstep ended"]


def test_a_crawl_tells_what_happens(crawls: Crawls) -> None:
    script = {A: page(B + "1", C), f"{B}robots.txt": robots_txt("Crawl-delay: 1"), C: page()}
    script |= {f"{B}{number}": no_answer() for number in range(1, 9)}
    script[A] = page(C, *(f"{B}{number}" for number in range(1, 9)))
    done = crawls(script, log_json=True, lost={"c.example": "dns"}, retries=0, site_errors=3)
    events = told(done.session.path)
    names = [event["event"] for event in events]
    assert events[0] == {"event": "run began", "ranks": 1, "epoch": 0, "is_resumed": False}
    assert names[-1] == "crawl ended"
    assert events[-1]["reason"] == "complete"
    assert [event["site"] for event in events if event["event"] == "site given up"] == ["c.example", "b.example"]
    reasons = [event["reason"] for event in events if event["event"] == "site given up"]
    assert reasons == ["dns", "site-errors"]
    fetched = {event["origin"]: event for event in events if event["event"] == "robots.txt fetched"}
    assert {origin: answer["status"] for origin, answer in fetched.items()} == {A[:-1]: 404, B[:-1]: 200}
    assert fetched[B[:-1]]["bytes"] == len("Crawl-delay: 1")
    committed = [event["epoch"] for event in events if event["event"] == "epoch committed"]
    assert committed == list(range(1, done.session.last_epoch + 1))
    assert names.count("epoch closed") == len(committed)
    last = [event for event in events if event["event"] == "superstep ended"][-1]
    assert last["pages"] == done.report["fetched"]
    assert last["failed"] == done.report["failed"] == 9


def test_a_crawl_that_is_stopped_tells_so(crawls: Crawls) -> None:
    def stop(number: int) -> None:
        if number == 5:
            os.kill(os.getpid(), signal.SIGTERM)

    script = {f"{A}{number or ''}": page(f"/{number + 1}") for number in range(50)}
    events = told(crawls(script, log_json=True, on_start=stop).session.path)
    assert [event["event"] for event in events].count("stop asked for") == 1
    assert events[-1]["reason"] == "signal"


def test_without_the_option_there_is_no_log(crawls: Crawls) -> None:
    done = crawls({A: page()})
    assert not (done.session.path / eventlog.FOLDER).exists()

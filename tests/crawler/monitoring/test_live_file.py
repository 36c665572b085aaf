"""The live file: what it says, how often it is written, and what is made of a damaged one."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.verdict import Status
from crawler.monitoring.live_file import NAME, Live, LiveFile, LiveRank, read_live
from tests.crawler.monitoring.support.states import NOTHING, STATES, at, errors
from tests.crawler.support.fake_web import Crawls, page

HEADER = {"run": "20260101T000000-abcdef", "epochs": 3}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Live]:
    """All that is written to live files, in order."""
    found: list[Live] = []
    monkeypatch.setattr(LiveFile, "_write", lambda _, live: found.append(live))
    return found


def test_it_says_how_the_ranks_stand(tmp_path: Path) -> None:
    state = NOTHING._replace(pages=7, queued=5, in_flight=2, waiting=1, bytes=900, errors=errors(dns=2, idle=1))
    LiveFile(tmp_path, HEADER).show([state._replace(superstep=12, milliseconds=4500), NOTHING])
    ranks = (LiveRank(7, 5, 2, 1, 900, 3), LiveRank(0, 0, 0, 0, 0, 0))
    assert read_live(tmp_path) == Live("20260101T000000-abcdef", 12, 3, 4.5, ranks)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert json.loads((tmp_path / NAME).read_text())["ranks"][0]["in_flight"] == 2


@given(STATES)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, states: list[Status]) -> None:
    folder = tmp_path_factory.mktemp("session")
    LiveFile(folder, HEADER).show(states)
    live = read_live(folder)
    assert live is not None
    assert live.seconds == states[0].milliseconds / 1000
    assert [rank.pages for rank in live.ranks] == [state.pages for state in states]
    assert [rank.errors for rank in live.ranks] == [sum(state.errors) for state in states]


def test_the_epoch_is_the_last_that_was_committed(tmp_path: Path) -> None:
    header = dict(HEADER)
    file = LiveFile(tmp_path, header)
    header["epochs"] = 4
    file.show([NOTHING])
    live = read_live(tmp_path)
    assert live is not None
    assert live.epoch == 4


@given(st.lists(st.floats(0, 3), min_size=1, max_size=40))
@settings(deadline=None, derandomize=True)
def test_it_is_written_at_once_at_most_once_a_second_and_at_the_end(steps: list[float]) -> None:
    written: list[float] = []

    class Noted(LiveFile):
        def _write(self, live: Live) -> None:
            written.append(live.seconds)

    file, now, times = Noted(Path(), HEADER), 0.0, []
    for number, step in enumerate(steps):
        now = round(now + step, 3)
        times.append(now)
        file.show(at(now, 1), is_last=number == len(steps) - 1)
    assert written[0] == times[0]
    assert written[-1] == times[-1]
    assert all(later - earlier >= 1.0 for earlier, later in pairwise(written[:-1]))
    assert all(any(0 <= time - shown < 1.0 for shown in written) for time in times)


def test_without_a_file_there_is_nothing_to_read(tmp_path: Path) -> None:
    assert read_live(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"ranks": [{}]}', '{"run": 1, "ranks": 2}', "null", '"\\u00'])
def test_what_is_no_live_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(ValueError, match=NAME):
        read_live(tmp_path)


def test_what_a_later_version_adds_does_no_harm(tmp_path: Path) -> None:
    LiveFile(tmp_path, HEADER).show([NOTHING])
    before = read_live(tmp_path)
    content = json.loads((tmp_path / NAME).read_text())
    content["new"] = content["ranks"][0]["new"] = 1
    (tmp_path / NAME).write_text(json.dumps(content))
    assert read_live(tmp_path) == before


def test_what_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / f".{NAME}.partial").symlink_to("/dev/full")
    with pytest.raises(OSError, match=NAME) as caught:
        LiveFile(tmp_path, HEADER).show([NOTHING])
    assert caught.value.filename == str(tmp_path / NAME)


def test_a_crawl_leaves_how_it_stood_last(crawls: Crawls) -> None:
    done = crawls({"http://a.example/": page("/x"), "http://a.example/x": page()})
    live = read_live(done.session.path)
    assert live is not None
    assert (live.run, len(live.ranks)) == (done.session.header["run"], 1)
    assert live.ranks[0].pages == done.report["fetched"] == 2
    assert live.ranks[0].bytes == done.report["bytes"]
    assert live.superstep == done.report["supersteps"]

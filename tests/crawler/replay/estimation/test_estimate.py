"""The estimate against a replay told rank by rank, page by page, link by link."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.parallel_modes import MODES
from crawler.replay.estimation.estimate import estimate
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from sessions.schema import REDIRECT
from tests.crawler.replay.support.courses import ownership_with, recording_with
from tests.crawler.replay.support.oracle import replayed, told
from tests.crawler.replay.support.webs import SETTINGS, ownerships, recordings


@settings(deadline=None, derandomize=True, max_examples=500)
@given(st.data(), recordings(), SETTINGS)
def test_the_course_is_that_of_the_replay(data: st.DataObject, recording: Recording, chosen: ReplaySettings) -> None:
    ownership = data.draw(ownerships(len(recording)))
    assert told(estimate(recording, ownership, chosen)) == replayed(recording, ownership, chosen)


def large_case(*, has_map: bool) -> tuple[Recording, Ownership]:
    """300 pages and 50 URLs without one, 3,000 links, five parts; two URLs in three have a number, if any."""
    rng = np.random.default_rng(5)
    pairs = np.unique(rng.integers(0, [300, 350], (3000, 2)), axis=0)
    order = rng.permutation(len(pairs))
    links = [(int(s), int(t), REDIRECT * (s % 10 == 0)) for s, t in pairs[order].tolist() if s != t]
    names = [f"http://s{number % 7}.example/{number * 7919 % 1000}/{number}" for number in range(350)]
    recording = recording_with([1] * 300, links, seeds=[0, 5, 7], others=50, names=names)
    owners = rng.integers(0, 5, 350).tolist()
    if not has_map:
        return recording, ownership_with(5, owners)
    is_known = rng.random(350) < 2 / 3
    numbers = np.where(is_known, rng.permutation(350), -1).tolist()
    with_finders = np.where(is_known, owners, -1).tolist()
    return recording, ownership_with(5, with_finders, owners, unknown=(~is_known).tolist(), numbers=numbers)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("has_map", [False, True])
def test_longer_messages_and_queues_are_those_of_the_replay(mode: str, has_map: bool) -> None:
    recording, ownership = large_case(has_map=has_map)
    for chosen in (
        ReplaySettings(20, mode),
        ReplaySettings(1000, mode, replicated=30),
        ReplaySettings(7, mode, max_pages=150),
    ):
        expected = replayed(recording, ownership, chosen)
        assert len(expected.fetches) > 80
        assert told(estimate(recording, ownership, chosen)) == expected


def test_progress_is_told() -> None:
    recording = recording_with([1] * 3, [(0, 1, 0), (1, 2, 0)], seeds=[0])
    said: list[tuple[int, int]] = []
    estimate(recording, ownership_with(1, [0, 0, 0]), ReplaySettings(2), lambda *counts: said.append(counts))
    assert said == [(0, 3), (2, 3), (3, 3)]


def test_there_is_no_more_to_fetch_than_is_asked_for_nor_more_done_than_all() -> None:
    recording = recording_with([1] * 3, [(0, 1, 0), (1, 2, 0)], seeds=[0])
    said: list[tuple[int, int]] = []
    estimate(
        recording, ownership_with(1, [0, 0, 0]), ReplaySettings(1, max_pages=2), lambda *counts: said.append(counts)
    )
    assert said[-1] == (2, 2)
    said.clear()
    recording = recording_with([1] * 2, [(0, 1, 0), (1, 0, 0)], seeds=[0, 1])
    finders = ownership_with(2, [FINDER, FINDER], [0, 1])
    course = estimate(recording, finders, ReplaySettings(5), lambda *counts: said.append(counts))
    assert len(course.fetches) == 4
    assert said == [(0, 2), (2, 2)]

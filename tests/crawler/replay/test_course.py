"""Who fetched what when, and what was sent."""

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.course import Messages, course_of, in_turn
from crawler.replay.recording import recording_of
from sessions.session import Session
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, write
from tests.sessions.support.builder import Crawl

FETCHES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20)


@settings(derandomize=True, deadline=None)
@given(FETCHES)
def test_ranks_take_turns_within_a_superstep(pairs: list[tuple[int, int]]) -> None:
    """Of each superstep what every rank fetched first, by rank, then what each fetched second, and so on."""
    turns: dict[tuple[int, int], int] = {}
    keys = []
    for page, (superstep, rank) in enumerate(pairs):
        turn = turns[superstep, rank] = turns.get((superstep, rank), -1) + 1
        keys.append((superstep, turn, rank, page))
    supersteps, ranks = np.array(pairs, np.int32).reshape(-1, 2).T
    found = in_turn(supersteps, ranks, np.arange(len(pairs)))
    assert len(found) == len(pairs)
    assert list(zip(found.superstep.tolist(), found.rank.tolist(), found.page.tolist(), strict=True)) == [
        (superstep, rank, page) for superstep, _, rank, page in sorted(keys)
    ]


def test_messages_add_up_by_pair() -> None:
    columns = np.array([(0, 0, 1, 5), (0, 2, 1, 3), (4, 0, 1, 2)]).T
    few, many = columns[:3].astype(np.int32), columns[3].astype(np.int64)
    messages = Messages(few[0], few[1], few[2], many, many, many, 10 * many)
    assert len(messages) == 3
    assert messages.by_pair(3, messages.urls).tolist() == [[0, 7, 0], [0, 0, 0], [0, 3, 0]]
    assert messages.by_pair(3, messages.wire_bytes).sum() == 100


def test_a_session_leaves_its_course(tmp_path: Path) -> None:
    pages = [Fetched(url, place, 0, 0, {}) for place, url in enumerate(URLS[:5])]
    recording = recording_of(write(tmp_path / "recorded", Drawn(False, [URLS[:8], []], [pages, []], [{}, {}])))
    crawl = Crawl(tmp_path / "replayed", store_bodies=False)
    first, second = crawl.ranks
    first.discover([URLS[0], URLS[3], URLS[6], URLS[8]])
    second.discover([URLS[1], URLS[2]])
    first.fetch(URLS[3], superstep=2)
    first.send(1, [URLS[1], URLS[2]])
    crawl.commit()
    second.fetch(URLS[2], superstep=1)
    second.fetch(URLS[1], superstep=2)
    second.send(0, [URLS[8]])
    first.send(1, [URLS[4]])
    first.fetch(URLS[8], superstep=2)  # the recording does not have it
    first.fetch(URLS[6], superstep=2)  # nor a page of it
    first.fetch(URLS[0], superstep=2)
    crawl.commit("max-pages")
    crawl.close()
    course = course_of(Session.open(tmp_path / "replayed"), recording)
    assert (course.ranks, course.supersteps, course.discovered.tolist()) == (2, 2, [4, 2])
    fetches = course.fetches
    assert list(zip(fetches.superstep.tolist(), fetches.rank.tolist(), fetches.page.tolist(), strict=True)) == [
        (1, 1, 2),
        (2, 0, 3),
        (2, 1, 1),
        (2, 0, 0),
    ]
    sent = course.messages
    assert list(zip(sent.superstep.tolist(), sent.sender.tolist(), sent.receiver.tolist(), strict=True)) == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 1),
    ]
    assert sent.urls.tolist() == [2, 1, 1]
    assert sent.wire_bytes.tolist() == [16, 8, 8]
    assert [column.dtype for column in (fetches.superstep, fetches.rank, fetches.page)] == [
        np.int32,
        np.int32,
        np.int64,
    ]


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(*(st.integers(0, most) for most in (2, 4, 4, 1 << 60))), max_size=8))
def test_sums_by_rank_are_those_of_the_pairs(rows: list[tuple[int, int, int, int]]) -> None:
    """To the last byte, though they are larger than a float can tell."""
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    few, many = columns[:3].astype(np.int32), columns[3] // 8
    messages = Messages(few[0], few[1], few[2], many, many, many, many)
    pairs = messages.by_pair(5, many)
    assert messages.by_sender(5, many).tolist() == pairs.sum(axis=1).tolist()
    assert messages.by_receiver(5, many).tolist() == pairs.sum(axis=0).tolist()
    assert messages.most_of_a_pair(many) == pairs.max()


def test_sums_for_the_most_ranks_need_no_matrix() -> None:
    few, many = np.array([0, 65534], np.int32), np.array([3, 4])
    messages = Messages(few, few, few[::-1].copy(), many, many, many, many)
    assert messages.by_sender(65535, many)[[0, 65534]].tolist() == [3, 4]
    assert messages.by_receiver(65535, many)[[0, 65534]].tolist() == [4, 3]
    assert messages.most_of_a_pair(many) == 4

"""The figures of one course, against their definitions in plain Python."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.course import Course, Fetches, Messages
from crawler.replay.foresight.figures import BY_NAME, FIGURES, crowded_place, figures_of, scale_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.measures import measures_of
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording, recording_of
from crawler.replay.settings import ReplaySettings
from tests.partition.quality.support.webs import SmallWeb, webs

NONE = np.empty(0, np.int64)
NO_MESSAGES = Messages(*(NONE.astype(np.int32),) * 3, *(NONE,) * 4)


def course_by(ranks: list[int], k: int) -> Course:
    """Page i is fetched by ``ranks[i]``, all at once."""
    fetches = Fetches(np.zeros(len(ranks), np.int32), np.array(ranks, np.int32), np.arange(len(ranks)))
    return Course(k, 1, fetches, NO_MESSAGES, np.zeros(k, np.int64))


def ownership(ranks: list[int], unknown: list[bool], urls: int, k: int, *, has_map: bool = True) -> Ownership:
    owners = np.array([*ranks, *[0] * (urls - len(ranks))], np.int32)
    is_unknown = np.array([*unknown, *[False] * (urls - len(unknown))], bool)
    numbers = np.where(is_unknown, -1, np.arange(urls)) if has_map else None
    return Ownership(k, "x", owners, owners, numbers, is_unknown)


def recorded(web: SmallWeb) -> Recording:
    with tempfile.TemporaryDirectory() as folder:
        return recording_of(web.session(Path(folder) / "web"))


@settings(deadline=None, derandomize=True, max_examples=30)
@given(webs(least_pages=1), st.integers(1, 4), st.data())
def test_why_the_fullest_rank_is_full(web: SmallWeb, k: int, data: st.DataObject) -> None:
    recording, count = recorded(web), len(web.sizes)
    ranks = data.draw(st.lists(st.integers(0, k - 1), min_size=count, max_size=count))
    unknown = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    course, own = course_by(ranks, k), ownership(ranks, unknown, len(recording), k)
    found = figures_of(recording, own, course, ReplaySettings(), importance_of(recording))
    assert found.keys() == BY_NAME.keys()
    measured = measures_of(recording, own, course)
    assert all(found[name] == getattr(measured, name) for name in found if hasattr(measured, name))
    loads = Counter(ranks)
    fullest = min(loads, key=lambda rank: (-loads[rank], rank))
    new = [is_new for rank, is_new in zip(ranks, unknown, strict=True) if rank == fullest]
    assert found["new_on_fullest"] == pytest.approx(sum(new) / len(new))
    known = Counter(rank for rank, is_new in zip(ranks, unknown, strict=True) if not is_new)
    expected = max(known.values()) * k / sum(known.values()) - 1 if known else 0
    assert found["known_requests_imbalance"] == pytest.approx(expected)


def test_a_hash_has_no_figures_of_the_map() -> None:
    recording = recorded(SmallWeb({"http://a.example/": 5, "http://a.example/x": 5}, (), ()))
    own = ownership([0, 1], [False, False], 2, 2, has_map=False)
    found = figures_of(recording, own, course_by([0, 1], 2), ReplaySettings(), importance_of(recording))
    assert BY_NAME.keys() - found.keys() == {"unknown_discovered", "known_requests_imbalance", "new_on_fullest"}


def test_without_times_there_is_no_figure_of_time() -> None:
    recording = recorded(SmallWeb({"http://a.example/": 5}, (), ()))
    vars(recording)["milliseconds"] = np.zeros(1)
    own = ownership([0], [False], 1, 1)
    found = figures_of(recording, own, course_by([0], 1), ReplaySettings(), importance_of(recording))
    assert BY_NAME.keys() - found.keys() == {"time_imbalance"}


@pytest.mark.parametrize(
    ("pages", "place"),
    [
        (["http://a.example/x/1", "http://a.example/x/2", "http://a.example/y"], "a.example/x/"),
        (["http://a.example/x/y/1", "http://a.example/x/y/2?q=/", "https://a.example/x/z"], "a.example/x/y/"),
        (["http://a.example/1", "http://b.example/x/1", "http://b.example/x/2", "http://c.example/"], "b.example/"),
        (["http://a.example/x/1", "http://a.example/y/1"], "a.example/"),
        (["http://a.example/?x=/y/z"], "a.example/"),
    ],
)
def test_where_new_pages_crowd(pages: list[str], place: str) -> None:
    known = [f"http://old.example/{number}" for number in range(3)]
    recording = recorded(SmallWeb(dict.fromkeys([*known, *pages], 1), (), ()))
    ranks = [1] * (len(known) + len(pages))
    own = ownership(ranks, [False] * len(known) + [True] * len(pages), len(recording), 2)
    assert crowded_place(recording, own, course_by(ranks, 2)) == place
    nothing_new = ownership(ranks, [False] * len(ranks), len(recording), 2)
    assert crowded_place(recording, nothing_new, course_by(ranks, 2)) is None


def test_numbers_are_shown_with_as_many_decimals_as_help() -> None:
    assert scale_of(BY_NAME["overlap"], [0.01, 0.5]).text(0.0123) == "1.2"
    assert scale_of(BY_NAME["overlap"], [0.01, 50.0]).text(12.3456) == "1,235"
    assert scale_of(BY_NAME["wire_bytes_per_page"], [1.234, 99.0]).text(1.234) == "1.23"
    assert scale_of(BY_NAME["wire_bytes_per_page"], [1.234, 100.0]).text(1.234) == "1.2"
    assert scale_of(BY_NAME["empty_parts"], [0, 3]).text(3) == "3"


def test_every_figure_is_defined() -> None:
    assert len(BY_NAME) == len(FIGURES)
    assert all(figure.title and figure.meaning.endswith(".") for figure in FIGURES)

"""The crash test's verdict: every page lost, doubled or changed is told."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.crash.verdict import Found, settled, verdict
from tests.sessions.support.builder import HOME, Crawl

WHOLE = Found(
    pages=Counter([("a", 200), ("b", 404)]),
    urls=Counter([(1, "a"), (2, "b"), (3, "c")]),
    links=Counter([(1, 2, 0), (1, 3, 0)]),
    outcomes=Counter([(3, "filtered", "robots")]),
    bodies=Counter([b"one"]),
    queued=Counter(),
    ended=Counter(["complete"]),
)


def test_what_is_left_in_the_queue_and_another_end_are_faults() -> None:
    found = replace(WHOLE, queued=Counter([(3, None)]), ended=Counter(["signal"]))
    assert found.faults(WHOLE) == [
        "1 queued too many: (3, None)",
        "1 ended missing: complete",
        "1 ended too many: signal",
    ]


def test_what_is_the_same_has_no_faults() -> None:
    assert WHOLE.faults(WHOLE) == []


@pytest.mark.parametrize("name", ["pages", "urls", "links", "outcomes", "bodies"])
def test_what_is_lost_and_what_is_too_much_is_told(name: str) -> None:
    rows: Counter[Hashable] = getattr(WHOLE, name)
    one = next(iter(rows))
    lacking = replace(WHOLE, **{name: rows - Counter([one])})
    assert lacking.faults(WHOLE) == [f"1 {name} missing: {one}"]
    assert WHOLE.faults(lacking) == [f"1 {name} too many: {one}"]
    assert lacking.faults(WHOLE, has_overlap=True) == [f"1 {name} missing: {one}"]


def test_what_comes_twice_is_told_where_ranks_do_not_overlap() -> None:
    twice = replace(WHOLE, pages=WHOLE.pages + Counter([("a", 200)]))
    assert twice.faults(WHOLE) == ["1 pages twice: ('a', 200)", "1 pages too many: ('a', 200)"]
    assert twice.faults(WHOLE, has_overlap=True) == []


def test_of_a_limited_crawl_only_what_is_too_much_is_told() -> None:
    lacking = replace(WHOLE, pages=Counter([("a", 200)]), outcomes=Counter([(2, "filtered", "depth")]))
    assert lacking.faults(WHOLE, is_limited=True) == []
    twice = replace(lacking, pages=Counter([("a", 200), ("a", 200), ("d", 200)]))
    told = ["1 pages twice: ('a', 200)", "2 pages too many: ('a', 200), ('d', 200)"]
    assert twice.faults(WHOLE, is_limited=True) == told


def test_a_session_that_has_not_ended_is_no_good(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1)
    crawl.ranks[0].discover([HOME])
    crawl.ranks[0].fetch(HOME, b"home")
    crawl.commit()
    assert settled(tmp_path / "session") == {HOME}
    for is_limited in (False, True):
        told = verdict(tmp_path / "session", WHOLE, is_limited=is_limited)
        assert "1 ended missing: complete" in told


def test_what_is_no_session_is_no_good(tmp_path: Path) -> None:
    assert settled(tmp_path) == set()
    assert "session.json" in verdict(tmp_path, WHOLE)[0]

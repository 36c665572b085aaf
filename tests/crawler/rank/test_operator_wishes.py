"""What an operator wants, as the ranks hear it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crawler.launch.operator_wish import NAME, Wish, ask
from crawler.rank.operator_wishes import OperatorWishes
from sessions.writing.commit import claim


@pytest.fixture
def session(tmp_path: Path) -> Path:
    claim(tmp_path / "session", run="run", ranks=2, assignment="page-hash", configuration={})
    return tmp_path / "session"


def states(*in_flight: int) -> list[Any]:
    return [SimpleNamespace(in_flight=count) for count in in_flight]


def test_a_wish_is_news_once(session: Path) -> None:
    stopped: list[int] = []
    first, other = (OperatorWishes(session, "run", lambda: stopped.append(1)) for _ in range(2))
    with first.read(is_first=True), other.read(is_first=False):
        assert first.news() is None
        for wish in (Wish.PAUSE, Wish.GO_ON, Wish.STOP):
            ask(session, wish)
            news = first.news()
            assert news is not None
            for wishes in (first, other):
                wishes.hear(news)
                assert wishes.is_pausing == (wish is Wish.PAUSE)
            assert first.news() is None
        assert stopped == [1, 1]
    assert not (session / NAME).exists()


def test_it_is_quiet_when_no_rank_has_a_transfer_under_way(session: Path) -> None:
    wishes = OperatorWishes(session, "run", lambda: None)
    wishes.look_at(states(0, 0))
    assert not wishes.is_quiet
    wishes.hear(b"pause")
    wishes.look_at(states(0, 3))
    assert not wishes.is_quiet
    wishes.look_at(states(0, 0))
    assert wishes.is_quiet
    wishes.hear(b"go on")
    assert not wishes.is_quiet

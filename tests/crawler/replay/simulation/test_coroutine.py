"""Work that pauses in the middle of its calls."""

import pytest

from crawler.replay.simulation.coroutine import Coroutine


def test_work_goes_on_where_it_paused() -> None:
    done: list[str] = []

    def deep(word: str) -> None:
        done.append(word)
        coroutine.leave()

    def work() -> None:
        for word in ("a", "b"):
            deep(word)
        done.append("end")

    coroutine = Coroutine(work)
    assert done == []
    for expected in (["a"], ["a", "b"], ["a", "b", "end"]):
        coroutine.go_on()
        assert done == expected


def test_errors_come_out_where_the_work_was_let_go_on() -> None:
    def work() -> None:
        coroutine.leave()
        raise ValueError("broken")

    coroutine = Coroutine(work)
    coroutine.go_on()
    with pytest.raises(ValueError, match="broken"):
        coroutine.go_on()

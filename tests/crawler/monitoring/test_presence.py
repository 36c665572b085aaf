"""Ranks that give signs of life and name those that do not, in a time of their own."""

from pathlib import Path

import pytest

from crawler.monitoring import presence
from crawler.monitoring.presence import Presence, patience_with, seconds_between_signs
from crawler.monitoring.signs_of_life import begin_signs, read_sign
from crawler.process.attendance import Attendance

RANKS = 3
SUPERSTEP = 0.5


class Company:
    """Some ranks of a session; each second of their time those that live give a sign and look after the others."""

    def __init__(self, session: Path) -> None:
        self.now = 0.0
        self.told: list[str] = []
        self.attendances = [Attendance() for _ in range(RANKS)]
        begin_signs(session, "run")
        self.presences = [
            Presence(
                session,
                "run",
                rank,
                RANKS,
                SUPERSTEP,
                self.attendances[rank],
                lambda words, rank=rank: self.told.append(f"{rank}: {words}"),  # type: ignore[misc]
            )
            for rank in range(RANKS)
        ]

    def go_on(self, seconds: int, living: set[int]) -> None:
        for _ in range(seconds):
            self.now += 1.0
            for rank in living:
                self.presences[rank].beat()
            for rank in living:
                self.presences[rank].listen(self.now)

    def wait(self, *ranks: int) -> None:
        for rank in ranks:
            self.attendances[rank].meetings += 1
            self.attendances[rank].waits_since = self.now
            self.attendances[rank].is_blocked = True

    def meet(self) -> None:
        for attendance in self.attendances:
            attendance.waits_since = None
            attendance.is_blocked = False


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Company:
    monkeypatch.setattr(presence.os, "uname", lambda: type("", (), {"nodename": "node"}))
    return Company(tmp_path)


def test_the_first_rank_that_lives_tells_of_the_silent_and_of_their_return(company: Company) -> None:
    company.go_on(3, {0, 1, 2})
    company.wait(1, 2)
    company.go_on(20, {1, 2})
    told = company.told
    assert told[0] == "1: rank 0 on node has given no sign of life for 0:00:05; others wait for it"
    assert [line[:14] for line in told] == ["1: rank 0 on n"] * 2, (
        "told again when it is twice as long ago, by one rank"
    )
    assert [silence.rank for silence in company.presences[1].silences] == [0]
    assert company.presences[2].silences == []
    assert company.presences[2].missed == pytest.approx(company.presences[1].missed, abs=1.5)
    company.go_on(1, {0, 1, 2})
    assert told[-1] == "1: rank 0 on node is back"
    assert company.presences[1].missed == 0.0
    company.meet()
    company.go_on(1, {0, 1, 2})
    assert company.presences[2].missed == 0.0


def test_a_rank_that_lives_and_does_not_move_on_is_told_of_by_its_stage(company: Company) -> None:
    company.attendances[2].follow(lambda: ("parse", 1.0))
    company.go_on(2, {0, 1, 2})
    company.wait(0, 1)
    company.go_on(8, {0, 1, 2})
    assert company.told == ["0: rank 2 on node lives, but has not moved on for 0:00:05 (at: parse); others wait for it"]


def test_ranks_that_all_wait_name_their_hosts_and_nobody(company: Company) -> None:
    company.wait(0, 1)
    company.go_on(4, {0, 1, 2})
    company.wait(2)
    company.go_on(20, {0, 1, 2})
    words = "0: all ranks live and wait for each other for 0:00:05: look at the network of node"
    assert company.told[0] == words
    assert len(company.told) == 2, "told again when it is twice as long ago, by one rank"
    assert company.presences[0].silences == []
    assert company.presences[0].standstill is not None
    assert company.presences[2].missed == pytest.approx(company.presences[0].missed, abs=1.5)
    company.meet()
    company.go_on(1, {0, 1, 2})
    assert company.presences[0].standstill is None
    assert company.presences[0].missed == 0.0


def test_a_rank_that_works_for_long_is_not_silent(company: Company) -> None:
    company.wait(0, 1)
    for _ in range(30):
        company.attendances[2].move()
        company.go_on(1, {0, 1, 2})
    assert company.told == []


def test_while_nobody_is_waited_for_nobody_looks(company: Company) -> None:
    company.go_on(30, {0})
    assert company.told == []


def test_ranks_that_meet_are_told_to_be_back(company: Company) -> None:
    company.wait(0, 1)
    company.go_on(10, {0, 1})
    company.meet()
    company.go_on(1, {0, 1, 2})
    assert [line.split()[-2:] for line in company.told] == [["for", "it"], ["is", "back"]]


def test_a_folder_takes_some_writes_a_second_however_many_ranks_there_are() -> None:
    assert [seconds_between_signs(ranks, 1.0) for ranks in (2, 50, 256, 1024)] == [1.0, 1.0, 5.12, 20.48]
    assert seconds_between_signs(2, 0.1) == 0.1
    assert patience_with(2, 1.0) == 10.0
    assert patience_with(256, 1.0) == pytest.approx(25.6)


def test_a_rank_that_is_alone_gives_no_signs(tmp_path: Path) -> None:
    with Presence(tmp_path, "run", 0, 1, 0.01, Attendance(), lambda words: None).given():
        pass
    assert list(tmp_path.iterdir()) == []


def test_signs_are_given_until_the_end(tmp_path: Path) -> None:
    with Presence(tmp_path, "run", 0, 2, 0.01, Attendance(), lambda words: None).given():
        while read_sign(tmp_path, "run", 0) is None:
            pass
    assert list(tmp_path.iterdir()) == []

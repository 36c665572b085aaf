"""Supersteps in virtual time."""

from crawler.replay.virtualtime.windows import WindowPacing


class Time:
    """A common time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.ends: list[float] = []
        self.idle: list[bool] = []
        self.all_idle = False

    @property
    def is_over(self) -> bool:
        return self.all_idle or self.now >= self.ends[-1]

    def open_window(self, end: float) -> None:
        self.ends.append(end)

    def say_idle(self, is_idle: bool) -> None:
        self.idle.append(is_idle)

    def advance(self, event: float) -> None:
        self.now = event


def test_windows_grow_with_the_replay_up_to_their_length() -> None:
    time = Time()
    pacing = WindowPacing(time, 2.0)
    lengths = []
    while time.now < 60.0:
        pacing.begin()
        lengths.append(round(time.ends[-1] - time.now, 6))
        time.now = time.ends[-1]
        assert pacing.is_over(False)
    assert lengths[0] == 0.05
    assert lengths == sorted(lengths)
    assert lengths[-1] == 2.0


def test_a_window_is_over_at_its_end_and_not_before() -> None:
    time = Time()
    pacing = WindowPacing(time, 2.0)
    pacing.begin()
    assert not pacing.is_over(False)
    time.now = 0.049
    assert not pacing.is_over(True), "the others may have something to do"
    time.now = 0.05
    assert pacing.is_over(False)
    assert time.idle == [False, True, False]


def test_a_window_is_over_when_no_rank_has_anything_to_do() -> None:
    time = Time()
    pacing = WindowPacing(time, 2.0)
    pacing.begin()
    time.all_idle = True
    assert pacing.is_over(True)


def test_nobody_waits_for_the_past() -> None:
    pacing = WindowPacing(Time(), 2.0)
    pacing.begin()
    assert [pacing.at_most(0.04, until) for until in (0.02, 9.0)] == [0.04, 9.0]

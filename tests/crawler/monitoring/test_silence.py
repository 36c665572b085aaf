"""Which ranks are silent, by their signs of life."""

from hypothesis import given
from hypothesis import strategies as st

from crawler.monitoring.signs_of_life import Sign
from crawler.monitoring.silence import Listener, Standstill

PATIENCE = 5.0
HERE = Sign("node1")


def heard(*signs: Sign | None) -> Listener:
    """What a listener knows that has heard a rank's signs, one a second."""
    listener = Listener(PATIENCE)
    for second, sign in enumerate(signs):
        listener.hear(3, sign, float(second))
    return listener


def test_a_rank_whose_signs_do_not_come_is_silent() -> None:
    listener = heard(HERE._replace(beat=1), HERE._replace(beat=2, moves=1, stage="fetch"), None)
    assert listener.silence_of(3, 5.9) is None
    silence = listener.silence_of(3, 6.0)
    assert silence is not None
    assert silence.words == "rank 3 on node1 has given no sign of life for 0:00:05"
    assert listener.silences(7.0) == [silence._replace(seconds=6.0)]
    assert listener.silence_of(2, 7.0) is None
    listener.forget()
    assert listener.silences(7.0) == []


def test_a_rank_whose_loop_does_not_move_on_is_silent_though_it_lives() -> None:
    listener = heard(*(HERE._replace(beat=beat, moves=7, stage="record") for beat in range(10)))
    silence = listener.silence_of(3, 9.5)
    assert silence is not None
    assert silence.words == "rank 3 on node1 lives, but has not moved on for 0:00:09 (at: record)"


def test_one_that_waits_itself_is_not_silent() -> None:
    assert heard(*(HERE._replace(beat=beat, waits=True) for beat in range(10))).silences(9.5) == []


def test_ranks_that_all_wait_for_each_other_stand_still() -> None:
    waiting = [Sign("node1", meetings=7, has_come=True), Sign("node2", meetings=8, has_come=True)]
    listener = Listener(PATIENCE)
    for second in range(8):
        for rank, sign in enumerate(waiting):
            comes_late = rank == 1 and second < 2
            listener.hear(rank, sign._replace(beat=second, moves=second, has_come=not comes_late), float(second))
    assert listener.standstill(6.9) is None
    still = listener.standstill(7.0)
    assert still == Standstill(("node1", "node2"), 5.0)
    assert still is not None
    assert still.words == "all ranks live and wait for each other for 0:00:05: look at the network of node1, node2"
    assert listener.standstill(13.0) is None, "they give no signs any more: they are silent"
    listener.hear(0, waiting[0]._replace(beat=9, meetings=9), 7.5)
    assert listener.standstill(8.0) is None
    many = Standstill(tuple(f"node{number}" for number in range(10)), 1.0)
    assert many.words.endswith("node6, node7 and 2 more")


def test_one_that_never_gave_a_sign_is_silent() -> None:
    silence = heard(*[None] * 9).silence_of(3, 8.0)
    assert silence is not None
    assert silence.words == "rank 3 on an unknown host has given no sign of life for 0:00:08"


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans())))
def test_silence_is_the_time_since_the_last_sign(steps: list[tuple[bool, bool, bool]]) -> None:
    """Each second a sign comes or not; if it does, its rank has moved on or not, and waits or not."""
    listener, sign, beat_at, moved_at, now = Listener(PATIENCE), HERE, 0, 0, 0
    listener.hear(0, sign, 0.0)
    for comes, moves, waits in steps:
        now += 1
        if comes:
            moves |= now - beat_at >= PATIENCE
            sign = sign._replace(beat=sign.beat + 1, moves=sign.moves + moves, waits=waits)
            beat_at = now
            moved_at = now if moves or waits else moved_at
        listener.hear(0, sign, float(now))
    silence = listener.silence_of(0, float(now))
    expected = now - (moved_at if now - beat_at < PATIENCE else beat_at)
    assert (silence.seconds if silence is not None else None) == (expected if expected >= PATIENCE else None)

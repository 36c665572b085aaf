"""The crash test's plans: the same for the same seed, all kinds of blows among ten runs, the last attempt spared."""

import pytest

from scripts.crash.plans import CUT_OFF, KILLS, MOST_RANKS, SIGNALS, STEP, draw, name_of

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_are_hit_until_the_last_attempt(seed: int) -> None:
    for run in (draw(seed, number, 300) for number in range(10)):
        assert run == draw(seed, run.number, 300)
        *hit, last = run.attempts
        assert hit
        assert last.blow is None
        for attempt in hit:
            assert attempt.blow is not None
            assert 0 <= attempt.blow.rank < attempt.ranks <= MOST_RANKS
            assert (attempt.blow.thaw is not None) == (attempt.blow.kind == CUT_OFF)


@pytest.mark.parametrize("seed", SEEDS)
def test_ten_runs_show_each_kind_of_blow(seed: int) -> None:
    runs = [draw(seed, number, 300) for number in range(10)]
    kinds = {attempt.blow.kind for run in runs for attempt in run.attempts if attempt.blow}
    assert kinds >= {*KILLS, STEP, CUT_OFF} - {"mpiexec"}
    assert kinds & set(SIGNALS)


def test_many_runs_show_every_variety() -> None:
    runs = [draw(1, number, 300) for number in range(200)]
    first = [run.attempts[0] for run in runs]
    assert {attempt.assignment for attempt in first} == {"page-hash", "site-hash", "partition"}
    assert {attempt.ranks for attempt in first} == set(range(1, MOST_RANKS + 1))
    assert {name_of(attempt.options) for attempt in first} >= {"hasty", "polite", "hasty, budget, tiny memories"}
    assert {len(run.attempts) for run in runs} == {2, 3, 4}
    assert {run.limits for run in runs} == {(), ("--max-depth", "3")}
    assert {run.has_overlap for run in runs} == {True, False}
    assert any(len({attempt.ranks for attempt in run.attempts}) > 1 for run in runs)
    assert {attempt.blow.kind for run in runs for attempt in run.attempts if attempt.blow} == {
        *KILLS,
        *SIGNALS,
        STEP,
        CUT_OFF,
    }

"""A higher effort tries no less of anything, and what is cheap is tried more often."""

from dataclasses import replace

import pytest

from partition.cut.effort import EFFORTS, Effort


def test_efforts_are_in_order() -> None:
    for lower, higher in (("low", "normal"), ("normal", "high")):
        one, other = EFFORTS[lower], EFFORTS[higher]
        for tried in ("descents", "seeds", "further", "rounds", "cycles", "kahypars"):
            assert getattr(one, tried) <= getattr(other, tried)
        assert other.cores[: len(one.cores)] == one.cores, "the same first, so that they have the same seeds"


@pytest.mark.parametrize("effort", EFFORTS.values(), ids=EFFORTS)
def test_few_pins_get_more_rounds_and_starts(effort: Effort) -> None:
    assert effort.for_pins(1 << 21) == effort
    few = effort.for_pins(1000)
    more = {"further": 3 * effort.further, "rounds": 2 * effort.rounds, "kahypars": 2 * effort.kahypars}
    assert few == replace(effort, **more)


@pytest.mark.parametrize("effort", EFFORTS.values(), ids=EFFORTS)
def test_nothing_is_made_from_scratch_where_nearly_every_group_is_a_page(effort: Effort) -> None:
    assert effort.after(0.5) == effort
    after = effort.after(0.99)
    assert (after.descents, after.cores) == (0, ())
    assert after.rounds == min(1, effort.rounds)

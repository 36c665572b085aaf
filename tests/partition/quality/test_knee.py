"""The knee: the farthest from the chord by definition, the same in any unit, and none where nothing bends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.quality.knee import Knee, MigrationPoint, knee_of

WHOLE = st.integers(0, 40)
PLACES = st.lists(st.tuples(WHOLE, WHOLE), min_size=1, max_size=8).map(
    lambda pairs: [
        MigrationPoint(float(cost), float(moved), float(volume)) for cost, (moved, volume) in enumerate(pairs)
    ]
)


def beats(one: MigrationPoint, other: MigrationPoint) -> bool:
    no_worse = one.moved <= other.moved and one.volume <= other.volume
    return no_worse and (one.moved, one.volume) != (other.moved, other.volume)


def distance_by_definition(place: MigrationPoint, start: MigrationPoint, end: MigrationPoint) -> float:
    """From the line through the ends of the scaled curve, by the cross product; positive on the side of the origin."""
    scale = np.array([end.moved - start.moved, start.volume - end.volume])
    origin = np.array([start.moved, end.volume])
    point, a, b = (((np.array([one.moved, one.volume]) - origin) / scale) for one in (place, start, end))
    along, to = b - a, point - a
    return float((along[1] * to[0] - along[0] * to[1]) / np.hypot(*along))


@given(PLACES)
def test_as_by_definition(places: list[MigrationPoint]) -> None:
    knee = knee_of(places)
    front = [place for place in places if not any(beats(other, place) for other in places)]
    ends = {(place.moved, place.volume) for place in front}
    if knee is not None:
        assert knee.place in front
        assert knee.free == places[0]
    if len(ends) == 1:
        assert (knee is None) == (len(places) == 1)
        return
    start = min(front, key=lambda place: place.moved)
    end = max(front, key=lambda place: place.moved)
    farthest = max(distance_by_definition(place, start, end) for place in front)
    assert (knee is None) == (farthest <= 1e-9)
    if knee is not None:
        assert distance_by_definition(knee.place, start, end) == pytest.approx(farthest)


@given(PLACES, st.sampled_from([0.25, 8.0]), st.sampled_from([0.5, 1024.0]))
def test_units_do_not_matter(places: list[MigrationPoint], moved: float, volume: float) -> None:
    scaled = [MigrationPoint(place.cost, moved * place.moved, volume * place.volume) for place in places]
    knee, other = knee_of(places), knee_of(scaled)
    assert (knee and knee.place.cost) == (other and other.place.cost)


def test_what_it_says() -> None:
    curve = [
        MigrationPoint(0, 0.5, 100),
        MigrationPoint(0.001, 0.3, 101),
        MigrationPoint(0.01, 0.05, 110),
        MigrationPoint(1, 0.01, 200),
    ]
    knee = knee_of(curve)
    assert knee == Knee(curve[2], curve[0])
    assert knee.dearer == pytest.approx(0.1)


def test_curves_without_a_knee() -> None:
    assert knee_of([]) is None
    assert knee_of([MigrationPoint(0, 0.5, 100)]) is None
    assert knee_of([MigrationPoint(0, 0.5, 100), MigrationPoint(1, 0.1, 120)]) is None
    assert knee_of([MigrationPoint(0, 0.5, 100), MigrationPoint(0.1, 0.4, 190), MigrationPoint(1, 0.0, 200)]) is None


def test_a_cost_that_is_best_in_both_is_the_knee() -> None:
    best = MigrationPoint(0.1, 0.1, 90)
    assert knee_of([MigrationPoint(0, 0.5, 100), best, MigrationPoint(1, 0.2, 95)]) == Knee(
        best, MigrationPoint(0, 0.5, 100)
    )
    assert Knee(MigrationPoint(1, 0, 0), MigrationPoint(0, 1, 0)).dearer == 0
    assert Knee(MigrationPoint(1, 0, 5), MigrationPoint(0, 1, 0)).dearer == float("inf")

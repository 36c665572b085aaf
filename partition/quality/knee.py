"""The knee of a curve of moved bytes against volume: where less of the one begins to cost much of the other.

The point that is farthest from the straight line between the curve's ends, once both axes are scaled to go from 0 to 1
(Kneedle: Satopaa et al., "Finding a 'Kneedle' in a Haystack", ICDCS Workshops 2011, section III, without its smoothing:
each point here is a whole cut, and there are few).  Both axes are linear, for both are bytes on a wire.
"""

from collections.abc import Sequence
from typing import NamedTuple

from partition.report.scales import percent


class MigrationPoint(NamedTuple):
    """A point of the curve: the migration cost, the share of bytes that move, and the volume."""

    cost: float
    moved: float
    volume: float


class Knee(NamedTuple):
    """The knee, and the point without a cost (of those there are the least) that it is compared with."""

    place: MigrationPoint
    free: MigrationPoint

    @property
    def dearer(self) -> float:
        """How much more volume the knee has, relative to the other; negative if it has less."""
        if not self.free.volume:
            return 0.0 if not self.place.volume else float("inf")
        return self.place.volume / self.free.volume - 1

    @property
    def in_words(self) -> str:
        """What the knee says, as the rest of a sentence."""
        more = f"{percent(self.dearer)} more volume" if self.dearer > 0 else "no more volume"
        return (
            f"moving {percent(self.place.moved)} instead of {percent(self.free.moved)} of the bytes that have an owner "
            f"costs {more}: --migration-cost {self.place.cost:g}"
        )


def knee_of(places: Sequence[MigrationPoint]) -> Knee | None:
    """The knee of the points that no other beats in both moves and volume; None if the curve has none.

    A point that beats all others is the knee.  Two points, or a curve that bends the other way, have none.
    """
    if not places:
        return None
    free = min(places, key=lambda place: place.cost)
    front = _front(places)
    if len(front) == 1:
        return Knee(front[0], free) if len(places) > 1 else None
    least, most = front[0], front[-1]

    def distance(place: MigrationPoint) -> float:
        across = (place.moved - least.moved) / (most.moved - least.moved)
        up = (place.volume - most.volume) / (least.volume - most.volume)
        return 1 - across - up

    best = max(front[1:-1], key=distance, default=None)
    return Knee(best, free) if best is not None and distance(best) > 0 else None


def _front(places: Sequence[MigrationPoint]) -> list[MigrationPoint]:
    """The points that are not beaten, those first that move least; of equal ones the one with the least cost."""
    front: list[MigrationPoint] = []
    for place in sorted(places, key=lambda place: (place.moved, place.volume, place.cost)):
        if not front or place.volume < front[-1].volume:
            front.append(place)
    return front

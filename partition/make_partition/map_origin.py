"""Where a map comes from, for its manifest: the session, what was asked, and how good the cut is."""

from typing import Any

from partition.choices import WEIGHTS
from partition.map.manifest import Origin
from partition.map.partition_map import PartitionMap
from partition.measures.measures import Measures
from partition.measures.moves import Moves
from partition.measures.summed_measures import SummedMeasures
from partition.models.partition_pages import Partition
from partition.models.settings import Settings
from sessions.session import Session


def map_origin(
    session: Session,
    partition: Partition,
    found: Measures | SummedMeasures,
    settings: Settings,
    *,
    has_urls: bool,
    seconds: float,
    further: dict[str, Any] | None = None,
) -> Origin:
    """Return where the map of a ``partition`` comes from, which took ``seconds`` to find and measure.

    ``further`` are entries of its settings beside those that every map has.
    """
    traffic = found.pages
    in_bytes = {"sent_bytes": traffic.sent_bytes, "cut_bytes": traffic.cut_bytes} if has_urls else {}
    return Origin(
        model=partition.model,
        session=str(session.path.resolve()),
        run=session.header.get("run"),
        objective=settings.objective,
        weights=tuple(WEIGHTS.load(name).unit for name in settings.balance),
        volumes={**in_bytes, "sent_links": traffic.sent_links, "cut_links": traffic.cut_links},
        imbalances={WEIGHTS.load(name).unit: imbalance for name, imbalance in found.imbalances.items()},
        settings={
            **partition.settings,
            "shares": None if settings.shares is None else list(settings.shares),
            "shares_are_measured": settings.shares_are_measured,
            "is_balanced": partition.is_balanced,
            "seconds": round(seconds, 3),
            **(further or {}),
        },
        seed=settings.seed,
    )


def cut_settings(settings: Settings, vertices: int, won: str) -> dict[str, Any]:
    """Return what was asked of a cut of so many ``vertices``, and what found the best one."""
    asked = {"objective": settings.objective, "tolerance": settings.tolerance, "balance": settings.tolerances}
    return asked | {"effort": settings.effort, "vertices": vertices, "won": won}


def previous_settings(previous: PartitionMap, moved: Moves, settings: Settings) -> dict[str, Any]:
    """Return what a manifest tells of the map before, and of what its owners lose."""
    return {
        "previous": str(previous.folder.resolve()),
        "previous_parts": previous.parts,
        "migration_cost": settings.migration_cost,
        "previous_pages": moved.pages,
        "previous_bytes": moved.bytes,
        "moved_pages": moved.moved_pages,
        "moved_bytes": moved.moved_bytes,
    }

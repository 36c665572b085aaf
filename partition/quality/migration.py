"""Moved bytes against volume: what a partition with a memory of the previous map gives for each migration cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partition.choices import WEIGHTS
from partition.graphs.link_graph import LinkGraph
from partition.map.partition_map import PartitionMap
from partition.measures.measures import measures
from partition.models.previous_owners import previous_owners
from partition.quality.figures import imbalance_of, imbalances_told
from partition.quality.knee import Knee, MigrationPoint, knee_of
from partition.quality.request import QualityRequest
from partition.quality.trial import Outcome
from partition.report.csv_table import Cell, as_csv
from partition.report.results import Value

_FIGURES = ("moved_pages", "moved_bytes", "sent_bytes", "sent_links", "volume_bytes", "volume_links")
_BALANCE = tuple(map(imbalance_of, WEIGHTS))
_KINDS = {"sent": "sent", "links": "volume"}
_SLACK = 1e-9


@dataclass(frozen=True)
class MigrationCurve:
    """The trials of a request's migration costs.

    Attributes:
        previous: the name of the previous map's folder; its K is that of the trials.
        k: that K.
        known_pages, known_bytes: pages of the session that the previous map holds, and their bytes.
        kept: figures of the previous map left as it is, new pages being owned by its rule for unknown URLs.
        points: what came of each trial, by model, then cost.
        volume: the name of the figure that the cuts make small together with the moves.
        tolerances: by the name of a figure the imbalance beyond which a point does not count.
    """

    previous: str
    k: int
    known_pages: int
    known_bytes: int
    kept: dict[str, Value]
    points: Sequence[Outcome]
    volume: str
    tolerances: Mapping[str, float]

    @property
    def models(self) -> list[str]:
        """The models that have points, in order."""
        return list(dict.fromkeys(point.trial.model for point in self.points if point.reason is None))

    @property
    def costs(self) -> list[float]:
        """The migration costs, ascending."""
        return sorted({point.trial.migration_cost or 0.0 for point in self.points})

    def point(self, model: str, cost: float) -> Outcome | None:
        """What came of a model at a cost, None if there is no partition."""
        wanted = (model, cost)
        found = (point for point in self.points if (point.trial.model, point.trial.migration_cost) == wanted)
        return next((point for point in found if point.reason is None), None)

    def knee(self, model: str) -> Knee | None:
        """Where the model's curve has its knee, of the points that keep the balance; None if it has none."""
        found = [(cost, point) for cost in self.costs if (point := self.point(model, cost)) is not None]
        return knee_of(
            [
                MigrationPoint(cost, float(point.figures["moved_bytes"]), float(point.figures[self.volume]))
                for cost, point in found
                if not self.is_beyond(point.figures)
            ]
        )

    def is_beyond(self, figures: dict[str, Value]) -> bool:
        """Is the balance not kept?"""
        return any(figures[name] > most + _SLACK for name, most in self.tolerances.items())

    def as_dict(self) -> dict[str, Any]:
        """The curve in report.json."""
        knees = {model: knee for model in self.models if (knee := self.knee(model)) is not None}
        return {
            "previous": self.previous,
            "k": self.k,
            "known_pages": self.known_pages,
            "known_bytes": self.known_bytes,
            "as_it_is": self.kept,
            "knees": {
                model: {
                    "migration_cost": knee.place.cost,
                    "moved_bytes": knee.place.moved,
                    self.volume: knee.place.volume,
                }
                for model, knee in knees.items()
            },
            "points": [
                {
                    "model": point.trial.model,
                    "migration_cost": point.trial.migration_cost,
                    "seed": point.trial.seed,
                    "figures": point.figures,
                    "settings": point.settings,
                    "reason": point.reason,
                }
                for point in self.points
            ],
        }

    def as_csv(self) -> str:
        """A row for each point; first the previous map as it is, without a model and a cost."""
        names = [name for name in (*_BALANCE, *_FIGURES) if name in self.kept]
        rows: list[list[Cell]] = [["", self.k, None, *(self.kept[name] for name in names), None]]
        rows += [
            [
                point.trial.model,
                point.trial.k,
                point.trial.migration_cost,
                *(point.figures.get(name) for name in names),
                point.reason,
            ]
            for point in self.points
        ]
        return as_csv(["model", "k", "migration_cost", *names, "left_out"], rows)


def migration_curve(
    graph: LinkGraph, table: PartitionMap, request: QualityRequest, points: Sequence[Outcome]
) -> MigrationCurve:
    """The curve of these points, beside the previous map as it is."""
    previous = previous_owners(table, graph)
    found = measures(graph, previous.carried, table.parts, None, shares=request.settings.shares)
    kept: dict[str, Value] = {
        **imbalances_told(found),
        "moved_pages": 0.0,
        "moved_bytes": 0.0,
        "sent_links": found.pages.sent_links,
        "volume_links": found.pages.cut_links,
    }
    if graph.has_urls:
        kept |= {"sent_bytes": found.pages.sent_bytes, "volume_bytes": found.pages.cut_bytes}
    is_known = previous.owners >= 0
    return MigrationCurve(
        table.folder.resolve().name,
        table.parts,
        int(is_known.sum()),
        int(graph.bytes[is_known].sum()),
        kept,
        points,
        f"{_KINDS[request.settings.objective]}_{'bytes' if graph.has_urls else 'links'}",
        request.tolerances,
    )

"""What a quality report says; report.json is all of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from partition.quality.dataset import DataSet
from partition.quality.figures import FIGURES, FIGURES_OF_MOVES
from partition.quality.migration import MigrationCurve
from partition.quality.request import QualityRequest
from partition.quality.trial import Outcome
from partition.report.results import LeftOut, Result

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Report:
    """All that a report says.

    Attributes:
        data: the session that it is on.
        made: when, in UTC; software: by what.
        request: what was asked for.
        results: a result for each model and K, by model, then K.
        outcomes: what came of every trial.
        left_out: what is not there, and why.
        migration: moved bytes against volume, if there is a previous map.
    """

    data: DataSet
    made: str
    software: str
    request: QualityRequest
    results: Sequence[Result]
    outcomes: Sequence[Outcome]
    left_out: Sequence[LeftOut]
    migration: MigrationCurve | None = None

    @property
    def warnings(self) -> list[str]:
        """What a reader has to know before the figures, a line each."""
        told = [] if self.data.incomplete is None else [self.data.incomplete]
        if self.migration is not None and 2 * self.migration.known_pages < self.data.pages:
            told.append(
                f"the previous map holds only {self.migration.known_pages:,} of the session's {self.data.pages:,} "
                f"pages ({self.migration.known_pages / self.data.pages:.1%})"
            )
        return told

    def as_dict(self) -> dict[str, Any]:
        """The content of report.json."""
        return {
            "format": FORMAT_VERSION,
            "software": self.software,
            "made": self.made,
            "warnings": self.warnings,
            "session": asdict(self.data),
            "request": asdict(self.request),
            "left_out": [asdict(left) for left in self.left_out],
            "figures": {
                figure.name: {
                    "title": figure.title,
                    "unit": figure.unit,
                    "meaning": figure.meaning,
                    "of_machine": figure.of_machine,
                }
                for figure in (FIGURES if self.migration is None else (*FIGURES, *FIGURES_OF_MOVES))
            },
            "results": [_result_as_dict(result) for result in self.results],
            "trials": [
                {**asdict(outcome.trial), "figures": outcome.figures, "reason": outcome.reason}
                for outcome in self.outcomes
            ],
            "migration": self.migration.as_dict() if self.migration else None,
        }


def _result_as_dict(result: Result) -> dict[str, Any]:
    figures = {
        name: {"mean": spread.mean, "min": spread.least, "max": spread.most} for name, spread in result.figures.items()
    }
    return {
        "model": result.model,
        "k": result.k,
        "seeds": result.seeds,
        "figures": figures,
        "settings": result.settings,
    }

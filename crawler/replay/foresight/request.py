"""What is to be foreseen: which models, rules and numbers of ranks, and how partitions are cut and replays run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from crawler.replay.settings import ReplaySettings
from partition.choices import ASSIGNMENTS, UNKNOWN_RULES
from partition.models.settings import Settings
from partition.quality.request import ALL_MODELS, USUAL_MODELS

BEARABLE = 0.1
"""The imbalance that a report calls bearable if nobody says another."""


@dataclass(frozen=True)
class ForesightRequest:
    """What to report on.

    ``models`` are of `partition.quality.request.ALL_MODELS`, ``parts`` the Ks, ``rules`` those for URLs that a map
    does not hold; hashes have none.  ``tolerance`` is the imbalance of a replay beyond which it is marked; the one
    that partitions are cut with stands in ``cutting``, and is smaller, for they are to last.
    """

    models: tuple[str, ...] = USUAL_MODELS
    parts: tuple[int, ...] = (4, 8, 16, 32, 64)
    rules: tuple[str, ...] = tuple(UNKNOWN_RULES)
    settings: ReplaySettings = field(default_factory=ReplaySettings)
    cutting: Settings = field(default_factory=Settings)
    tolerance: float = BEARABLE


@dataclass(frozen=True)
class Candidate:
    """A way of sharing URLs among K ranks; ``rule`` is for those that the map does not hold, None for a hash."""

    model: str
    rule: str | None
    k: int

    @property
    def needs_map(self) -> bool:
        """Does it take a partition map?  Hashes do not."""
        return self.rule is not None

    @property
    def way(self) -> str:
        """The model and, if there is one, the rule: what stays the same over K."""
        return self.model if self.rule is None else f"{self.model}/{self.rule}"

    def __str__(self) -> str:
        return f"{self.way}, K={self.k}"


def candidates_of(models: Sequence[str], parts: Sequence[int], rules: Sequence[str]) -> list[Candidate]:
    """All candidates, by model, K and rule."""
    return [
        Candidate(model, rule, k)
        for model in ALL_MODELS
        if model in models
        for k in parts
        for rule in ([None] if model in ASSIGNMENTS else rules)
    ]

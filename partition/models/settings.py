"""How a session's pages are to be cut, whatever the model."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from partition.choices import BALANCED
from partition.cut.balance import TOLERANCE
from partition.cut.kahypar import is_installed

SENT, LINKS = "sent", "links"
"""The objectives: what is sent if each URL goes to its owner once, or what crosses parts if each link does."""


@dataclass(frozen=True)
class Settings:
    """How to cut: see `partition.choices.OBJECTIVES` and `partition.cut.effort.EFFORTS`.

    ``balance`` are the weights that are kept even (`partition.choices.WEIGHTS`), each with its tolerance, None for
    ``tolerance``; 0.05 lets a part be 5% heavier than its share.  ``shares`` are the parts' sizes relative to each
    other, equal if None, and ``shares_are_measured`` says that they are speeds (`partition.models.rank_speeds`).  The
    same ``seed`` gives the same partition, whatever the number of ``threads``.  ``migration_cost`` is what a byte of
    pages that changes its owner is worth, in units of the objective; with 0 it is only seen to it that parts have the
    best names.  ``time_cost`` is what a second that pages are expected to take is worth, in the same units.
    ``kahypar`` lets Mt-KaHyPar find starts, too, from the effort normal on.
    """

    objective: str = SENT
    tolerance: float = TOLERANCE
    effort: str = "normal"
    seed: int = 1
    shares: tuple[float, ...] | None = None
    shares_are_measured: bool = False
    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    migration_cost: float = 0.0
    time_cost: float = 0.0
    kahypar: bool = field(default_factory=is_installed)
    balance: Mapping[str, float | None] = field(default_factory=lambda: dict.fromkeys(BALANCED))

    @property
    def tolerances(self) -> dict[str, float]:
        """The tolerance of each weight that is balanced, by name."""
        return {name: self.tolerance if own is None else own for name, own in self.balance.items()}

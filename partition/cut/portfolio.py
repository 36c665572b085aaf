"""Several METIS runs with different settings, of which the best that keeps the balance is taken.

No single setting wins everywhere: k-way with many cuts beats one cut by up to 2.4 times, recursive bisection with a
tight tolerance often beats both and keeps several weights in balance.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.crew import ALONE, Crew
from partition.cut.metis import MetisError, MetisGraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph

_TIGHT = 0.01


class Setting(NamedTuple):
    """One way to call METIS: ``method`` is kway or recursive, ``tolerance`` is what METIS is told, for each weight."""

    method: str
    tolerance: tuple[float, ...]
    cuts: int
    iterations: int
    seed: int

    def __str__(self) -> str:
        tolerances = dict.fromkeys(f"{tolerance:g}" for tolerance in self.tolerance)
        told = f"tolerance {'/'.join(tolerances)}, seed {self.seed}"
        several = f"{self.cuts} cuts, " if self.cuts > 1 else ""
        return f"{self.method} ({several}{told})"


class Candidate(NamedTuple):
    """A partition, int32[v], with the setting it came from, its cost, and how far it is beyond the balance."""

    setting: str
    parts: Owners
    cost: int
    excess: float

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Smaller is better: what keeps the balance before all else, then excess to a hundredth, then cost.

        Where a vertex outweighs a part, all partitions are about equally unbalanced, and cost tells them apart.
        """
        return self.excess > 0, round(self.excess, 2), self.cost


Improve = Callable[[Owners, int], tuple[Owners, int]]


def settings(
    tolerance: npt.NDArray[np.float64], seeds: int, seed: int, *, cuts: int = 4, iterations: int = 50
) -> list[Setting]:
    """The settings of a portfolio: for each of ``seeds`` seeds, two ways of k-way and two of recursive bisection.

    ``tolerance``, float64[w], is that of each weight; k-way makes so many ``cuts``, each refined so often.
    """
    tight = np.minimum(_TIGHT, tolerance / 2)
    loose, narrow, between = (tuple(each.tolist()) for each in (tolerance, tight, (tight + tolerance) / 2))
    return [
        setting
        for number in range(seed, seed + seeds)
        for setting in (
            Setting("recursive", narrow, 1, 10, number),
            Setting("kway", loose, cuts, iterations, number),
            Setting("recursive", between, 1, 10, number),
            Setting("kway", between, cuts, iterations, number),
        )
    ]


def portfolio(
    graph: WeightedGraph, balance: Balance, tried: list[Setting], improved: Improve, crew: Crew = ALONE
) -> list[Candidate]:
    """What each setting gives, best first.

    ``improved`` turns a partition, that by the setting of this number, into one that may be better, and says what it
    costs; threads of the ``crew`` call it at once.  Settings with which METIS gives up are left out.  Raises MetisError
    if it gives up with all.
    """
    numbered = list(enumerate(tried))
    found = crew.each(partial(_candidate, MetisGraph(graph), graph.weights, balance, improved), numbered)
    candidates = sorted((one for one in found if one is not None), key=lambda candidate: candidate.rank)
    if not candidates:
        raise MetisError(
            f"METIS gave up on {len(graph):,} vertices in {balance.parts} parts with every setting tried; "
            "try fewer parts, or a larger tolerance"
        )
    return candidates


def single_kway(graph: WeightedGraph, k: int, tolerance: float, seed: int) -> Owners:
    """One default k-way call, which is what a user of METIS would make: int32[v]."""
    return MetisGraph(graph).kway(k, tolerance, seed)


def _candidate(
    metis: MetisGraph, weights: Numbers, balance: Balance, improved: Improve, numbered: tuple[int, Setting]
) -> Candidate | None:
    """What one setting gives; None if METIS gives up."""
    number, setting = numbered
    shares = None if np.ptp(balance.shares) == 0 else balance.shares
    try:
        if setting.method == "recursive":
            parts = metis.recursive(balance.parts, setting.tolerance, setting.seed, shares=shares)
        else:
            parts = metis.kway(
                balance.parts,
                setting.tolerance,
                setting.seed,
                cuts=setting.cuts,
                iterations=setting.iterations,
                shares=shares,
            )
    except MetisError:
        return None
    parts, cost = improved(parts, number)
    return Candidate(str(setting), parts, cost, balance.excess(weights, parts))

"""Cutting again where vertices have owners: volume and moves made small together, from two partitions that are good.

One was cut without a look at the owners, and is good in volume.  The other is the owners' own, with new vertices beside
their neighbours (`placement`), and is good in moves: its balance is repaired, and it is coarsened inside its parts and
refined on the way back with every move counted.  The better of both goes on so.  These are "scratch-remap" and
"diffusion" of Schloegel, Karypis and Kumar ("A Unified Algorithm for Load-balancing Adaptive Scientific Simulations",
SC 2000), as starts of one search.

Nothing here starts from scratch, so that all of it takes no more than about half of what the fresh cut took.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.anchors import homes
from partition.cut.balance import Balance
from partition.cut.crew import Crew
from partition.cut.effort import Effort
from partition.cut.migration import as_candidate, repaired
from partition.cut.multilevel import cycle_of, iterated, ranked
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import Hypergraph
from sessions.progress import Say

OLD = "the old partition"
"""What a `Candidate` that comes from it says instead of a setting of METIS."""


def recut(
    hypergraph: Hypergraph,
    fresh: Candidate,
    carried: Owners,
    balance: Balance,
    effort: Effort,
    seed: int,
    threads: int,
    progress: Say,
    old_name: str = OLD,
) -> Candidate:
    """The best partition found of a ``hypergraph`` with anchors; the same whatever the number of ``threads``.

    It is no worse than ``fresh``, which was cut without a look at them, and than ``carried``, int32[v], one that is
    good by the anchors, as it is or with its balance repaired; ``old_name`` is what that is called.
    """
    chances = np.random.SeedSequence(seed)
    known = as_candidate(fresh.setting, hypergraph, fresh.parts, balance)
    old = as_candidate(old_name, hypergraph, carried, balance)
    mended = repaired(old, hypergraph, balance, np.random.default_rng(chances.spawn(1)[0]))
    ways, half = _ways(hypergraph), _half_of(effort)
    tries = list(zip(ways[: half.cycles], chances.spawn(len(ways[: half.cycles])), strict=True))
    with Crew(threads) as crew:
        found = crew.in_order(lambda one: cycle_of(hypergraph, mended, balance, *one, crew), tries)
        best = ranked([known, old, mended], found, len(tries), "start with owners", progress)
        return iterated(crew, hypergraph, best, balance, half, chances, progress)


def _half_of(effort: Effort) -> Effort:
    """Half as many rounds, but one at least, of one cycle at least."""
    return replace(effort, rounds=max(1, (effort.rounds + 1) // 2), cycles=max(1, effort.cycles))


def _ways(hypergraph: Hypergraph) -> Sequence[Owners]:
    """What may be in one cluster, int32[v] each: all, or only vertices with their strongest anchor in the same part.

    A cluster of vertices with anchors in different parts costs something wherever it is; if clusters must have all
    anchors in one part, less of what belongs together is in one.  Neither is better everywhere.
    """
    return np.zeros(len(hypergraph), np.int32), homes(hypergraph)

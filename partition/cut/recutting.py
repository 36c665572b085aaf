"""Cutting again where vertices have owners: volume and moves made small together, from two partitions that are good.

One was cut without a look at the owners, and is good in volume.  The other is the owners' own, with new vertices beside
their neighbours (`placement`), and is good in moves.  What is best of both lies near one of them, so each is coarsened
inside its parts and refined on the way back with every move counted, and the better goes on.  That is the multilevel
repartitioning of Schloegel, Karypis and Kumar ("A Unified Algorithm for Load-balancing Adaptive Scientific
Simulations", SC 2000) with its two ways, "scratch-remap" and "diffusion", as starts of one search.

Nothing here starts from scratch, so that all of it takes no more than about half of what the fresh cut took.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.migration import as_candidate, homes, repaired
from partition.cut.multilevel import Effort, Progress, best_of, cycle_of, iterated
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import Hypergraph

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
    progress: Progress,
) -> Candidate:
    """The best partition found of a ``hypergraph`` with anchors; the same whatever the number of ``threads``.

    It is no worse than ``fresh``, which was cut without a look at them, and than ``carried``, int32[v], the old one, as
    it is or with its balance repaired.
    """
    chances = np.random.SeedSequence(seed)
    known = as_candidate(fresh.setting, hypergraph, fresh.parts, balance)
    old = as_candidate(OLD, hypergraph, carried, balance)
    mended = repaired(old, hypergraph, balance, np.random.default_rng(chances.spawn(1)[0]))
    together, apart = _ways(hypergraph)
    tries = [partial(cycle_of, hypergraph, start, balance, together) for start in (known, mended)]
    if effort.rounds:
        tries.append(partial(cycle_of, hypergraph, mended, balance, apart))
    with ThreadPoolExecutor(max(1, threads)) as pool:
        found = pool.map(lambda one, seed: one(seed), tries, chances.spawn(len(tries)))
        best = best_of(chain((known, old, mended), found), 3 + len(tries), "start with owners", progress)
        half = replace(effort, rounds=(effort.rounds + 1) // 2)
        return iterated(pool, hypergraph, best, balance, half, (together, apart), chances, progress)


def _ways(hypergraph: Hypergraph) -> Sequence[Owners]:
    """What may be in one cluster, int32[v] each: all, or only vertices with their strongest anchor in the same part.

    A cluster of vertices with anchors in different parts costs something wherever it is; if clusters must have all
    anchors in one part, less of what belongs together is in one.  Neither is better everywhere.
    """
    return np.zeros(len(hypergraph), np.int32), homes(hypergraph)

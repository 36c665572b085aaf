"""Cutting again where pages have owners: volume and moves made small together.

The new partition of a graph that has changed starts from two: one cut without a look at the owners, and the owners'.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.migration import as_candidate, homes, settled
from partition.cut.multilevel import Effort, Progress, best_of, cycle_of, _descent, iterated
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.weighted_graph import WeightedGraph

OLD = "the old partition"
"""What a `Candidate` that comes from it says instead of a setting of METIS."""


def recut(
    hypergraph: Hypergraph,
    guide: WeightedGraph,
    fresh: Candidate,
    carried: Owners,
    balance: Balance,
    effort: Effort,
    seed: int,
    threads: int,
    progress: Progress,
) -> Candidate:
    """The best partition of a ``hypergraph`` with anchors: one cut without a look at them, the old one, or better.

    ``carried``, int32[v], is the old one, perhaps out of balance.  Both are refined on all levels, and there are
    descents from scratch.  A cluster of vertices with anchors in different parts costs something wherever it is; if
    clusters must have all anchors in one part, less of what belongs together is in one.  Neither is better everywhere,
    so both ways of coarsening are tried.
    """
    chances = np.random.SeedSequence(seed)
    ways = (np.zeros(len(hypergraph), np.int32), homes(hypergraph))
    starts = [as_candidate(fresh.setting, hypergraph, fresh.parts, balance)]
    starts += settled(OLD, hypergraph, carried, balance, np.random.default_rng(chances.spawn(1)[0]))
    with ThreadPoolExecutor(max(1, threads)) as pool:
        tries = [partial(cycle_of, hypergraph, start, balance, kinds) for start in starts for kinds in ways]
        tries += [
            partial(_descent, hypergraph, guide, balance, effort.seeds, kinds)
            for _ in range((effort.descents + 1) // 2)
            for kinds in ways
        ]
        found = pool.map(lambda one, seed: one(seed), tries, chances.spawn(len(tries)))
        best = best_of(chain(starts, found), len(starts) + len(tries), "start", progress)
        return iterated(pool, hypergraph, best, balance, effort, ways, chances, progress)

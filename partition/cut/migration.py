"""What it costs to change owners: an earlier partition as a pull on the vertices of a new one.

What is kept small is volume + cost x bytes that move, as by Schloegel, Karypis and Kumar ("A Unified Algorithm for
Load-balancing Adaptive Scientific Simulations", SC 2000) and Catalyurek et al. ("Hypergraph-based Dynamic
Load Balancing for Adaptive Scientific Computations", IPDPS 2007).  What a part held before is anchored there
(`partition.cut.connectivity`), so refinement sees both as one cost.
"""

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.cut.anchors import Pull, away
from partition.cut.balance import Balance, balance_of
from partition.cut.connectivity import connectivity
from partition.cut.portfolio import Candidate
from partition.cut.refinement import refined
from partition.graphs.group_sums import summed
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import GraphError, Numbers

_PORTIONS = (0.8, 0.6, 0.4)


def migration_pull(held: csr_array, cost: float) -> Pull:
    """What moving away costs, ``cost`` a byte; ``held``, int64 CSR [v, k], is how many bytes of vertex x part p held.

    Raises GraphError if ``cost`` is no number from 0 up.
    """
    if not 0 <= cost < np.inf:
        raise GraphError(
            f"the migration cost must be from 0 up, not {cost}; 0.01 makes 100 moved bytes worth a byte of URLs sent"
        )
    return Pull(held, cost, (f"a migration cost of {cost:g}", "bytes"))


def as_candidate(name: str, hypergraph: Hypergraph, parts: Owners, balance: Balance) -> Candidate:
    """A partition, int32[v], with what it costs, anchors included."""
    cost = connectivity(hypergraph, parts, balance.parts) + away(parts, hypergraph.anchors)
    return Candidate(name, parts, cost, balance.excess(hypergraph.weights, parts))


def carried_over(owners: Owners, weights: Numbers, balance: Balance) -> Owners:
    """An old partition as one into k parts, int32[v].

    ``owners``, int32[v], may be parts from k up, which are no more: each goes as a whole to the part that is the least
    loaded then, the heaviest first.  ``weights`` are int64[v, w].
    """
    k = balance.parts
    count = max(k, int(owners.max(initial=0)) + 1)
    loads = summed(weights, owners, count) / np.maximum(balance.wanted.sum(axis=0), 1)
    heirs = np.arange(count, dtype=np.int32)
    for part in sorted(range(k, count), key=lambda part: -loads[part].max()):
        heirs[part] = np.argmin(((loads[:k] + loads[part]) / balance.shares[:, None]).max(axis=1))
        loads[heirs[part]] += loads[part]
    return heirs[owners]


def repaired(old: Candidate, hypergraph: Hypergraph, balance: Balance, rng: np.random.Generator) -> Candidate:
    """The partition refined after its balance was repaired, to smaller and smaller tolerances until it is kept.

    Repairing only up to the limit leaves parts full and blocks later moves, so the first aim is a little below it.
    Where the parts with room for bytes have no room for requests, no single move helps, and only aiming further below
    the limits comes within them.  If nothing does, the best of all.
    """
    best: Candidate | None = None
    for portion in _PORTIONS:
        tight = balance_of(hypergraph.weights, balance.parts, portion * balance.tolerance, balance.shares.tolist())
        parts, cost = refined(hypergraph, old.parts, tight, rng)
        found = Candidate(old.setting, parts, cost, balance.excess(hypergraph.weights, parts))
        if best is None or found.rank < best.rank:
            best = found
        if best.excess == 0:
            break
    assert best is not None
    return best

"""What it costs to change owners: an earlier partition as a pull on the vertices of a new one.

What is kept small is volume + cost x bytes that move, as by Schloegel, Karypis and Kumar ("A Unified Algorithm for
Load-balancing Adaptive Scientific Simulations", SC 2000) and Catalyurek et al. ("Hypergraph-based Dynamic
Load Balancing for Adaptive Scientific Computations", IPDPS 2007).  What a part held before is anchored there
(`partition.cut.connectivity`), so refinement sees both as one cost.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance, balance_of
from partition.cut.connectivity import connectivity
from partition.cut.portfolio import Candidate
from partition.cut.refinement import refined
from partition.graphs.group_sums import largest_columns, summed
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import GraphError, Numbers

_FINENESS_BITS = 20
_MOST = 2.0**61
_PORTIONS = (0.8, 0.6, 0.4)


def anchored(hypergraph: Hypergraph, held: csr_array, cost: float) -> Hypergraph:
    """The hypergraph with an anchor for all that is held, ``cost`` a byte.

    ``held``, int64 CSR [v, k], is how many bytes of vertex x part p held.  All costs are multiplied by the same power
    of two, since they are whole numbers and a page times a small cost must not become 0.  Raises GraphError if they
    would be too large to be counted, or ``cost`` is no number from 0 up.
    """
    nets = float(hypergraph.costs @ (np.diff(hypergraph.starts) - 1))
    total = max(1.0, nets + cost * float(held.sum()))
    if not 0 <= cost < np.inf:
        raise GraphError(
            f"the migration cost must be from 0 up, not {cost}; 0.01 makes 100 moved bytes worth a byte of URLs sent"
        )
    if total > _MOST:
        raise GraphError(f"a migration cost of {cost:g} is too large to be counted for {int(held.sum()):,} bytes")
    fineness = 1 << min(_FINENESS_BITS, int(np.log2(_MOST / total)))
    anchors = held.copy()
    anchors.data = np.rint(held.data * (cost * fineness)).astype(np.int64)
    anchors.eliminate_zeros()
    return replace(hypergraph, costs=hypergraph.costs * fineness, anchors=anchors)


def away(parts: Owners, anchors: csr_array) -> int:
    """The sum of the anchors, int64 CSR [v, k], of vertices that are not there: bytes that move, or what they cost."""
    entries = anchors.tocoo()
    return int(entries.data[parts[entries.row] != entries.col].sum())


def homes(hypergraph: Hypergraph) -> Owners:
    """For each vertex 1 + the part in which it has its strongest anchor, 0 if it has none: int32[v]."""
    has_any = np.diff(hypergraph.anchors.indptr) > 0
    return np.where(has_any, 1 + largest_columns(hypergraph.anchors), 0).astype(np.int32)


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

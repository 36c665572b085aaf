"""Cutting a hypergraph into balanced parts: down to something small, cut that with METIS, and refine all the way up.

The multilevel scheme of Hendrickson and Leland ("A Multilevel Algorithm for Partitioning Graphs", SC 1995), with
iterated cycles (Walshaw, "Multilevel Refinement for Combinatorial Optimisation Problems", Annals of OR 2004): once
there is a partition, the hypergraph is coarsened again inside its parts, and moving a coarse vertex then moves a
cluster that no search page by page would move.

The coarsest level needs an ordinary graph for METIS: the ``guide``, contracted along.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, cycle, islice

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.coarsening import Level, coarsened
from partition.cut.communities import communities
from partition.cut.hub_core import Members, cost_of_hubs, hub_core, hubs_of, with_core
from partition.cut.kahypar import cut_by_kahypar, takes
from partition.cut.portfolio import Candidate, portfolio, settings
from partition.cut.refinement import refined
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph, contracted_graph, subgraph

Progress = Callable[[str], None]

_COARSE_PER_PART, _COARSE_AT_LEAST = 10, 160
_SMALLEST_GAIN = 0.002
_HUBS_COST_LEAST = 0.5  # of the best cost, or there are too few nets of hubs for a core to pay


@dataclass(frozen=True)
class Effort:
    """How much is tried: ``descents`` from scratch with ``seeds`` METIS seeds in each, then ``rounds`` of ``cycles``.

    The cycles of a round all start from the best partition so far.  ``cores`` are the portions of a part that are
    filled with hubs (`partition.cut.hub_core`), each in a descent of its own, where that may pay.  ``kahypars`` is the
    number of starts by Mt-KaHyPar (`partition.cut.kahypar`), where it is to be used.
    """

    descents: int
    seeds: int
    rounds: int
    cycles: int
    cores: tuple[float, ...]
    kahypars: int

    def after(self, portion: float) -> "Effort":
        """What is left to try where groups of vertices, ``portion`` times as many, have been cut with this effort."""
        return replace(self, descents=round(self.descents * (1 - portion)), cores=self.cores if portion < 0.5 else ())


EFFORTS = {
    "low": Effort(1, 1, 0, 0, (0.9,), 0),
    "normal": Effort(3, 1, 3, 2, (0.5, 0.9), 1),
    "high": Effort(12, 1, 8, 2, (0.3, 0.6, 0.9), 3),
}


def cut(
    hypergraph: Hypergraph,
    guide: WeightedGraph,
    balance: Balance,
    effort: Effort,
    seed: int,
    threads: int,
    progress: Progress,
    *,
    starts: Sequence[Candidate] = (),
    guide_is_exact: bool = False,
    with_kahypar: bool = False,
) -> Candidate:
    """The best partition found; the same for the same seed, whatever the number of ``threads``.

    It is no worse than the best of ``starts``, partitions of the same hypergraph that were found otherwise.
    ``guide`` has the hypergraph's vertices.  If its edge cut is the very thing to be made small, METIS also has a go at
    the whole of it; and so has Mt-KaHyPar ``with_kahypar``, which must be installed then.  If no partition keeps the
    balance the result is the one that is least beyond it.
    """
    chances = np.random.SeedSequence(seed)
    with ThreadPoolExecutor(max(1, threads)) as pool:
        tries = [partial(_of_whole, hypergraph, guide, balance)] if guide_is_exact else []
        alike = np.zeros(len(hypergraph), np.int32)
        tries += [partial(_descent, hypergraph, guide, balance, effort.seeds)] * effort.descents
        tries += [partial(cycle_of, hypergraph, start, balance, alike) for start in starts]
        if with_kahypar and takes(hypergraph):
            tries += [partial(_by_kahypar, hypergraph, balance, threads)] * effort.kahypars
        found = pool.map(lambda one, seed: one(seed), tries, chances.spawn(len(tries)))
        best = best_of(chain(starts, found), len(starts) + len(tries), "start", progress)
        hubs = [hubs_of(hypergraph, balance, portion) for portion in effort.cores]
        tries = [
            partial(_around, hypergraph, guide, balance, effort.seeds, are_hubs)
            for are_hubs in hubs
            if _HUBS_COST_LEAST * best.cost < cost_of_hubs(hypergraph, are_hubs) < best.cost
        ]
        found = pool.map(lambda one, seed: one(seed), tries, chances.spawn(len(tries)))
        best = best_of(chain([best], found), 1 + len(tries), "start around hubs", progress)
        return iterated(pool, hypergraph, best, balance, effort, (alike,), chances, progress)


def best_of(candidates: Iterator[Candidate], count: int, what: str, progress: Progress) -> Candidate:
    """The first of the best candidates."""
    best: Candidate | None = None
    for number, candidate in enumerate(candidates, 1):
        if best is None or candidate.rank < best.rank:
            best = candidate
        progress(f"{what} {number} of {count}: best {best.cost:,}")
    if best is None:
        raise ValueError("an effort without descents finds nothing")
    return best


def iterated(
    pool: ThreadPoolExecutor,
    hypergraph: Hypergraph,
    best: Candidate,
    balance: Balance,
    effort: Effort,
    kinds: Sequence[Owners],
    chances: np.random.SeedSequence,
    progress: Progress,
) -> Candidate:
    """The best of rounds of cycles, as long as they gain; the cycles take turns with the ``kinds`` (`cycle_of`)."""
    for number in range(1, effort.rounds + 1):
        one = partial(cycle_of, hypergraph, best, balance)
        found = pool.map(one, islice(cycle(kinds), effort.cycles), chances.spawn(effort.cycles))
        better = best_of(found, effort.cycles, f"round {number} of {effort.rounds}, cycle", progress)
        gain = best.cost - better.cost
        best = min(best, better, key=lambda candidate: candidate.rank)
        if gain <= _SMALLEST_GAIN * best.cost:
            break
    return best


def _of_whole(
    hypergraph: Hypergraph, guide: WeightedGraph, balance: Balance, seed: np.random.SeedSequence
) -> Candidate:
    """The best of a portfolio of METIS runs without coarsening of ours."""
    rng = np.random.default_rng(seed)
    tried = settings(balance.tolerance, 1, int(rng.integers(1 << 20)))
    return portfolio(guide, balance, tried, lambda parts: refined(hypergraph, parts, balance, rng))[0]


def _by_kahypar(hypergraph: Hypergraph, balance: Balance, threads: int, seed: np.random.SeedSequence) -> Candidate:
    """What Mt-KaHyPar finds, mended to keep all balances, and refined."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(1 << 20))
    parts, cost = refined(hypergraph, cut_by_kahypar(hypergraph, balance, number, threads), balance, rng)
    return Candidate(f"Mt-KaHyPar (seed {number})", parts, cost, balance.excess(hypergraph.weights, parts))


def _descent(
    hypergraph: Hypergraph, guide: WeightedGraph, balance: Balance, seeds: int, seed: np.random.SeedSequence
) -> Candidate:
    """Coarsen, cut the coarsest with a portfolio of METIS runs, and refine on the way back.

    Clusters have vertices of one community only, as long as such can be made.
    """
    rng = np.random.default_rng(seed)
    enough = max(_COARSE_PER_PART * balance.parts, _COARSE_AT_LEAST)
    levels, coarse, _ = coarsened(hypergraph, communities(guide, rng), enough, rng)
    further, coarsest, _ = coarsened(coarse, np.zeros(len(coarse), np.int32), enough, rng)
    levels += further
    coarse_guide = contracted_graph(guide, _clusters_through(levels, len(hypergraph)), len(coarsest))
    tried = settings(balance.tolerance, seeds, int(rng.integers(1 << 20)))
    best = portfolio(coarse_guide, balance, tried, lambda parts: refined(coarsest, parts, balance, rng))[0]
    return _ascent(hypergraph, levels, best, balance, rng)


def _clusters_through(levels: Sequence[Level], vertices: int) -> Numbers:
    """To which vertex of the coarsest level each of the finest belongs: int64[v]."""
    clusters = np.arange(vertices)
    for level in levels:
        clusters = level.clusters[clusters]
    return clusters


def _around(
    hypergraph: Hypergraph,
    guide: WeightedGraph,
    balance: Balance,
    seeds: int,
    are_hubs: Members,
    seed: np.random.SeedSequence,
) -> Candidate:
    """Cut all but the hubs of a core, bool[v], add these, and refine."""
    first, second = seed.spawn(2)
    core = hub_core(hypergraph, balance, are_hubs)
    found = _descent(core.rest, subgraph(guide, core.others), core.balance, seeds, first)
    parts = with_core(core, found.parts, len(hypergraph))
    parts, cost = refined(hypergraph, parts, balance, np.random.default_rng(second))
    return Candidate(f"hubs: {found.setting}", parts, cost, balance.excess(hypergraph.weights, parts))


def cycle_of(
    hypergraph: Hypergraph, best: Candidate, balance: Balance, kinds: Owners, seed: np.random.SeedSequence
) -> Candidate:
    """Coarsen inside the parts and ``kinds``, int32[v], and refine on the way back."""
    rng = np.random.default_rng(seed)
    enough = max(_COARSE_PER_PART * balance.parts, _COARSE_AT_LEAST)
    pairs, classes = np.unique(kinds.astype(np.int64) * balance.parts + best.parts, return_inverse=True)
    levels, coarsest, classes = coarsened(hypergraph, classes.astype(np.int32), enough, rng)
    parts = (pairs[classes] % balance.parts).astype(np.int32)
    parts, cost = refined(coarsest, parts, balance, rng)
    return _ascent(hypergraph, levels, best._replace(parts=parts, cost=cost), balance, rng)


def _ascent(
    hypergraph: Hypergraph, levels: Sequence[Level], start: Candidate, balance: Balance, rng: np.random.Generator
) -> Candidate:
    parts, cost = start.parts, start.cost
    for level in reversed(levels):
        parts, cost = refined(level.hypergraph, parts[level.clusters], balance, rng)
    return Candidate(start.setting, parts, cost, balance.excess(hypergraph.weights, parts))

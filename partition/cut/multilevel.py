"""Cutting a hypergraph into balanced parts: down to something small, cut that with METIS, and refine all the way up.

The multilevel scheme of Hendrickson and Leland ("A Multilevel Algorithm for Partitioning Graphs", SC 1995), with
iterated cycles (Walshaw, "Multilevel Refinement for Combinatorial Optimisation Problems", Annals of OR 2004): once
there is a partition, the hypergraph is coarsened again inside its parts, and moving a coarse vertex then moves a
cluster that no search page by page would move.

Cycles also combine partitions (Sanders and Schulz, "Distributed Evolutionary Graph Partitioning", ALENEX 2012,
section 4): where one is coarsened inside its own parts and those of another, what both have in common moves as one, and
where they differ the better survives.

The coarsest level needs an ordinary graph for METIS: the ``guide``, contracted along.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, cycle, islice
from operator import attrgetter

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.coarsening import Level, coarsened, enough_for
from partition.cut.communities import communities
from partition.cut.crew import ALONE, Crew
from partition.cut.effort import Effort
from partition.cut.hub_core import Members, costs_of_hubs, hub_core, hubs_of, with_core
from partition.cut.kahypar import cut_by_kahypar, takes
from partition.cut.portfolio import Candidate, Improve, portfolio, settings
from partition.cut.refinement import refined
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph, contracted_graph, subgraph
from sessions.progress import Say

Guide = Callable[[], WeightedGraph]
"""What makes a guide anew: no descent keeps its guide for longer than it needs it, for it may take most memory."""

Try = Callable[[np.random.SeedSequence], Candidate]
_by_rank = attrgetter("rank")

_TINY, _CHANCES = 64, 50  # vertices, and random starts where there are no more
_KEPT = 3  # partitions of which the best two are combined
_OF_HUBS = 0.85  # of the best cost, at least, for nets of hubs, or a core does not pay
_IN_CORE = 1.1  # of the best cost, at most, for these nets with a core
_FAR_BEHIND = 2  # times the best cost
_LUCK = 0.02  # of the best cost: where the next best costs so much more, luck has decided
_LARGE = 1 << 22  # pins


def cut(
    hypergraph: Hypergraph,
    guide: Guide,
    balance: Balance,
    effort: Effort,
    seed: int,
    threads: int,
    progress: Say,
    *,
    starts: Sequence[Candidate] = (),
    guide_is_exact: bool = False,
    with_kahypar: bool = False,
) -> Candidate:
    """The best partition found; the same for the same seed, whatever the number of ``threads``.

    It is no worse than the best of ``starts``, partitions of the same hypergraph that were found otherwise.
    ``guide`` makes a graph of the hypergraph's vertices.  If its edge cut is the very thing to be made small, METIS
    also has a go at the whole of it; and so has Mt-KaHyPar ``with_kahypar``, which must be installed then.  If no
    partition keeps the balance the result is the one that is least beyond it.
    """
    # Seeds of each stage begin alike, so that what a low effort tries a higher one tries, too.
    first, second, third, last = np.random.SeedSequence(seed).spawn(4)
    effort = effort.for_pins(len(hypergraph.pins))
    alike = np.zeros(len(hypergraph), np.int32)
    with Crew(threads) as crew:
        descents = [partial(_descent, hypergraph, guide, balance, effort.seeds, crew)] * effort.descents
        others: list[Try] = [partial(_of_whole, hypergraph, guide, balance, crew)] if guide_is_exact else []
        if len(hypergraph) <= _TINY:
            others += [partial(_by_chance, hypergraph, balance)] * _CHANCES
        if with_kahypar and takes(hypergraph):
            others += [partial(_by_kahypar, hypergraph, balance, crew)] * effort.kahypars
        attempt = partial(_attempted, _who_tries(hypergraph, crew), progress)
        hubs = [hubs_of(hypergraph, balance, portion) for portion in effort.cores]
        pay = partial(_hubs_that_pay, hypergraph, balance, hubs)
        found = attempt(first, descents, "descent", [])
        for _ in range(effort.further):
            if differ_much(found) and not pay(found[0]):  # around hubs there will be better ones
                found = attempt(first, descents, "further descent", found)
        known = [*found, *starts]
        near = [start for start in starts if not is_far_behind(start, min(known, key=_by_rank))]
        again = [partial(cycle_of, hypergraph, start, balance, alike, crew=crew) for start in near]
        found = attempt(second, again + others, "start", known)
        if not found:
            raise ValueError("an effort without descents finds nothing")
        around = [
            partial(_around, hypergraph, guide, balance, effort.seeds, are_hubs, crew) for are_hubs in pay(found[0])
        ]
        found = attempt(third, around, "start around hubs", found)
        return iterated(crew, hypergraph, found, balance, effort, last, progress)


def differ_much(found: Sequence[Candidate]) -> bool:
    """Whether the best candidate, the first, is much better than the next."""
    return len(found) > 1 and found[1].cost > (1 + _LUCK) * found[0].cost


def is_far_behind(start: Candidate, best: Candidate) -> bool:
    """Whether a start costs so much more than the best, which is balanced as well, that it is not worth a cycle."""
    return start.rank[:2] >= best.rank[:2] and start.cost > _FAR_BEHIND * best.cost


def _hubs_that_pay(hypergraph: Hypergraph, balance: Balance, hubs: Sequence[Members], best: Candidate) -> list[Members]:
    """Those sets of hubs around which it may pay to cut again."""
    return [are_hubs for are_hubs in hubs if may_pay(hypergraph, balance, best, are_hubs)]


def may_pay(hypergraph: Hypergraph, balance: Balance, best: Candidate, are_hubs: Members) -> bool:
    """Whether nets of these hubs, bool[v], are most of what is cut, and cost hardly more if each touches two parts.

    Without them there must be something left for each part.
    """
    if np.count_nonzero(hypergraph.weights[~are_hubs].any(axis=1)) < balance.parts:
        return False
    now, least = costs_of_hubs(hypergraph, best.parts, are_hubs)
    return now > _OF_HUBS * best.cost and least < _IN_CORE * best.cost


def _who_tries(hypergraph: Hypergraph, crew: Crew) -> Crew:
    """Those who make tries side by side: nobody where each would hold much memory, as all share the work inside one."""
    return ALONE if len(hypergraph.pins) > _LARGE else crew


def _attempted(
    crew: Crew,
    progress: Say,
    chances: np.random.SeedSequence,
    tries: Sequence[Try],
    what: str,
    known: Sequence[Candidate],
) -> list[Candidate]:
    """The best of what is known and what is tried, each try with a seed of its own; the best comes first."""
    found = crew.in_order(lambda one: one[0](one[1]), list(zip(tries, chances.spawn(len(tries)), strict=True)))
    return ranked(known, found, len(tries), what, progress)


def ranked(
    known: Sequence[Candidate], found: Iterator[Candidate], count: int, what: str, progress: Say
) -> list[Candidate]:
    """The best few of the known and the ``count`` that are found, best first; of those that cost the same the first."""
    best: list[Candidate] = []
    for number, candidate in enumerate(chain(known, found), 1 - len(known)):
        if all(candidate.rank != other.rank for other in best):
            best = sorted([*best, candidate], key=_by_rank)[:_KEPT]
        if number > 0:
            progress(f"{what} {number} of {count}: best {best[0].cost:,}")
    return best


def iterated(
    crew: Crew,
    hypergraph: Hypergraph,
    found: Sequence[Candidate],
    balance: Balance,
    effort: Effort,
    chances: np.random.SeedSequence,
    progress: Say,
) -> Candidate:
    """The best of rounds of cycles, as long as they gain enough.

    The two best partitions ``found``, best first, take turns, each combined with the other (`cycle_of`).
    """
    for number in range(1, effort.rounds + 1):
        before, other = found[0], found[min(1, len(found) - 1)]
        pairs = [(before, other.parts), (other, before.parts)]
        tries = [
            partial(cycle_of, hypergraph, start, balance, kinds, crew=crew)
            for start, kinds in islice(cycle(pairs), effort.cycles)
        ]
        what = f"round {number} of {effort.rounds}, cycle"
        found = _attempted(_who_tries(hypergraph, crew), progress, chances, tries, what, found)
        if before.rank[:2] == found[0].rank[:2] and before.cost - found[0].cost <= effort.least_gain * before.cost:
            break
    return found[0]


def _of_whole(
    hypergraph: Hypergraph, guide: Guide, balance: Balance, crew: Crew, seed: np.random.SeedSequence
) -> Candidate:
    """The best of a portfolio of METIS runs without coarsening of ours."""
    rng = np.random.default_rng(seed)
    tried = settings(balance.tolerance, 1, int(rng.integers(1 << 20)))
    return portfolio(guide(), balance, tried, _refine(hypergraph, balance, rng, len(tried), crew), crew)[0]


def _refine(hypergraph: Hypergraph, balance: Balance, rng: np.random.Generator, count: int, crew: Crew) -> Improve:
    """What refines ``count`` partitions of a portfolio, each with chances of its own."""
    chances = rng.spawn(count)
    return lambda parts, number: refined(hypergraph, parts, balance, chances[number], crew=crew)


def _by_chance(hypergraph: Hypergraph, balance: Balance, seed: np.random.SeedSequence) -> Candidate:
    """Vertices in random order, each to the part that is filled least, and refined.

    What has so few vertices is not coarsened, so that descents are all alike, and this costs next to nothing.
    """
    rng = np.random.default_rng(seed)
    portions = hypergraph.weights / np.maximum(hypergraph.weights.sum(axis=0), 1)
    loads, parts = np.zeros_like(balance.wanted, float), np.empty(len(hypergraph), np.int32)
    for vertex in rng.permutation(len(hypergraph)).tolist():
        parts[vertex] = np.argmin(((loads + portions[vertex]) / balance.shares[:, None]).max(axis=1))
        loads[parts[vertex]] += portions[vertex]
    parts, cost = refined(hypergraph, parts, balance, rng)
    return Candidate("random order", parts, cost, balance.excess(hypergraph.weights, parts))


def _by_kahypar(hypergraph: Hypergraph, balance: Balance, crew: Crew, seed: np.random.SeedSequence) -> Candidate:
    """What Mt-KaHyPar finds, mended to keep all balances, and refined."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(1 << 20))
    parts = cut_by_kahypar(hypergraph, balance, number)
    parts, cost = refined(hypergraph, parts, balance, rng, crew=crew)
    return Candidate(f"Mt-KaHyPar (seed {number})", parts, cost, balance.excess(hypergraph.weights, parts))


def _descent(
    hypergraph: Hypergraph,
    guide: Guide,
    balance: Balance,
    seeds: int,
    crew: Crew,
    seed: np.random.SeedSequence,
) -> Candidate:
    """Coarsen, cut the coarsest with a portfolio of METIS runs, and refine on the way back.

    Clusters have vertices of one community only, as long as such can be made.  What a partition of the coarsest level
    costs says little of what it will cost in the end, so several are refined, fewer the larger the level (`_race`).
    """
    rng = np.random.default_rng(seed)
    enough = enough_for(balance.parts)
    whole_guide = guide()
    levels, coarse, _ = coarsened(hypergraph, communities(whole_guide, rng, crew), enough, rng, crew)
    further, coarsest, _ = coarsened(coarse, np.zeros(len(coarse), np.int32), enough, rng, crew)
    levels += further
    coarse_guide = contracted_graph(whole_guide, _clusters_through(levels, len(hypergraph)), len(coarsest))
    del whole_guide
    tried = settings(balance.tolerance, seeds, int(rng.integers(1 << 20)), cuts=1, iterations=10)
    found = portfolio(coarse_guide, balance, tried, _refine(coarsest, balance, rng, len(tried), crew), crew)
    return _race(hypergraph, levels, found, balance, rng, crew)


def _race(
    hypergraph: Hypergraph,
    levels: list[Level],
    found: Sequence[Candidate],
    balance: Balance,
    rng: np.random.Generator,
    crew: Crew,
) -> Candidate:
    """The best on the finest level of those ``found`` on the coarsest, best first, of which each level sees the best.

    The ``levels`` are given up on the way.

    They are as many as sqrt(pins of all / pins of the level), so that all together take little longer than one
    (successive halving: Jamieson and Talwalkar, AISTATS 2016).
    """
    while levels:
        level = levels.pop()
        seen = max(1, math.isqrt(len(hypergraph.pins) // len(level.hypergraph.pins)))
        climbers = list(zip(found[:seen], rng.spawn(len(found[:seen])), strict=True))
        climb = partial(_climbed, level, balance, crew)
        found = sorted(crew.each(climb, climbers), key=_by_rank)
    return found[0]


def _climbed(level: Level, balance: Balance, crew: Crew, climber: tuple[Candidate, np.random.Generator]) -> Candidate:
    """A candidate, with chances of its own, refined on the next finer level."""
    start, rng = climber
    return _ascent(level.hypergraph, [level], start, balance, rng, crew)


def _clusters_through(levels: Sequence[Level], vertices: int) -> Numbers:
    """To which vertex of the coarsest level each of the finest belongs: int64[v]."""
    clusters = np.arange(vertices)
    for level in levels:
        clusters = level.clusters[clusters]
    return clusters


def _around(
    hypergraph: Hypergraph,
    guide: Guide,
    balance: Balance,
    seeds: int,
    are_hubs: Members,
    crew: Crew,
    seed: np.random.SeedSequence,
) -> Candidate:
    """Cut all but the hubs of a core, bool[v], add these, and refine."""
    first, second = seed.spawn(2)
    core = hub_core(hypergraph, balance, are_hubs)
    found = _descent(core.rest, partial(_among, guide, core.others), core.balance, seeds, crew, first)
    parts = with_core(core, found.parts, len(hypergraph))
    parts, cost = refined(hypergraph, parts, balance, np.random.default_rng(second), crew=crew)
    return Candidate(f"hubs: {found.setting}", parts, cost, balance.excess(hypergraph.weights, parts))


def _among(guide: Guide, vertices: Numbers) -> WeightedGraph:
    """The guide of some vertices, int64[r], ascending."""
    return subgraph(guide(), vertices)


def cycle_of(
    hypergraph: Hypergraph,
    best: Candidate,
    balance: Balance,
    kinds: Owners,
    seed: np.random.SeedSequence,
    crew: Crew = ALONE,
) -> Candidate:
    """Coarsen inside the parts and ``kinds``, int32[v], and refine on the way back."""
    rng = np.random.default_rng(seed)
    enough = enough_for(balance.parts)
    pairs, classes = np.unique(kinds.astype(np.int64) * balance.parts + best.parts, return_inverse=True)
    levels, coarsest, classes = coarsened(hypergraph, classes.astype(np.int32), enough, rng, crew)
    parts = (pairs[classes] % balance.parts).astype(np.int32)
    parts, cost = refined(coarsest, parts, balance, rng, crew=crew)
    return _ascent(hypergraph, levels, best._replace(parts=parts, cost=cost), balance, rng, crew)


def _ascent(
    hypergraph: Hypergraph,
    levels: list[Level],
    start: Candidate,
    balance: Balance,
    rng: np.random.Generator,
    crew: Crew,
) -> Candidate:
    """A start on the coarsest of the ``levels``, which are given up on the way, refined on each."""
    parts, cost = start.parts, start.cost
    while levels:
        level = levels.pop()
        parts, cost = refined(level.hypergraph, parts[level.clusters], balance, rng, crew=crew)
    return Candidate(start.setting, parts, cost, balance.excess(hypergraph.weights, parts))

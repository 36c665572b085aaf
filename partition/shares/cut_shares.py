"""Cutting a link graph of which each rank has a share: the multilevel scheme of `partition.cut.multilevel`, by all.

Coarsen on all ranks until one rank can hold what is left; there each rank cuts the same small hypergraph with seeds of
its own, and the best partition, combined with those of other ranks, wins; refine it level by level on all ranks.  The
cut of prefixes and the list of URLs cut into stretches are starts, too.  Then again inside the parts of what was found,
first inside what the best two starts have in common, as long as that gains.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.coarsening import enough_for
from partition.cut.communities import communities
from partition.cut.effort import Effort
from partition.cut.metis import MetisError
from partition.cut.multilevel import cut, cycle_of, is_far_behind
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph, contracted_graph
from partition.models.prefix import prefix_groups
from partition.shares.gathered_level import gathered_guide, gathered_hypergraph, guide_here
from partition.shares.hypergraph_share import HypergraphShare, share_of_edge_nets, share_of_sent_nets
from partition.shares.link_share import LinkShare
from partition.shares.range_start import range_parts_here
from partition.shares.shared_coarsening import ShareLevel, coarsened_share, contracted_share
from partition.shares.shared_refinement import refined_share
from partition.shares.shared_state import SharedState
from sessions.progress import Say

ONE_RANK_LIMIT = 2_000_000
"""The most vertices that one rank cuts by itself."""

IN_STRETCHES = "url-range"
"""What a `Candidate` that comes from stretches of the list of URLs says instead of a setting of METIS."""

_SMALLEST_GAIN = 0.002
_FEWEST_ROUNDS = 2  # clusters of one rank's vertices fit the cut badly until they are made inside its parts
_SEEDS_APART = 1 << 32
_MOST_DESCENTS = 8


@dataclass(frozen=True)
class Cutting:
    """How to cut: see `partition.models.settings.Settings`; ``limit`` is the most that one rank cuts alone."""

    balance: Balance
    effort: Effort
    seed: int
    threads: int
    limit: int = ONE_RANK_LIMIT
    with_kahypar: bool = False


def cut_shares(
    links: LinkShare, asked: Cutting, progress: Say, *, of_links: bool, groups: Numbers | None = None
) -> Candidate:
    """The best partition found: the parts of this rank's pages, int32[n], and what it costs on all ranks together.

    With ``groups``, int64[n], numbers from 0 without gaps, pages of a group stay together, and the parts are those of
    this rank's groups.  The same for the same seed and number of ranks.  ``of_links`` says that every link counts, not
    every URL that is sent.  Raises MetisError on all ranks if METIS gives up on all.
    """
    share = share_of_edge_nets(links) if of_links else share_of_sent_nets(links)
    if groups is not None:
        share = contracted_share(share, groups, int(groups.max(initial=-1)) + 1)
    rng = np.random.default_rng([asked.seed, links.ranks.rank])
    one = _Descents(links, share, asked, progress, of_links, rng, groups)
    alike = np.zeros(len(share), np.int32)
    best, *others = one.starts(alike)
    kinds = others[0].parts if others else alike
    rounds = max(_FEWEST_ROUNDS, asked.effort.rounds)
    for number in range(1, rounds + 1):
        better = one.cycle(best, kinds)
        gain = best.cost - better.cost
        best = min(best, better, key=lambda candidate: candidate.rank)
        progress(f"round {number} of {rounds} on all ranks: best {best.cost:,}")
        if gain <= _SMALLEST_GAIN * best.cost and kinds is alike:
            break
        kinds = alike
    return best


@dataclass(frozen=True)
class _Descents:
    """What descents through all levels have in common.

    The share's vertices are pages, or their ``groups``.
    """

    links: LinkShare
    share: HypergraphShare
    asked: Cutting
    progress: Say
    of_links: bool
    rng: np.random.Generator
    groups: Numbers | None = None

    def starts(self, alike: Owners) -> list[Candidate]:
        """What rounds may start from, best first; stretches are made better only if they are not far behind."""
        if self.groups is not None:
            return [self.descent()]
        found = sorted([self.descent(), *self.of_prefixes()], key=lambda candidate: candidate.rank)
        stretches = self.stretches()
        if not is_far_behind(stretches, found[0]):
            found.append(self.cycle(stretches, alike))
        elif stretches.rank < found[0].rank:
            found.append(stretches)
        return sorted(found, key=lambda candidate: candidate.rank)

    def descent(self) -> Candidate:
        """Coarsen, inside communities as long as that can be; cut; refine on the way back."""
        guide = guide_here(self.links, is_exact=self.of_links)
        if self.groups is not None:
            guide = contracted_graph(guide, self.groups, len(self.share))
        found = communities(guide, self.rng)
        levels, share, _ = self._coarsened(self.share, found)
        further, share, _ = self._coarsened(share, np.zeros(len(share), np.int32))
        levels += further
        self.progress(f"coarsened {self.share.vertices:,} vertices to {share.vertices:,} in {len(levels)} steps")
        return self._ascent(levels, share, self._cut_afresh(levels, share))

    def of_prefixes(self) -> list[Candidate]:
        """The cut of prefixes, refined on the way back, if there are enough; each rank groups its own URLs."""
        k, ranks = self.asked.balance.parts, self.links.ranks
        if not self.links.has_urls:
            return []
        whole = ranks.summed(self.links.weights.sum(axis=0))
        groups = prefix_groups(self.links.urls.to_pylist(), self.links.weights, k, whole).groups
        peopled, groups = np.unique(groups, return_inverse=True)
        prefixes = contracted_share(self.share, groups, len(peopled))
        if ranks.total(prefixes.local.weighty) < k:
            return []
        levels, share, _ = self._coarsened(prefixes, np.zeros(len(prefixes), np.int32))
        levels = [ShareLevel(self.share, groups), *levels]
        found = self._ascent(levels, share, self._cut_afresh(levels, share))
        return [found._replace(setting=f"prefix: {found.setting}")]

    def stretches(self) -> Candidate:
        """The list of URLs cut into stretches."""
        parts = range_parts_here(self.links, self.asked.balance)
        state = SharedState(self.share, parts, self.asked.balance)
        return Candidate(IN_STRETCHES, parts, state.cost, state.excess)

    def cycle(self, start: Candidate, kinds: Owners) -> Candidate:
        """Coarsen inside the parts and ``kinds``, int32[v]; refine on the way back."""
        k = self.asked.balance.parts
        pairs, classes = np.unique(kinds.astype(np.int64) * k + start.parts, return_inverse=True)
        levels, share, classes = self._coarsened(self.share, classes.astype(np.int32))
        parts = (pairs[classes] % k).astype(np.int32)
        start = start._replace(parts=share.ranks.gathered(parts))
        return self._ascent(levels, share, self._cut_again(share, start))

    def _cut_afresh(self, levels: Sequence[ShareLevel], coarsest: HypergraphShare) -> Candidate:
        """The best partition of the coarsest hypergraph: the parts of all ranks' vertices."""
        whole = gathered_hypergraph(coarsest)
        clusters = np.arange(len(coarsest)) + coarsest.offsets[coarsest.ranks.rank]
        for level in reversed(levels):
            clusters = clusters[level.clusters]
        clusters = clusters if self.groups is None else clusters[self.groups]
        guide = gathered_guide(self.links, clusters, whole.weights, is_exact=self.of_links)
        # As many as cost together what one of all vertices would.
        descents = min(_MOST_DESCENTS, self.share.vertices // coarsest.vertices)
        effort = replace(self.asked.effort, descents=max(self.asked.effort.descents, descents))
        own = self._by_this_rank(whole, guide, effort, [])
        best = self._best(own)
        return self._best(self._combined(whole, best, own))

    def _combined(self, whole: Hypergraph, best: Candidate, own: Candidate | MetisError) -> Candidate:
        """The best partition, coarsened inside what it and this rank's own have in common, and refined on the way back.

        So what both agree on moves as a whole (Sanders and Schulz, "Distributed Evolutionary Graph Partitioning",
        ALENEX 2012, section 3).
        """
        kinds = np.zeros(len(whole), np.int32) if isinstance(own, MetisError) else own.parts
        seed = np.random.SeedSequence([self.asked.seed, self.links.ranks.rank])
        found = cycle_of(whole, best, self.asked.balance, kinds, seed)
        return min(best, found, key=lambda candidate: candidate.rank)

    def _cut_again(self, coarsest: HypergraphShare, start: Candidate) -> Candidate:
        """The best partition of the coarsest hypergraph that comes of one."""
        whole = gathered_hypergraph(coarsest)
        guide = WeightedGraph(csr_array((len(whole), len(whole)), dtype=np.int64), whole.weights)  # nothing asks for it
        effort = replace(self.asked.effort, descents=0, rounds=min(1, self.asked.effort.rounds), cores=(), kahypars=0)
        return self._best(self._by_this_rank(whole, guide, effort, [start]))

    def _coarsened(self, share: HypergraphShare, classes: Owners) -> tuple[list[ShareLevel], HypergraphShare, Owners]:
        clusters = enough_for(self.asked.balance.parts)
        limits = share.ranks.summed(share.local.weights.sum(axis=0)) // clusters + 1
        return coarsened_share(share, classes, max(clusters, self.asked.limit), limits, self.rng)

    def _by_this_rank(
        self, whole: Hypergraph, guide: WeightedGraph, effort: Effort, starts: Sequence[Candidate]
    ) -> Candidate | MetisError:
        """What this rank finds with a seed of its own; the error if METIS gives up here."""
        asked = self.asked
        seed = asked.seed + self.links.ranks.rank * _SEEDS_APART
        try:
            return cut(
                whole, lambda: guide, asked.balance, effort, seed, asked.threads, self.progress,
                starts=starts, guide_is_exact=self.of_links and not starts, with_kahypar=asked.with_kahypar,
            )  # fmt: skip
        except MetisError as error:
            return error

    def _best(self, found: Candidate | MetisError) -> Candidate:
        """The best of what all ranks have found; of equals the lowest rank's."""
        ranks = self.links.ranks
        ranked = ranks.together(None if isinstance(found, MetisError) else found.rank)
        finders = [rank for rank, one in enumerate(ranked) if one is not None]
        if isinstance(found, MetisError) and not finders:
            raise found
        winner = min(finders, key=lambda rank: (ranked[rank], rank))
        return ranks.told(found, winner)  # type: ignore[return-value]  # who won has found one

    def _ascent(self, levels: Sequence[ShareLevel], coarsest: HypergraphShare, start: Candidate) -> Candidate:
        """Refine a partition of the coarsest hypergraph on all levels: this rank's parts of pages."""
        rank = coarsest.ranks.rank
        parts = start.parts[coarsest.offsets[rank] : coarsest.offsets[rank + 1]]
        cost, excess = start.cost, start.excess
        for number, level in enumerate(reversed(levels)):
            parts, cost, excess = refined_share(level.share, parts[level.clusters], self.asked.balance, self.rng)
            self.progress(f"refined level {len(levels) - number} on all ranks: {cost:,}")
        return Candidate(start.setting, parts, cost, excess)

"""Cutting by streams: the skeleton as a whole, then batch by batch with all other pages where they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance, balance_of
from partition.cut.coarsening import coarsened, enough_for
from partition.cut.connectivity import connectivity
from partition.cut.effort import EFFORTS
from partition.cut.multilevel import cut
from partition.cut.refinement import refined
from partition.graphs.group_sums import summed
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import too_many_parts_error
from partition.measures.summed_measures import SummedMeasures
from partition.streaming.batch_hypergraph import batch_hypergraph, weights_of
from partition.streaming.batches import Batches
from partition.streaming.skeleton import MOST_PINS, skeleton
from partition.streaming.streamed_measures import streamed_measures
from sessions.progress import Say

PASSES = {"low": 1, "normal": 2, "high": 4}
"""How often all batches are refined, by effort, as long as that gains."""

_SMALLEST_GAIN = 0.002


@dataclass(frozen=True)
class StreamedCut:
    """The part of each page, int32[n], what it is worth, and how it was found: ``setting``."""

    parts: Owners
    measures: SummedMeasures
    setting: str

    @property
    def cost(self) -> int:
        """What is kept small."""
        return self.measures.pages.sent_bytes

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Smaller is better, as of `partition.cut.portfolio.Candidate`."""
        return self.measures.excess > 0, round(self.measures.excess, 2), self.cost


@dataclass(frozen=True)
class Streaming:
    """How to cut: `partition.models.settings.Settings` explains the names."""

    balanced: tuple[str, ...]
    tolerances: tuple[float, ...]
    shares: tuple[float, ...] | None
    effort: str
    seed: int
    threads: int
    kahypar: bool
    most_pins: int = MOST_PINS


def streamed_cut(batches: Batches, k: int, asked: Streaming, progress: Say) -> StreamedCut:
    """Cut a web in batches into ``k`` parts; the same for the same seed and batches.

    In memory are 4 bytes for each page, the skeleton and one batch with its links.  Raises GraphError if there are
    fewer pages than parts.
    """
    if k > len(batches.pages):
        raise too_many_parts_error(k, len(batches.pages), "pages")
    first, second = (np.random.default_rng([asked.seed, stage]) for stage in range(2))
    progress("making clusters of each batch")
    bones = skeleton(batches, k, asked.balanced, first, asked.most_pins)
    balance = balance_of(bones.hypergraph.weights, k, asked.tolerances, asked.shares)
    told = f"{len(bones.hypergraph):,} clusters of {len(batches.pages):,} pages"
    progress(f"cutting {told}")
    start = cut(
        bones.hypergraph,
        lambda guide=bones.guide: guide,  # type: ignore[misc]
        balance,
        EFFORTS[asked.effort],
        asked.seed,
        asked.threads,
        lambda what: progress(f"{told}: {what}"),
        with_kahypar=asked.kahypar,
    )
    parts = start.parts[bones.clusters]
    del bones
    best = StreamedCut(parts, streamed_measures(batches, parts, balance, asked.balanced), f"{told}: {start.setting}")
    for number in range(1, PASSES[asked.effort] + 1):
        say = _of_pass(progress, number, PASSES[asked.effort], len(batches))
        parts = refined_batches(batches, best.parts, balance, asked.balanced, second, say)
        found = StreamedCut(parts, streamed_measures(batches, parts, balance, asked.balanced), best.setting)
        is_worth_more = found.cost < (1 - _SMALLEST_GAIN) * best.cost
        best = min(best, found, key=lambda one: one.rank)
        if best is not found or not is_worth_more:
            break
    return best


def refined_batches(
    batches: Batches,
    parts: Owners,
    balance: Balance,
    balanced: tuple[str, ...],
    rng: np.random.Generator,
    progress: Callable[[int], None] = lambda _: None,
) -> Owners:
    """Refine one batch after the other, each with what the others have become: the new parts, int32[n].

    The whole may come out worse, for not all is known of nets whose page lies in another batch.
    """
    parts = parts.copy()
    loads = np.zeros_like(balance.limits)
    for batch in range(len(batches)):
        first, size = batches.span(batch)
        loads += summed(weights_of(batches, batch, balanced), parts[first : first + size], balance.parts)
    for batch in range(len(batches)):
        progress(batch)
        first, size = batches.span(batch)
        own = weights_of(batches, batch, balanced)
        before = parts[first : first + size]
        loads -= summed(own, before, balance.parts)
        pages = batch_hypergraph(batches, batch, parts, balance.parts, own)
        parts[first : first + size] = _refined(pages, before, replace(balance, limits=balance.limits - loads), rng)
        loads += summed(own, parts[first : first + size], balance.parts)
    return parts


def _refined(pages: Hypergraph, before: Owners, room: Balance, rng: np.random.Generator) -> Owners:
    """The parts of a batch's pages, int32[m], no worse than ``before``: coarsen inside the parts, refine on the way up.

    ``room`` limits the parts to what the pages of other batches leave.
    """
    fixed = np.arange(room.parts, dtype=np.int32)
    old = np.concatenate([before, fixed])
    enough = enough_for(room.parts) + room.parts
    classes = np.concatenate([before, room.parts + fixed])  # a part is a cluster of its own
    levels, coarsest, classes = coarsened(pages, classes, enough, rng)
    found, _ = refined(coarsest, (classes % room.parts).astype(np.int32), room, rng)
    for level in reversed(levels):
        found, _ = refined(level.hypergraph, found[level.clusters], room, rng)
    found[len(before) :] = fixed  # swaps that mend a balance do not ask what they cost
    ranks = [(room.excess(pages.weights, one), connectivity(pages, one, room.parts)) for one in (found, old)]
    return (found if ranks[0] < ranks[1] else old)[: len(before)]


def _of_pass(progress: Say, number: int, passes: int, batches: int) -> Callable[[int], None]:
    return lambda batch: progress(f"pass {number} of {passes} at most: batch {batch + 1:,} of {batches:,}")

"""From a session's graph to K parts, by any of the models."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import url_keys
from partition.choices import BALANCED, MODELS, WEIGHTS
from partition.cut.anchors import Pull, homes, with_anchors
from partition.cut.balance import TOLERANCE, Balance, balance_of
from partition.cut.coarsening import contracted
from partition.cut.effort import EFFORTS
from partition.cut.guide_graph import sent_guide
from partition.cut.kahypar import is_installed
from partition.cut.migration import as_candidate, carried_over, migration_pull
from partition.cut.multilevel import Guide, Progress, cut
from partition.cut.placement import placed
from partition.cut.portfolio import Candidate
from partition.cut.recutting import OLD, recut
from partition.cut.remap import relabelled
from partition.cut.time_cost import time_pull
from partition.graphs.hypergraph import Hypergraph, edge_nets, sent_nets
from partition.graphs.link_graph import GraphError, LinkGraph, Numbers
from partition.graphs.weighted_graph import contracted_graph, page_graph
from partition.map.majority_prefixes import majority_beneath, majority_prefixes
from partition.models.model import Model
from partition.models.previous_owners import Previous

SENT, LINKS = "sent", "links"
_NOBODY = -1
_FASTEST = "where vertices take least"


@dataclass(frozen=True)
class Settings:
    """How to cut: see `partition.choices.OBJECTIVES` and `partition.cut.effort.EFFORTS`.

    ``balance`` are the weights that are kept even (`partition.choices.WEIGHTS`), each with its tolerance, None for
    ``tolerance``; 0.05 lets a part be 5% heavier than its share.  ``shares`` are the parts' sizes relative to each
    other, equal if None, and ``shares_are_measured`` says that they are speeds (`partition.models.rank_speeds`).  The
    same ``seed`` gives the same partition, whatever the number of ``threads``.  ``migration_cost`` is what a byte of
    pages that changes its owner is worth, in units of the objective; with 0 it is only seen to it that parts have the
    best names.  ``time_cost`` is what a second that pages are expected to take is worth, in the same units.
    ``kahypar`` lets Mt-KaHyPar find starts, too, from the effort normal on.
    """

    objective: str = SENT
    tolerance: float = TOLERANCE
    effort: str = "normal"
    seed: int = 1
    shares: tuple[float, ...] | None = None
    shares_are_measured: bool = False
    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    migration_cost: float = 0.0
    time_cost: float = 0.0
    kahypar: bool = field(default_factory=is_installed)
    balance: Mapping[str, float | None] = field(default_factory=lambda: dict.fromkeys(BALANCED))

    @property
    def tolerances(self) -> dict[str, float]:
        """The tolerance of each weight that is balanced, by name."""
        return {name: self.tolerance if own is None else own for name, own in self.balance.items()}


@dataclass(frozen=True)
class Partition:
    """A model's partition of a session's pages.

    Attributes:
        model: its name.
        k: number of parts.
        parts: int32[n], the part of each page.
        prefixes, prefix_parts: who owns URLs that are not among the pages, by their longest prefix; int32[m].
        settings: what was asked and which of the things tried won, for the manifest.
        is_balanced: no part is empty, and every one within the tolerance of each weight.
        excesses: by how much the worst part is beyond the tolerance of each weight, relative to its share; 0 if it is
            within.
    """

    model: str
    k: int
    parts: Owners
    prefixes: list[str]
    prefix_parts: Owners
    settings: dict[str, Any]
    is_balanced: bool
    excesses: dict[str, float] = field(default_factory=dict)


def models_for(graph: LinkGraph) -> tuple[str, ...]:
    """The models that a graph allows: without URLs there are no sites or prefixes, and ranges are of page numbers."""
    return tuple(name for name in MODELS if graph.has_urls or not MODELS.load(name).needs_urls)


def too_many_parts(graph: LinkGraph, model: str, parts: Sequence[int]) -> dict[int, str]:
    """Return why a model cannot be cut into some of these numbers of parts, as far as that shows without a cut.

    The reason is the same for all of them.
    """
    kind: Model = MODELS.load(model)
    unit, count = "pages", len(graph)
    if kind.group is not None and not kind.depends_on_k:
        unit, count = kind.unit, len(np.unique(kind.group(graph, max(parts)).groups))
    counted = f"{count:,} {unit if count != 1 else unit.removesuffix('s')}"
    return {k: f"there are {counted}, so some parts would be empty" for k in parts if k > count}


def partition_pages(
    graph: LinkGraph,
    model: str,
    k: int,
    settings: Settings | None = None,
    progress: Progress | None = None,
    previous: Previous | None = None,
    site_microseconds: Numbers | None = None,
) -> Partition:
    """Cut a session's pages into ``k`` parts; with as much as that is worth left to its ``previous`` owners.

    ``site_microseconds``, int64[s, k], are what a page of each of the graph's sites is expected to take in each part,
    for ``Settings.time_cost``.  If the balance cannot be kept the partition is the least unbalanced one found, and says
    so.  Raises GraphError if there are fewer pages (or sites, or prefixes) than parts, if the graph has no URLs and the
    model needs them, if it does not know a weight that is to be balanced, or if there is a migration or time cost and
    nothing that it can be applied to; ValueError for a model or a weight that there is not.
    """
    settings = settings or Settings()
    kind: Model = MODELS.load(model)
    _check(graph, model, kind, k)
    _check_costs(model, kind, settings, previous, site_microseconds)
    graph = replace(graph, balanced=_checked(settings.tolerances))
    balance = balance_of(graph.weights, k, list(settings.tolerances.values()), settings.shares)
    balancing = {"tolerance": settings.tolerance, "balance": settings.tolerances}
    asked = {"objective": settings.objective, **balancing, "effort": settings.effort}
    if kind.divide is not None:
        parts = kind.divide(graph, balance)
        if previous:
            parts = relabelled(parts, previous.held(graph, np.arange(len(graph)), len(graph), k), balance)
        return _of_pages(graph, model, balance, parts, balancing)
    assert kind.group is not None
    grouping = kind.group(graph, k)
    # A prefix of which no page is left is nothing to cut: a part could end up with such prefixes only.
    peopled, vertices = np.unique(grouping.groups, return_inverse=True)
    if len(peopled) < k:
        raise GraphError(f"{k} parts of {len(peopled):,} {kind.unit}: some would be empty")
    level = _page_level(graph, settings.objective)
    starts, cut_already = _coarser_cuts(graph, kind, level, balance, settings, progress or _quiet)
    if grouping.prefixes:
        level = _as_vertices(level, vertices, len(peopled))
    memory = _memory(graph, previous, vertices, len(peopled), k) if previous else None
    if settings.time_cost and site_microseconds is not None:
        microseconds = _of_vertices(site_microseconds, graph, vertices, len(peopled))
        level = level._replace(time=time_pull(microseconds, settings.time_cost))
    best = _cut_level(level, starts, balance, settings, progress or _quiet, memory, cut_already)
    del level  # telling prefixes takes memory, too
    asked |= {"vertices": len(peopled), "won": best.setting}
    parts = best.parts[vertices]
    if not grouping.prefixes:
        return _of_pages(graph, model, balance, parts, asked)
    prefix_parts = np.full(grouping.count, _NOBODY, np.int32)
    prefix_parts[peopled] = best.parts
    empty = np.flatnonzero(prefix_parts == _NOBODY)
    keys = url_keys(graph.urls.to_pylist())
    prefix_parts[empty] = majority_beneath(keys, parts, [grouping.prefixes[group] for group in empty.tolist()])
    return _partition(graph, model, balance, parts, grouping.prefixes, prefix_parts, asked)


class _Level(NamedTuple):
    """What is to be cut, what makes the graph that guides it, and what pulls vertices to where they take least time."""

    hypergraph: Hypergraph
    guide: Guide
    time: Pull | None = None


class _Memory(NamedTuple):
    """What the parts held of each vertex, int64 CSR [v, k].

    ``carried``, int32[v], is the part that held most of it; for vertices that are new, ``is_new`` bool[v], the part
    that the map's rule gives most of it.
    """

    held: csr_array
    carried: Owners
    is_new: npt.NDArray[np.bool_]


class _Pulled(NamedTuple):
    """A hypergraph with anchors, and ``start``, int32[v], a partition that is good by them.

    Vertices that are new, bool[v], are still to be placed; ``name`` is what the start is called.
    """

    hypergraph: Hypergraph
    start: Owners
    is_new: npt.NDArray[np.bool_]
    name: str


def _cut_level(
    level: _Level,
    starts: Sequence[Candidate],
    balance: Balance,
    settings: Settings,
    progress: Progress,
    memory: _Memory | None = None,
    cut_already: float = 0.0,
) -> Candidate:
    """The best cut; ``starts`` are of ``cut_already`` times as many groups of the level's vertices."""
    hypergraph, guide, _ = level
    effort, chances = EFFORTS[settings.effort], (settings.seed, settings.threads)
    first = effort.after(cut_already)
    is_exact = settings.objective == LINKS
    fresh = cut(
        hypergraph,
        guide,
        balance,
        first,
        *chances,
        progress,
        starts=starts,
        guide_is_exact=is_exact,
        with_kahypar=settings.kahypar,
    )
    held = _held(level, memory)
    if held is None:
        return fresh
    fresh = fresh._replace(parts=relabelled(fresh.parts, held, balance))
    pulled = _pulled(level, memory, settings)
    if pulled is None:
        return fresh
    carried = carried_over(pulled.start, pulled.hypergraph.weights, balance)
    carried = placed(pulled.hypergraph, carried, pulled.is_new, balance)
    return recut(pulled.hypergraph, fresh, carried, balance, effort, *chances, progress, pulled.name)


def _held(level: _Level, memory: _Memory | None) -> csr_array | None:
    """What gives parts their names, int64 CSR [v, k]: where vertices take least, else where they were before."""
    if level.time is not None:
        return level.time.amounts
    return None if memory is None else memory.held


def _pulled(level: _Level, memory: _Memory | None, settings: Settings) -> _Pulled | None:
    """The hypergraph with all its anchors, and a start that is good by them; None if it has none."""
    pulls = [] if level.time is None else [level.time]
    if memory is not None and settings.migration_cost:
        pulls.append(migration_pull(memory.held, settings.migration_cost))
    if not pulls:
        return None
    hypergraph = with_anchors(level.hypergraph, pulls)
    if level.time is None and memory is not None:
        return _Pulled(hypergraph, memory.carried, memory.is_new, OLD)
    strongest = homes(hypergraph)
    return _Pulled(hypergraph, np.maximum(strongest - 1, 0), strongest == 0, _FASTEST)


def _coarser_cuts(
    graph: LinkGraph, kind: Model, level: _Level, balance: Balance, settings: Settings, progress: Progress
) -> tuple[list[Candidate], float]:
    """The cuts of the coarser models, as ones of pages, and the groups that were cut for each page.

    What starts from them ends no worse.
    """
    found, cut_already = [], 0.0
    for name in kind.coarser:
        coarser: Model = MODELS.load(name)
        if coarser.needs_urls and not graph.has_urls:
            continue
        if coarser.divide is not None:
            found.append(as_candidate(name, level.hypergraph, coarser.divide(graph, balance), balance))
            continue
        assert coarser.group is not None
        peopled, vertices = np.unique(coarser.group(graph, balance.parts).groups, return_inverse=True)
        grouped = _as_vertices(level, vertices, len(peopled))
        if grouped.hypergraph.weighty >= balance.parts:
            best = _cut_level(grouped, [], balance, settings, progress)
            found.append(best._replace(setting=f"{name}: {best.setting}", parts=best.parts[vertices]))
            cut_already += len(peopled) / len(graph)
    return found, cut_already


def _as_vertices(level: _Level, groups: Numbers, count: int) -> _Level:
    """The level whose vertices are groups of pages; ``groups``, int64[n], has the number of each page's."""
    guide = contracted_graph(level.guide(), groups, count)
    return _Level(contracted(level.hypergraph, groups, count), lambda: guide)


def _memory(graph: LinkGraph, previous: Previous, vertices: Numbers, count: int, k: int) -> _Memory:
    is_new = np.bincount(vertices[previous.owners >= 0], minlength=count) == 0
    return _Memory(previous.held(graph, vertices, count, k), previous.carried_by(graph, vertices, count), is_new)


def _of_vertices(site_microseconds: Numbers, graph: LinkGraph, vertices: Numbers, count: int) -> Numbers:
    """What each of ``count`` vertices takes in each part, int64[count, k]: the sum over its pages."""
    ones = np.ones(len(graph), np.int64)
    pages_of = csr_array((ones, (vertices, graph.sites)), shape=(count, len(graph.site_names)))
    microseconds: Numbers = pages_of @ site_microseconds
    return microseconds


def _page_level(graph: LinkGraph, objective: str) -> _Level:
    """The level whose vertices are pages."""
    if objective == SENT:
        return _Level(sent_nets(graph), partial(sent_guide, graph))
    return _Level(edge_nets(page_graph(graph)), partial(page_graph, graph))


def _of_pages(graph: LinkGraph, model: str, balance: Balance, parts: Owners, asked: dict[str, Any]) -> Partition:
    """A partition whose prefixes follow from what most pages beneath them belong to."""
    prefixes, prefix_parts = majority_prefixes(url_keys(graph.urls.to_pylist()), parts)
    return _partition(graph, model, balance, parts, prefixes, prefix_parts, asked)


def _partition(
    graph: LinkGraph,
    model: str,
    balance: Balance,
    parts: Owners,
    prefixes: list[str],
    prefix_parts: Owners,
    asked: dict[str, Any],
) -> Partition:
    excesses = dict(zip(graph.balanced, balance.excesses(graph.weights, parts).tolist(), strict=True))
    is_balanced = balance.excess(graph.weights, parts) == 0
    return Partition(model, balance.parts, parts, prefixes, prefix_parts, asked, is_balanced, excesses)


def _checked(tolerances: Mapping[str, float]) -> tuple[str, ...]:
    """The names of the weights to be balanced."""
    for name in tolerances:
        WEIGHTS.check(name)
    if not tolerances:
        raise GraphError(f"nothing is to be balanced; name one at least of {', '.join(WEIGHTS)}")
    return tuple(tolerances)


def _check(graph: LinkGraph, model: str, kind: Model, k: int) -> None:
    if kind.needs_urls and not graph.has_urls:
        raise GraphError(f"the {model} model needs URLs, and this session was imported without any")
    if k > len(graph):
        raise GraphError(f"{k} parts of {len(graph):,} pages: some would be empty")


def _check_costs(
    model: str, kind: Model, settings: Settings, previous: Previous | None, site_microseconds: Numbers | None
) -> None:
    if settings.migration_cost and previous is None:
        raise GraphError("a migration cost needs a previous map, whose pages would migrate")
    if settings.time_cost and site_microseconds is None:
        raise GraphError("a time cost needs the times that the session's sites are expected to take at each rank")
    for cost, name in ((settings.migration_cost, "migration"), (settings.time_cost, "time")):
        if cost and kind.divide is not None:
            raise GraphError(
                f"the {model} model follows from the balance alone, so there is nothing to weigh a {name} cost against"
            )


def _quiet(_what: str) -> None:
    """The progress of a cut that nobody watches."""

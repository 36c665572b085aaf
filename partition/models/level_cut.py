"""Cutting one level of a session's pages: all of them, or groups that a model keeps together, with what they remember.

A level is a hypergraph and what guides its cut.  What the parts held before, and where pages take least time, pull at
its vertices.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.choices import MODELS
from partition.cut.anchors import Pull, homes, with_anchors
from partition.cut.balance import Balance
from partition.cut.coarsening import contracted
from partition.cut.effort import EFFORTS
from partition.cut.guide_graph import sent_guide
from partition.cut.migration import as_candidate, carried_over, migration_pull
from partition.cut.multilevel import Guide, cut
from partition.cut.placement import placed
from partition.cut.portfolio import Candidate
from partition.cut.recutting import OLD, recut
from partition.cut.remap import relabelled
from partition.graphs.hypergraph import Hypergraph, edge_nets, sent_nets
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.graphs.weighted_graph import contracted_graph, page_graph
from partition.models.model import Model
from partition.models.previous_owners import Previous
from partition.models.settings import LINKS, SENT, Settings
from sessions.progress import Say

_FASTEST = "where vertices take least"


class ModelLevel(NamedTuple):
    """What is to be cut, what makes the graph that guides it, and what pulls vertices to where they take least time."""

    hypergraph: Hypergraph
    guide: Guide
    time: Pull | None = None


class Memory(NamedTuple):
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


def cut_level(
    level: ModelLevel,
    starts: Sequence[Candidate],
    balance: Balance,
    settings: Settings,
    progress: Say,
    memory: Memory | None = None,
    cut_already: float = 0.0,
) -> Candidate:
    """Return the best cut; ``starts`` are of ``cut_already`` times as many groups of the level's vertices."""
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


def _held(level: ModelLevel, memory: Memory | None) -> csr_array | None:
    """What gives parts their names, int64 CSR [v, k]: where vertices take least, else where they were before."""
    if level.time is not None:
        return level.time.amounts
    return None if memory is None else memory.held


def _pulled(level: ModelLevel, memory: Memory | None, settings: Settings) -> _Pulled | None:
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


def coarser_cuts(
    graph: LinkGraph, kind: Model, level: ModelLevel, balance: Balance, settings: Settings, progress: Say
) -> tuple[list[Candidate], float]:
    """Return the cuts of the coarser models, as ones of pages, and the groups that were cut for each page.

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
        grouped = as_vertices(level, vertices, len(peopled))
        if grouped.hypergraph.weighty >= balance.parts:
            best = cut_level(grouped, [], balance, settings, progress)
            found.append(best._replace(setting=f"{name}: {best.setting}", parts=best.parts[vertices]))
            cut_already += len(peopled) / len(graph)
    return found, cut_already


def as_vertices(level: ModelLevel, groups: Numbers, count: int) -> ModelLevel:
    """The level whose vertices are groups of pages; ``groups``, int64[n], has the number of each page's."""
    guide = contracted_graph(level.guide(), groups, count)
    return ModelLevel(contracted(level.hypergraph, groups, count), lambda: guide)


def memory_of(graph: LinkGraph, previous: Previous, vertices: Numbers, count: int, k: int) -> Memory:
    """What an earlier map says of ``count`` vertices; ``vertices``, int64[n], has the number of each page's."""
    is_new = np.bincount(vertices[previous.owners >= 0], minlength=count) == 0
    return Memory(previous.held(graph, vertices, count, k), previous.carried_by(graph, vertices, count), is_new)


def of_vertices(site_microseconds: Numbers, graph: LinkGraph, vertices: Numbers, count: int) -> Numbers:
    """What each of ``count`` vertices takes in each part, int64[count, k]: the sum over its pages."""
    ones = np.ones(len(graph), np.int64)
    pages_of = csr_array((ones, (vertices, graph.sites)), shape=(count, len(graph.site_names)))
    microseconds: Numbers = pages_of @ site_microseconds
    return microseconds


def page_level(graph: LinkGraph, objective: str) -> ModelLevel:
    """The level whose vertices are pages."""
    if objective == SENT:
        return ModelLevel(sent_nets(graph), partial(sent_guide, graph))
    return ModelLevel(edge_nets(page_graph(graph)), partial(page_graph, graph))

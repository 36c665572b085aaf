"""From a session's graph to K parts, by any of the models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import url_keys
from partition.choices import MODELS, WEIGHTS
from partition.cut.balance import Balance, balance_of
from partition.cut.portfolio import Candidate
from partition.cut.remap import relabelled
from partition.cut.time_cost import time_pull
from partition.graphs.link_graph import GraphError, LinkGraph, Numbers, too_many_parts_error
from partition.map.majority_prefixes import majority_beneath, majority_prefixes
from partition.models.level_cut import (
    as_vertices,
    coarser_cuts,
    cut_level,
    memory_of,
    of_vertices,
    page_level,
)
from partition.models.model import Grouping, Model
from partition.models.previous_owners import Previous
from partition.models.settings import Settings
from sessions.progress import Say, say_nothing

_NOBODY = -1


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
    progress: Say = say_nothing,
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
    if kind.divide is not None:
        parts = kind.divide(graph, balance)
        if previous:
            parts = relabelled(parts, previous.held(graph, np.arange(len(graph)), len(graph), k), balance)
        return _of_pages(graph, model, balance, parts, _balancing(settings))
    assert kind.group is not None
    grouping = kind.group(graph, k)
    # A prefix of which no page is left is nothing to cut: a part could end up with such prefixes only.
    peopled, vertices = np.unique(grouping.groups, return_inverse=True)
    if len(peopled) < k:
        raise too_many_parts_error(k, len(peopled), kind.unit)
    groups = _PeopledGroups(grouping, peopled, vertices)
    best = _cut_groups(graph, kind, groups, balance, settings, progress, previous, site_microseconds)
    asked = {"objective": settings.objective, **_balancing(settings), "effort": settings.effort}
    asked |= {"vertices": len(peopled), "won": best.setting}
    parts = best.parts[vertices]
    if not grouping.prefixes:
        return _of_pages(graph, model, balance, parts, asked)
    return _partition(
        graph, model, balance, parts, grouping.prefixes, _parts_of_prefixes(graph, groups, best.parts, parts), asked
    )


class _PeopledGroups(NamedTuple):
    """What a model says goes together, and what of it has pages: the vertices of a cut.

    ``peopled``, int64[v] ascending, are the groups that have pages; ``vertices``, int64[n], is the place there of each
    page's group.
    """

    grouping: Grouping
    peopled: Numbers
    vertices: Numbers


def _cut_groups(
    graph: LinkGraph,
    kind: Model,
    groups: _PeopledGroups,
    balance: Balance,
    settings: Settings,
    progress: Say,
    previous: Previous | None,
    site_microseconds: Numbers | None,
) -> Candidate:
    """The best cut of groups that have pages, also from what the coarser models make of these pages."""
    vertices, count = groups.vertices, len(groups.peopled)
    level = page_level(graph, settings.objective)
    starts, cut_already = coarser_cuts(graph, kind, level, balance, settings, progress)
    if groups.grouping.prefixes:
        level = as_vertices(level, vertices, count)
    memory = memory_of(graph, previous, vertices, count, balance.parts) if previous else None
    if settings.time_cost and site_microseconds is not None:
        microseconds = of_vertices(site_microseconds, graph, vertices, count)
        level = level._replace(time=time_pull(microseconds, settings.time_cost))
    return cut_level(level, starts, balance, settings, progress, memory, cut_already)


def _parts_of_prefixes(graph: LinkGraph, groups: _PeopledGroups, parts: Owners, page_parts: Owners) -> Owners:
    """The part of each prefix, int32[m]: that of its group, or, where it has no page, of most pages beneath it."""
    prefix_parts = np.full(groups.grouping.count, _NOBODY, np.int32)
    prefix_parts[groups.peopled] = parts
    empty = np.flatnonzero(prefix_parts == _NOBODY)
    keys = url_keys(graph.urls.to_pylist())
    names = [groups.grouping.prefixes[group] for group in empty.tolist()]
    prefix_parts[empty] = majority_beneath(keys, page_parts, names)
    return prefix_parts


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


def _balancing(settings: Settings) -> dict[str, Any]:
    """What was asked of the balance, for the manifest."""
    return {"tolerance": settings.tolerance, "balance": settings.tolerances}


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
        raise too_many_parts_error(k, len(graph), "pages")


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

"""The prefix model: sites, and of those that are too heavy the directories, down to what can be balanced.

A site that has half of the web can be owned by no single rank, and the page model scatters it.  Its own URL structure
says where it may be cut: after the host, after each path segment, at the query and after each of its parameters, and
only where all that does not divide a group further, between any two characters.  The longest prefix that a URL has owns
it, so every URL that will ever be found has an owner that is close to its neighbours'.
"""

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import numpy.typing as npt

from partition.assignment.url_prefixes import site_of_key, site_prefix, url_keys
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.models.model import Grouping, Model

VERTICES_PER_PART, VERTICES_AT_LEAST = 32, 1024
"""A group weighs at most 1/32 of an average part and 1/1024 of the whole, in each weight that is balanced.

More make less volume and spread sites over more ranks; few parts need more of them each to be as free as many.
"""

_BOUNDARIES = "/?&"


def by_prefix(graph: LinkGraph, k: int) -> Grouping:
    """Groups of pages that begin alike, none heavier than `VERTICES_PER_PART` says where that can be.

    Each page belongs to the group with the longest prefix that its key has.
    """
    return prefix_groups(graph.urls.to_pylist(), graph.weights, k)


def prefix_groups(urls: list[str], weights: Numbers, k: int, whole: Numbers | None = None) -> Grouping:
    """What `by_prefix` gives of pages with these canonical URLs and weights, int64[n, w].

    ``whole``, int64[w], is what all pages weigh if these are only some of them.
    """
    keys = np.array(url_keys(urls), dtype=object)
    order = np.argsort(keys, kind="stable")
    whole = weights.sum(axis=0) if whole is None else whole
    loads = _Loads(weights[order], whole / max(k * VERTICES_PER_PART, VERTICES_AT_LEAST))
    in_order = keys[order].tolist()
    groups = np.empty(len(urls), np.int64)
    prefixes: list[str] = []
    for prefix, members in _groups(in_order, loads):
        groups[order[members]] = len(prefixes)
        prefixes.append(prefix)
    return Grouping(groups, prefixes, len(prefixes))


class _Loads:
    """Is a group too heavy?  Its members are positions in the sorted list of keys."""

    def __init__(self, weights: Numbers, limits: npt.NDArray[np.float64]) -> None:
        self._weights = weights
        self._limits = limits

    def are_too_heavy(self, members: list[int]) -> bool:
        return len(members) > 1 and bool((self._weights[members].sum(axis=0) > self._limits).any())


def _groups(keys: list[str], loads: _Loads) -> Iterator[tuple[str, list[int]]]:
    """Prefixes and the positions of the keys that each owns, from sorted keys."""
    sites = groupby(range(len(keys)), key=lambda position: site_of_key(keys[position]))
    pending = [(site_prefix(site), list(members)) for site, members in sites]
    while pending:
        prefix, members = pending.pop()
        if not loads.are_too_heavy(members):
            yield prefix, members
            continue
        rest, children = _divided(keys, prefix, members)
        if loads.are_too_heavy(rest):
            rest, more = _divided_anywhere(keys, prefix, rest)
            children += more
        # The prefix itself stays, even of nothing: it owns what nobody has seen beneath it.
        yield prefix, rest
        pending += children


def _divided(keys: list[str], prefix: str, members: list[int]) -> tuple[list[int], list[tuple[str, list[int]]]]:
    """Members that have no boundary after the prefix, and the others by what stands up to their next one."""
    rest: list[int] = []
    children: dict[str, list[int]] = {}
    for member in members:
        end = _next_boundary(keys[member], len(prefix))
        if end is None:
            rest.append(member)
        else:
            children.setdefault(keys[member][:end], []).append(member)
    return rest, list(children.items())


def _next_boundary(key: str, start: int) -> int | None:
    """The end of the next path segment or query parameter; None if there is none."""
    places = [place for mark in _BOUNDARIES if (place := key.find(mark, start)) >= 0]
    return min(places) + 1 if places else None


def _divided_anywhere(
    keys: list[str], prefix: str, members: list[int]
) -> tuple[list[int], list[tuple[str, list[int]]]]:
    """Members by the first character in which they differ; those that end before it remain."""
    # Sorted, so what the first and the last have in common all have.
    first, last = keys[members[0]], keys[members[-1]]
    end = len(prefix)
    while end < min(len(first), len(last)) and first[end] == last[end]:
        end += 1
    rest = [member for member in members if len(keys[member]) <= end]
    children: dict[str, list[int]] = {}
    for member in members[len(rest) :]:
        children.setdefault(keys[member][: end + 1], []).append(member)
    return rest, list(children.items())


PREFIX = Model("URL prefixes", finer="page", depends_on_k=True, group=by_prefix)

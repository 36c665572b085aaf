"""URL ranges: the pages sorted by reversed host and path, cut into K stretches of equal weight.

This is how distributed tables split a web (Chang et al., "Bigtable", OSDI 2006, section 2): neighbours stay together,
no links are looked at.
"""

import numpy as np
import numpy.typing as npt

from partition.cut.metis import Parts
from partition.graphs.link_graph import LinkGraph
from partition.prefixes import url_keys


def range_parts(graph: LinkGraph, shares: npt.NDArray[np.float64]) -> Parts:
    """The part of each page, int32[n]; ``shares`` float64[k] add up to 1.

    A page weighs the mean of its shares of all bytes and of all requests, so that both are about even.
    """
    order = sorted(range(len(graph)), key=list(map(_reversed_host_first, url_keys(graph.urls.to_pylist()))).__getitem__)
    weights = graph.weights / np.maximum(graph.weights.sum(axis=0), 1)
    shares_of_all = weights.sum(axis=1)[order]
    middles = (np.cumsum(shares_of_all) - shares_of_all / 2) / shares_of_all.sum()
    parts = np.searchsorted(np.cumsum(shares)[:-1], middles, side="right")
    in_order = np.empty(len(graph), np.int32)
    in_order[order] = _without_gaps(parts, len(shares))
    return in_order


def _without_gaps(parts: npt.NDArray[np.intp], k: int) -> npt.NDArray[np.intp]:
    """Ascending parts changed as little as it takes for each of the k to have a page."""
    earliest = np.arange(len(parts)) - (len(parts) - k)
    latest = np.arange(len(parts))
    stepped = np.minimum(np.maximum(parts, earliest), latest)
    # No step may pass over a part: each page's part is at most one more than the page's before.
    gaps = np.minimum.accumulate(stepped - np.arange(len(parts))) + np.arange(len(parts))
    return np.minimum(stepped, gaps)


def _reversed_host_first(key: str) -> tuple[list[str], str]:
    host, _, path = key.partition("/")
    return host.split(".")[::-1], path

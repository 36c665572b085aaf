"""URL ranges: the pages sorted by reversed host and path, cut into K stretches as equal as can be.

This is how distributed tables split a web (Chang et al., "Bigtable", OSDI 2006, section 2): neighbours stay together,
no links are looked at.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import url_keys
from partition.cut.balance import Balance
from partition.graphs.link_graph import LinkGraph
from partition.models.model import Model

Floats = npt.NDArray[np.float64]

_PRECISION = 1e-4
_LEAST_SLACK = 0.01  # of a weight without any tolerance, which no cut of a list can keep


def range_parts(graph: LinkGraph, balance: Balance) -> Owners:
    """The part of each page, int32[n]; there are at least k pages.

    Of all ways to cut the list, the one whose largest imbalance of any weight, in proportion to that weight's
    tolerance, is least: chains on chains (Pinar and Aykanat, "Fast optimal load balancing algorithms for 1D
    partitioning", JPDC 2004, section 3), by bisection on how much heavier than its share a part may be.
    """
    shares, slack = balance.shares, _slack(balance.tolerance)
    order = sorted(range(len(graph)), key=_keys(graph).__getitem__)
    weights = graph.weights[order] / np.maximum(graph.weights.sum(axis=0), 1)
    sums = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights, axis=0)])
    too_tight, enough = -1.0, 1 / float(shares.min() * slack.min())
    while enough - too_tight > _PRECISION:
        middle = (too_tight + enough) / 2
        if _ends(sums, shares[:, None] * (1 + middle * slack))[-1] == len(graph):
            enough = middle
        else:
            too_tight = middle
    ends = _ends(sums, shares[:, None] * (1 + enough * slack))
    in_order = np.empty(len(graph), np.int32)
    in_order[order] = np.repeat(np.arange(len(shares), dtype=np.int32), np.diff(ends, prepend=0))
    return in_order


def _slack(tolerance: Floats) -> Floats:
    """How far each weight may be beyond its share, float64[w], if that of the largest tolerance is by 1."""
    largest = tolerance.max()
    return np.maximum(tolerance / largest, _LEAST_SLACK) if largest > 0 else np.ones_like(tolerance)


def _ends(sums: Floats, limits: Floats) -> list[int]:
    """Where each part ends if each takes as many pages as its limits allow, but leaves one for each part after it."""
    ends, start = [], 0
    for part, most in enumerate(limits):
        fits = -1 + min(
            np.searchsorted(column, column[start] + limit + 1e-12, side="right")
            for column, limit in zip(sums.T, most, strict=True)
        )
        last = len(sums) - 1 - (len(limits) - 1 - part)
        start = min(max(int(fits), start + 1), last)
        ends.append(start)
    return ends


def _keys(graph: LinkGraph) -> list[tuple[Any, str]]:
    """What each page is sorted by.

    Pages without URLs go by their numbers, for who numbers pages does it in the order of URLs (Boldi and Vigna, "The
    WebGraph framework I", WWW 2004, section 2.1); in a stand-in URL the number comes last.
    """
    urls = graph.urls.to_pylist()
    return list(map(_reversed_host_first, url_keys(urls))) if graph.has_urls else [(len(url), url) for url in urls]


def _reversed_host_first(key: str) -> tuple[list[str], str]:
    host, _, path = key.partition("/")
    return host.split(".")[::-1], path


URL_RANGE = Model("pages", finer="prefix", needs_urls=False, divide=range_parts)

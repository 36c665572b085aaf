"""All that can be said of an assignment by looking at the graph and the parts alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partition.assignment.assignment import Owners
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.measures.imbalance import empty_parts, imbalance
from partition.measures.numbered_bytes import numbered_bytes
from partition.measures.site_spread import SiteSpread, site_spread
from partition.measures.traffic import Traffic, finds_of_all, finds_of_pages, overlap, sends, traffic


@dataclass(frozen=True)
class Measures:
    """Figures of one assignment.

    Attributes:
        storage_imbalance, requests_imbalance: of bytes and of pages, max / mean - 1 (`imbalance.imbalance`).
        empty_parts: parts without a page.
        pages: traffic over the links between downloaded pages, as the paper has it.
        live: traffic over all links, those to URLs that were never downloaded too.
        overlap: pages that would be fetched by more than one part, each time too often counted.
        sites: how far sites are spread.
        numbered_bytes: what known URLs take on the wire as numbers, each sent once; None if there are no numbers.
    """

    storage_imbalance: float
    requests_imbalance: float
    empty_parts: int
    pages: Traffic
    live: Traffic
    overlap: int
    sites: SiteSpread
    numbered_bytes: int | None


def measures(
    graph: LinkGraph,
    parts: Owners,
    k: int,
    known_owners: Owners | None,
    *,
    numbers: Numbers | None = None,
    shares: Sequence[float] | None = None,
) -> Measures:
    """Measure the assignment of the graph's n pages to ``parts``, int32[n] in [0, k).

    ``known_owners``, int32[u] in [0, k), are the owners of the URLs that were only seen; None if a URL only seen
    belongs to whoever finds it.  ``numbers``, int64[n], are the pages' numbers in a partition map's URL table.
    ``shares`` are what each part should have, in any unit; equal if not given.  Raises ValueError for parts or
    owners that are not one in [0, k) for each.
    """
    _check(parts, len(graph), k, "parts")
    if known_owners is not None:
        _check(known_owners, len(graph.known_hashes), k, "owners of URLs only seen")
    pages, everything = finds_of_pages(graph, parts, k), finds_of_all(graph, parts, known_owners, k)
    return Measures(
        storage_imbalance=imbalance(graph.weights[:, 0], parts, k, shares),
        requests_imbalance=imbalance(graph.weights[:, 1], parts, k, shares),
        empty_parts=empty_parts(parts, k),
        pages=traffic(pages),
        live=traffic(everything),
        overlap=overlap(everything),
        sites=site_spread(graph.sites, parts, k),
        numbered_bytes=None if numbers is None else numbered_bytes(sends(pages), numbers, k),
    )


def _check(parts: Owners, count: int, k: int, what: str) -> None:
    if parts.shape != (count,) or (count and not 0 <= np.min(parts) <= np.max(parts) < k):
        raise ValueError(f"{what} are not {count:,} numbers in [0, {k})")

"""All that can be said of an assignment by looking at the graph and the parts alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from partition.assignment.assignment import Owners
from partition.choices import WEIGHTS
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.map.url_numbers import encode_numbers
from partition.measures.imbalance import empty_parts, imbalance
from partition.measures.traffic import Sends, Traffic, finds_of_all, finds_of_pages, overlap, sends, traffic


@dataclass(frozen=True)
class SiteSpread:
    """Parts per site, over the sites that have pages.

    Attributes:
        mean, most: number of parts in which a site has pages.
        whole: share of the sites that lie in one part, in [0, 1].
    """

    mean: float
    most: int
    whole: float


def site_spread(sites: Numbers, parts: Owners, k: int) -> SiteSpread:
    """The spread of pages whose sites are ``sites``, int64[n], and whose parts are ``parts``, int32[n] in [0, k)."""
    pairs = np.unique(sites * k + parts)
    counts = np.unique(pairs // k, return_counts=True)[1]
    return SiteSpread(float(counts.mean()), int(counts.max()), float((counts == 1).mean()))


def numbered_bytes(sends: Sends, numbers: Numbers, k: int) -> int:
    """The sum of what `encode_numbers` makes of each (sender, receiver)'s URLs, in one piece and in ascending order.

    ``numbers``, int64[t], is the number of each target in the URL table of the partition map.  What a batch carries
    besides (checksums, depths, flags) is not counted.
    """
    pairs = sends.senders * k + sends.receivers
    count = int(numbers.max(initial=0)) + 1
    keys = np.sort(pairs * count + numbers[sends.targets])
    pairs, in_order = np.divmod(keys, count)
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    return sum(len(encode_numbers(batch)) for batch in np.split(in_order, starts[1:]) if len(batch))


@dataclass(frozen=True)
class Measures:
    """Figures of one assignment.

    Attributes:
        imbalances: of each weight that the graph knows, by name in `partition.choices.WEIGHTS`: max / mean - 1
            (`imbalance.imbalance`).
        empty_parts: parts without a page.
        pages: traffic over the links between downloaded pages, as the paper has it.
        live: traffic over all links, those to URLs that were never downloaded too.
        overlap: pages that would be fetched by more than one part, each time too often counted.
        sites: how far sites are spread.
        numbered_bytes: what known URLs take on the wire as numbers, each sent once; None if there are no numbers.
    """

    imbalances: dict[str, float]
    empty_parts: int
    pages: Traffic
    live: Traffic
    overlap: int
    sites: SiteSpread
    numbered_bytes: int | None

    @property
    def storage_imbalance(self) -> float:
        """The imbalance of bytes."""
        return self.imbalances["storage"]

    @property
    def requests_imbalance(self) -> float:
        """The imbalance of pages."""
        return self.imbalances["requests"]


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
    pages = finds_of_pages(graph, parts, k)
    of_pages = traffic(pages)
    of_numbers = None if numbers is None else numbered_bytes(sends(pages), numbers, k)
    del pages  # or both lists of all links would be in memory at once
    everything = finds_of_all(graph, parts, known_owners, k)
    return Measures(
        imbalances=dict(_imbalances(graph, parts, k, shares)),
        empty_parts=empty_parts(parts, k),
        pages=of_pages,
        live=traffic(everything),
        overlap=overlap(everything),
        sites=site_spread(graph.sites, parts, k),
        numbered_bytes=of_numbers,
    )


def _imbalances(graph: LinkGraph, parts: Owners, k: int, shares: Sequence[float] | None) -> Iterator[tuple[str, float]]:
    for name in WEIGHTS:
        weights = WEIGHTS.load(name).of(graph)
        if weights is not None:
            yield name, imbalance(weights, parts, k, shares)


def _check(parts: Owners, count: int, k: int, what: str) -> None:
    if parts.shape != (count,) or (count and not 0 <= np.min(parts) <= np.max(parts) < k):
        raise ValueError(f"{what} are not {count:,} numbers in [0, {k})")

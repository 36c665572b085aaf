"""A cut as one looks at it: where sites lie, what parts send each other, which sites and which URLs that comes from.

Whatever is told of volume adds up to what `traffic` measures: each row of `Crossings` is one time that a URL goes from
one part to another, and all sums are over these rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.measures.tour import tour
from partition.measures.traffic import finds_of_pages

MOST_PARTS = 256
"""The most parts between which volume is told pair by pair."""
MOST_SITES = 150
"""The most sites that are told of one by one."""
LEAST_SHARE = 1 / 4000
"""Sites with less than this share of the whole are summed up."""
MOST_ROWS = 10
"""How many of the most expensive pairs and URLs are told of."""


@dataclass(frozen=True)
class Crossings:
    """Every time that a URL crosses: from which part to which, which page it is of, and whose link it comes from.

    int64[c] each.  ``sites`` are the numbers of sites that link there.
    """

    senders: Numbers
    receivers: Numbers
    targets: Numbers
    sites: Numbers


@dataclass(frozen=True)
class SiteInParts:
    """A site, or several that are summed up, and where it lies.

    ``sizes`` are what each part has of it, by part, none of them 0; in the unit of `CutPortrait.area`.
    """

    name: str
    sites: int
    pages: int
    sizes: dict[int, int]

    @property
    def size(self) -> int:
        """What all parts have of it."""
        return sum(self.sizes.values())


@dataclass(frozen=True)
class CostlyPair:
    """Two sites, or two parts if pages have no URLs: how many URLs cross from the one to the other, at what cost."""

    source: str
    target: str
    urls: int
    cost: int


@dataclass(frozen=True)
class CostlyUrl:
    """A URL, the part that owns it, how many times it crosses, and what that costs together."""

    url: str
    owner: int
    times: int
    cost: int


@dataclass(frozen=True)
class CutPortrait:
    """What can be shown of one cut.

    Costs are bytes of URLs, or times that a URL crosses if pages have no URLs.  By the objective ``sent`` a part sends
    each URL once, by ``links`` for every link; so the sum is `Traffic.sent_bytes`, or `Traffic.cut_bytes`.

    Attributes:
        k: K, the number of parts.
        objective: what the costs are.
        has_urls: do pages have URLs?  If not, there are no sites, and pairs are of parts.
        weights: bytes and pages of each part, int64[k, 2].
        sent, received: what each part sends and receives, int64[k].
        costs: what each part (row) sends each other (column), int64[k, k]; None if there are more than `MOST_PARTS`.
        order: the parts in the order of a tour on which neighbours exchange much; by number if ``costs`` is None.
        area: what sites are measured by: "bytes", or "pages" if their sizes are not known.
        sites: the largest sites, the largest first; at most `MOST_SITES`.
        others: all other sites, None if there are none.
        pairs, urls: the most expensive ones, at most `MOST_ROWS`, the most expensive first.
    """

    k: int
    objective: str
    has_urls: bool
    weights: Numbers
    sent: Numbers
    received: Numbers
    costs: Numbers | None
    order: tuple[int, ...]
    area: str
    sites: Sequence[SiteInParts]
    others: SiteInParts | None
    pairs: Sequence[CostlyPair]
    urls: Sequence[CostlyUrl]

    @property
    def cost(self) -> int:
        """What all parts send."""
        return int(self.sent.sum())


def cut_portrait(graph: LinkGraph, parts: Owners, k: int, objective: str) -> CutPortrait:
    """Look at the assignment of the graph's n pages to ``parts``, int32[n] in [0, k).

    Takes two to three times as long as `traffic`, and O(k^3) besides for at most `MOST_PARTS` parts; memory for some
    int64 a link.  What is returned does not grow with the graph.
    """
    crossed = crossings(graph, parts, k, objective)
    costs = graph.url_bytes[crossed.targets]
    between = None
    if k <= MOST_PARTS:
        between = summed(costs, crossed.senders * k + crossed.receivers, k * k).reshape(k, k)
    is_sized = len(graph) < int(graph.bytes.sum())
    sites, others = _sites(graph, parts, k, graph.weights[:, 0 if is_sized else 1]) if graph.has_urls else ([], None)
    return CutPortrait(
        k=k,
        objective=objective,
        has_urls=graph.has_urls,
        weights=summed(graph.weights, parts, k),
        sent=summed(costs, crossed.senders, k),
        received=summed(costs, crossed.receivers, k),
        costs=between,
        order=tuple(range(k)) if between is None else tuple(tour(between).tolist()),
        area="bytes" if is_sized else "pages",
        sites=sites,
        others=others,
        pairs=_pairs(graph, crossed, costs, k),
        urls=_urls(graph, parts, crossed, costs),
    )


def crossings(graph: LinkGraph, parts: Owners, k: int, objective: str) -> Crossings:
    """All crossings, as the objective counts them.

    A URL that a part sends once may be linked to by several of its sites.  It is told of the one with most links to it,
    of equals the one that stands first in the graph.
    """
    finds = finds_of_pages(graph, parts, k)
    crosses = finds.finders != finds.owners
    senders, targets = finds.finders[crosses].astype(np.int64), finds.targets[crosses]
    sites = graph.sites[graph.sources[crosses]]
    if objective == "sent":
        senders, targets, sites = _each_once(senders, targets, sites, len(graph), len(graph.site_names))
    return Crossings(senders, parts.astype(np.int64)[targets], targets, sites)


def _each_once(
    senders: Numbers, targets: Numbers, sites: Numbers, pages: int, site_count: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Each different (sender, target) once, with the commonest of its sites, of equals the least.

    Parts x pages x sites must be below 2^63, which they are as long as one machine can hold the pages.
    """
    keys, times = np.unique((senders * pages + targets) * site_count + sites, return_counts=True)
    sends, sites = np.divmod(keys, site_count)
    starts = np.flatnonzero(np.diff(sends, prepend=-1))
    if not len(starts):
        return senders, targets, sites
    most = np.maximum.reduceat(times, starts)
    commonest = np.flatnonzero(times == np.repeat(most, np.diff(starts, append=len(sends))))
    first = commonest[np.diff(sends[commonest], prepend=-1) > 0]
    return *np.divmod(sends[first], pages), sites[first]


def _sites(graph: LinkGraph, parts: Owners, k: int, weights: Numbers) -> tuple[list[SiteInParts], SiteInParts | None]:
    """The largest sites by weight, int64[n], and the others."""
    count = len(graph.site_names)
    by_part = csr_array((weights, (graph.sites, parts)), shape=(count, k)).tocsr()
    by_part.eliminate_zeros()
    by_part.sort_indices()
    sizes, pages = summed(weights, graph.sites, count), np.bincount(graph.sites, minlength=count)
    largest = np.argsort(-sizes, kind="stable")[:MOST_SITES]
    shown = largest[(sizes[largest] > 0) & (sizes[largest] >= LEAST_SHARE * sizes.sum())]
    told = [
        SiteInParts(graph.site_names[site], 1, int(pages[site]), _nonzero(_row(by_part, site, k))) for site in shown
    ]
    if len(shown) == count:
        return told, None
    rest = summed(weights, parts, k) - sum((_row(by_part, site, k) for site in shown), np.zeros(k, np.int64))
    return told, SiteInParts("", count - len(shown), int(pages.sum() - pages[shown].sum()), _nonzero(rest))


def _row(matrix: csr_array, row: int, k: int) -> Numbers:
    """A row of a CSR matrix [n, k] as int64[k]."""
    found = np.zeros(k, np.int64)
    entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
    found[matrix.indices[entries]] = matrix.data[entries]
    return found


def _nonzero(sizes: Numbers) -> dict[int, int]:
    return {int(part): int(sizes[part]) for part in np.flatnonzero(sizes)}


def _pairs(graph: LinkGraph, crossed: Crossings, costs: Numbers, k: int) -> list[CostlyPair]:
    """Pairs of sites; pairs of parts if there are no sites."""
    if graph.has_urls:
        names: Sequence[str] = graph.site_names
        ends = (crossed.sites, graph.sites[crossed.targets])
    else:
        names = [f"part {part}" for part in range(k)]
        ends = (crossed.senders, crossed.receivers)
    shape = (len(names), len(names))
    sums, times = (csr_array((each, ends), shape=shape).tocoo() for each in (costs, np.ones_like(costs)))
    return [
        CostlyPair(names[sums.row[pair]], names[sums.col[pair]], int(times.data[pair]), int(sums.data[pair]))
        for pair in _dearest(sums.data)
    ]


def _urls(graph: LinkGraph, parts: Owners, crossed: Crossings, costs: Numbers) -> list[CostlyUrl]:
    sums, times = summed(costs, crossed.targets, len(graph)), np.bincount(crossed.targets, minlength=len(graph))
    dearest = _dearest(sums)
    texts = graph.urls.take(pa.array(dearest, pa.int64())).to_pylist()
    return [
        CostlyUrl(_shown(text, graph.has_urls), int(parts[page]), int(times[page]), int(sums[page]))
        for text, page in zip(texts, dearest, strict=True)
    ]


def _shown(url: str, has_urls: bool) -> str:
    """A page without a URL goes by its number, the last piece of the URL that stands in for it."""
    return url if has_urls else f"page {url.rpartition('/')[2]}"


def _dearest(sums: Numbers) -> list[int]:
    """The places of the `MOST_ROWS` largest sums above 0, the largest first, of equals the first."""
    first = np.argsort(-sums, kind="stable")[:MOST_ROWS]
    return [int(place) for place in first if sums[place] > 0]

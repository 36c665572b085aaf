"""Tiny webs of several kinds, of 4 to 12 pages, the same for the same number, and their cuts in two beside the best."""

from typing import NamedTuple

import numpy as np

from partition.cut.balance import balance_of
from partition.cut.effort import EFFORTS
from partition.cut.guide_graph import sent_guide
from partition.cut.multilevel import cut
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import edge_nets, sent_nets
from partition.graphs.link_graph import LinkGraph
from partition.graphs.weighted_graph import page_graph
from tests.partition.cut.support.optimum import MOST_VERTICES, optimum
from tests.partition.quality.support.webs import SmallWeb, url

_FEWEST_PAGES = 4

Links = set[tuple[int, int]]


class Pair(NamedTuple):
    """The cut that was found, and the best."""

    found: Candidate
    best: Candidate

    @property
    def is_optimal(self) -> bool:
        """Is none better, by what `Candidate.rank` calls better?"""
        return self.found.rank == self.best.rank


def tiny_web(kind: str, number: int) -> SmallWeb:
    """One of the webs of a kind of `KINDS`."""
    rng = np.random.default_rng([number, list(KINDS).index(kind)])
    pages = int(rng.integers(_FEWEST_PAGES, MOST_VERTICES + 1))
    links = KINDS[kind](pages, rng)
    sizes = 100 * (1 + rng.pareto(1.1, pages)) if kind == "heavy-tailed" else rng.integers(50, 150, pages)
    urls = [url(page) for page in range(pages)]
    ends = tuple((urls[source], urls[target]) for source, target in sorted(links))
    return SmallWeb(dict(zip(urls, sizes.astype(int).tolist(), strict=True)), (), ends)


def pair_of(graph: LinkGraph, objective: str, tolerance: float, effort: str) -> Pair:
    """What `multilevel.cut` finds in two parts, and what there is to be found."""
    pages = page_graph(graph)
    hypergraph, guide = (sent_nets(graph), sent_guide(graph)) if objective == "sent" else (edge_nets(pages), pages)
    balance = balance_of(hypergraph.weights, 2, tolerance)
    is_exact = objective == "links"
    found = cut(hypergraph, lambda: guide, balance, EFFORTS[effort], 1, 1, lambda _: None, guide_is_exact=is_exact)
    return Pair(found, optimum(hypergraph, balance))


def _sparse(pages: int, rng: np.random.Generator) -> Links:
    """Two links from each page, to anywhere."""
    ends = rng.integers(0, pages, (2 * pages, 2)).tolist()
    return {(source, target) for source, target in ends if source != target}


def _web_like(pages: int, rng: np.random.Generator) -> Links:
    """A page links to earlier ones, and copies links of theirs."""
    links: list[list[int]] = [[] for _ in range(pages)]
    for page in range(1, pages):
        for _ in range(3):
            earlier = int(rng.integers(page))
            is_copied = bool(links[earlier]) and rng.random() < 0.7
            links[page].append(int(rng.choice(links[earlier])) if is_copied else earlier)
    return {(page, target) for page in range(pages) for target in links[page]}


def _around_hub(pages: int, rng: np.random.Generator) -> Links:
    """Most pages link to one, which links back to half of them; few links besides."""
    to_hub = {(page, 0) for page in range(1, pages) if rng.random() < 0.8}
    back = {(0, page) for page in range(1, pages) if rng.random() < 0.5}
    besides = rng.integers(1, pages, (pages // 2, 2)).tolist()
    return to_hub | back | {(source, target) for source, target in besides if source != target}


KINDS = {"sparse": _sparse, "web-like": _web_like, "hub": _around_hub, "heavy-tailed": _sparse}
"""How links are drawn; pages have 50 to 149 bytes, but those of the heavy-tailed kind (Pareto, exponent 1.1)."""

"""What a page weighs: the kinds of weight of which no part should have too much (`partition.choices.WEIGHTS`)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from partition.graphs.link_graph import GraphError, LinkGraph, Numbers


@dataclass(frozen=True)
class PageWeight:
    """A kind of weight.

    Attributes:
        unit: what is counted, in the plural, as map manifests and messages call it.
        of: the weight of each page of a graph, int64[n]; None if the graph does not know.
    """

    unit: str
    of: Callable[[LinkGraph], Numbers | None]

    def of_pages(self, graph: LinkGraph) -> Numbers:
        """The weight of each page, int64[n].  Raises GraphError if the graph does not know."""
        weights = self.of(graph)
        if weights is None:
            raise GraphError(f"nobody knows the {self.unit} of these pages: there is no table of them")
        return weights


def _bytes(graph: LinkGraph) -> Numbers:
    return graph.bytes


def _ones(graph: LinkGraph) -> Numbers:
    return np.ones(len(graph), np.int64)


def _links_to_parse(graph: LinkGraph) -> Numbers:
    """Distinct targets of each page's links, those that were never downloaded too."""
    links: Numbers = np.diff(graph.links.indptr) + np.diff(graph.known_links.indptr)
    return links.astype(np.int64)


def _microseconds(graph: LinkGraph) -> Numbers | None:
    return graph.microseconds


STORAGE = PageWeight("bytes", _bytes)
REQUESTS = PageWeight("requests", _ones)
LINKS = PageWeight("links", _links_to_parse)
SECONDS = PageWeight("seconds", _microseconds)
"""In whole microseconds."""

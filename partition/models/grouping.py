"""What a model says: which pages are kept together."""

from dataclasses import dataclass

import numpy as np

from partition.graphs.link_graph import LinkGraph, Numbers


@dataclass(frozen=True)
class Grouping:
    """Pages in groups.

    Attributes:
        groups: int64[n], the group of each page, from 0. prefixes: the URL prefix that each group stands for
        (`partition.assignment.url_prefixes`); empty where groups are pages. count: number of groups.
    """

    groups: Numbers
    prefixes: list[str]
    count: int


def by_page(graph: LinkGraph) -> Grouping:
    """Every page for itself (the paper's page-based model)."""
    return Grouping(np.arange(len(graph)), [], len(graph))

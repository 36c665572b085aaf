"""What a model says: which pages are kept together.  The simplest models: pages as groups, and sites."""

from dataclasses import dataclass

import numpy as np

from partition.assignment.url_prefixes import site_prefix
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


def by_site(graph: LinkGraph) -> Grouping:
    """One group a site, which is never torn apart (the paper's site-based model, section 3.2)."""
    return Grouping(graph.sites, [site_prefix(site) for site in graph.site_names], len(graph.site_names))

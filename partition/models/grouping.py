"""The simplest models: every page for itself, and whole sites."""

import numpy as np

from partition.assignment.url_prefixes import site_prefix
from partition.graphs.link_graph import LinkGraph
from partition.models.model import Grouping, Model


def by_page(graph: LinkGraph) -> Grouping:
    """Every page for itself (the paper's page-based model)."""
    return Grouping(np.arange(len(graph)), [], len(graph))


def by_site(graph: LinkGraph) -> Grouping:
    """One group a site, which is never torn apart (the paper's site-based model, section 3.2)."""
    return Grouping(graph.sites, [site_prefix(site) for site in graph.site_names], len(graph.site_names))


PAGE = Model("pages", coarser=("prefix", "url-range"), needs_urls=False, group=lambda graph, _k: by_page(graph))
SITE = Model("sites", finer="prefix", group=lambda graph, _k: by_site(graph))

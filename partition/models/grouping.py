"""The simplest models: every page for itself, and whole sites."""

import numpy as np

from partition.assignment.url_prefixes import site_of_key, site_prefix, url_keys
from partition.graphs.link_graph import LinkGraph
from partition.models.model import Grouping, Model


def by_page(graph: LinkGraph) -> Grouping:
    """Every page for itself (the paper's page-based model)."""
    return Grouping(np.arange(len(graph)), [], len(graph))


def by_site(graph: LinkGraph) -> Grouping:
    """One group a site, which is never torn apart (the paper's site-based model, section 3.2)."""
    return Grouping(graph.sites, [site_prefix(site) for site in graph.site_names], len(graph.site_names))


def site_groups(urls: list[str]) -> Grouping:
    """What `by_site` gives of pages with these canonical URLs, but for the order of the sites."""
    sites = np.array([site_of_key(key) for key in url_keys(urls)], dtype=object)
    names, groups = np.unique(sites, return_inverse=True)
    return Grouping(groups.astype(np.int64), [site_prefix(site) for site in names.tolist()], len(names))


PAGE = Model("pages", coarser=("prefix", "url-range"), needs_urls=False, group=lambda graph, _k: by_page(graph))
SITE = Model("sites", finer="prefix", group=lambda graph, _k: by_site(graph))

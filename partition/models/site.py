"""The site model: a site is never torn apart (the paper's site-based model, section 3.2)."""

from partition.assignment.url_prefixes import site_prefix
from partition.graphs.link_graph import LinkGraph
from partition.models.grouping import Grouping


def by_site(graph: LinkGraph) -> Grouping:
    """One group a site."""
    return Grouping(graph.sites, [site_prefix(site) for site in graph.site_names], len(graph.site_names))

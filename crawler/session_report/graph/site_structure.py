"""The graph of sites: which are central, in which cores they are, and how often links are returned."""

import numpy as np

from crawler.session_report.graph.breadth_first import Numbers, harmonic_centrality, rows_of
from crawler.session_report.graph.core_numbers import core_numbers
from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays
from sessions.hash_arrays import are_among, distinct

MOST_STEPS = 2 * 10**10
"""Steps of all breadth-first searches beyond which harmonic centrality is left out: some minutes."""
CENTRAL_SITES = ReportFigure(
    "central_sites",
    "The graph",
    "Sites by harmonic centrality",
    "The graph of sites has a link from one to another if a page of the one links to a fetched page of the other. "
    "Harmonic centrality: the sum of 1/d over all sites from which d links lead there. Core: the largest k for which "
    "the site is among sites each of which is linked, either way, with k others of them.",
    ("site", "harmonic", "core", "in_degree", "out_degree"),
    shown=20,
)
SITE_GRAPH = ReportFigure(
    "site_graph",
    "The graph",
    "The graph of sites",
    "Reciprocity: the share of the links between sites that are returned, with links between pages weighing nothing.",
    ("sites", "links", "reciprocity", "deepest_core", "sites_in_it"),
    shown=1,
)


def site_graph_of(arrays: SessionArrays) -> list[Row]:
    """Sums of the site graph."""
    sources, targets, sites = _edges(arrays)
    keys = sources * sites + targets
    returned = are_among(targets * sites + sources, keys)
    cores = _cores(sources, targets, sites)
    return [(sites, len(keys), float(returned.mean()), cores.max(), int((cores == cores.max()).sum()))]


def central_sites_of(arrays: SessionArrays) -> list[Row]:
    """All sites, the most central first, equal ones by name."""
    sources, targets, sites = _edges(arrays)
    if sites * (sites + len(sources)) > MOST_STEPS:
        raise NotKnownError(f"harmonic centrality of {sites:,} sites would take too long")
    harmonic = harmonic_centrality(*rows_of(targets, sources, sites))
    columns = [
        harmonic,
        _cores(sources, targets, sites),
        np.bincount(targets, minlength=sites),
        np.bincount(sources, minlength=sites),
    ]
    rows = zip(arrays.site_names, *(column.tolist() for column in columns), strict=True)
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _edges(arrays: SessionArrays) -> tuple[Numbers, Numbers, int]:
    """The links between different sites, each once and ascending: int64[m] twice, and the number of sites."""
    sites, of_page = len(arrays.site_names), arrays.page_sites
    links = arrays.between_pages
    source, target = of_page[links.sources], of_page[links.targets]
    is_between = source != target
    edges = distinct(source[is_between] * sites + target[is_between])
    if not len(edges):
        raise NotKnownError("no site links to another")
    return (*np.divmod(edges, sites), sites)


def _cores(sources: Numbers, targets: Numbers, sites: int) -> Numbers:
    both = distinct(np.concatenate([sources * sites + targets, targets * sites + sources]))
    return core_numbers(*rows_of(*np.divmod(both, sites), sites))

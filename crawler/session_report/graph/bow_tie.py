"""The bow-tie of a link graph: Broder et al., "Graph structure in the Web" (WWW 2000)."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from crawler.session_report.graph.breadth_first import Mask, Numbers, reached, rows_of
from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays

BOW_TIE = ReportFigure(
    "bow_tie",
    "The graph",
    "Bow-tie",
    "Pages by where they lie: the core is the largest set of which each page reaches each other by links; IN reaches "
    "it and is not reached, OUT the other way round; tendrils and tubes hang together with these, links taken both "
    "ways; the rest does not.",
    ("part", "pages", "share"),
    shown=5,
)
PARTS = ("core", "IN", "OUT", "tendrils and tubes", "rest")


def bow_tie_of(arrays: SessionArrays) -> list[Row]:
    """Pages of each of the `PARTS`, by the links between fetched pages."""
    links, pages = arrays.between_pages, len(arrays.hashes)
    if not len(links.sources):
        raise NotKnownError("no page links to another")
    counts = np.bincount(parts_of(links.sources, links.targets, pages), minlength=len(PARTS))
    return [(name, count, count / pages) for name, count in zip(PARTS, counts.tolist(), strict=True)]


def parts_of(sources: Numbers, targets: Numbers, pages: int) -> Numbers:
    """The part of each page, int64[n], an index into `PARTS`.  Of equally large cores the one of the first page."""
    graph = csr_array((np.ones(len(sources), np.int8), (sources, targets)), shape=(pages, pages))
    _, component = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(component)
    largest = component[np.flatnonzero(sizes[component] == sizes.max())[0]]
    core: Mask = component == largest
    is_out = reached(*rows_of(sources, targets, pages), core)
    is_in = reached(*rows_of(targets, sources, pages), core)
    _, weak = connected_components(graph, directed=True, connection="weak")
    hangs_together = weak == weak[np.flatnonzero(core)[0]]
    return np.select([core, is_in, is_out, hangs_together], [0, 1, 2, 3], 4)

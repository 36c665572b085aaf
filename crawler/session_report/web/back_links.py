"""How many pages link to a page, by how deep it lies in its site, and to which most link."""

import numpy as np

from crawler.session_report.report_figure import COLUMNS, Drawing, NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays

BACK_LINKS = ReportFigure(
    "back_links_by_depth",
    "Documents and links",
    "Mean back-links of a page, by depth in its site",
    "A page's depth in its site is its depth, in links from a seed, less the least depth of the site's pages. A "
    "back-link is another page that links to it.",
    ("depth", "pages", "mean", "median"),
    Drawing(COLUMNS, "depth", ("mean",), "depth below the least of the site", "back-links"),
    shown=12,
)
MOST_LINKED = 100
POPULAR = ReportFigure(
    "popular_pages",
    "Documents and links",
    "Pages with most back-links",
    f"The {MOST_LINKED} pages to which most other pages link; equal ones by hash.",
    ("url", "back_links", "status"),
    shown=20,
)


def back_links_of(arrays: SessionArrays) -> list[Row]:
    """Pages, mean and median of back-links, by depth in the site."""
    fetches = arrays.fetches
    depths = np.full(len(arrays.hashes), np.iinfo(np.int64).max)
    np.minimum.at(depths, fetches.page, fetches.depth)
    if not depths.any():
        raise NotKnownError("all its pages have depth 0: they were imported, or named and not found")
    least = np.full(len(arrays.site_names), np.iinfo(np.int64).max)
    np.minimum.at(least, arrays.page_sites, depths)
    below = depths - least[arrays.page_sites]
    order = np.argsort(below, kind="stable")
    ends = np.cumsum(np.bincount(below))
    rows: list[Row] = []
    for depth, linked in enumerate(np.split(arrays.in_degrees[order], ends[:-1])):
        if len(linked):
            rows.append((depth, len(linked), float(linked.mean()), float(np.median(linked))))
    return rows


def popular_pages_of(arrays: SessionArrays) -> list[Row]:
    """The pages with most back-links."""
    linked = arrays.in_degrees
    if not linked.any():
        raise NotKnownError("no page links to another")
    chosen = np.argsort(-linked, kind="stable")[:MOST_LINKED]
    chosen = chosen[linked[chosen] > 0]
    return list(zip(arrays.urls_of(chosen), linked[chosen].tolist(), arrays.last_status[chosen].tolist(), strict=True))

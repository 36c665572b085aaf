"""How many links a page has, as Anansi's thesis draws them."""

import numpy as np

from crawler.session_report.report_figure import POINTS, Drawing, ReportFigure, Row
from crawler.session_report.session_arrays import Numbers, SessionArrays

OUT_DEGREES = ReportFigure(
    "out_degrees",
    "The graph",
    "Pages by out-degree",
    "Pages by their number of links; the last column is the mean of all pages.",
    ("links", "pages", "mean"),
    Drawing(POINTS, "links", ("pages",), "links of a page", "pages"),
)
IN_DEGREES = ReportFigure(
    "in_degrees",
    "The graph",
    "Pages by in-degree",
    "Pages by their number of back-links; the last column is the mean of all pages.",
    ("back_links", "pages", "mean"),
    Drawing(POINTS, "back_links", ("pages",), "back-links of a page", "pages"),
)


def out_degrees_of(arrays: SessionArrays) -> list[Row]:
    """Pages by number of links."""
    return _counted(arrays.out_degrees)


def in_degrees_of(arrays: SessionArrays) -> list[Row]:
    """Pages by number of back-links."""
    return _counted(arrays.in_degrees)


def _counted(degrees: Numbers) -> list[Row]:
    values, pages = np.unique(degrees, return_counts=True)
    mean = float(degrees.mean())
    return [(value, count, mean) for value, count in zip(values.tolist(), pages.tolist(), strict=True)]

"""The exponent of a power law.

Clauset, Shalizi and Newman, "Power-law distributions in empirical data" (SIAM Review 51, 2009).  Discrete maximum
likelihood (section 3.1): p(x) = x^-a / zeta(a, x_min) for x >= x_min.  Of all x_min that one is taken with which the
fitted law is nearest to the data by the Kolmogorov-Smirnov distance (section 3.3).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from crawler.session_report.report_figure import ReportFigure, Row
from crawler.session_report.session_arrays import Numbers, SessionArrays

EXPONENTS = ReportFigure(
    "exponents",
    "The graph",
    "Means and exponents of degrees",
    "a of the power law x^-a that fits degrees from x_min on best: discrete maximum likelihood, x_min by least "
    "Kolmogorov-Smirnov distance. That it fits best does not say that it fits.",
    ("degree", "mean", "exponent", "x_min", "distance", "pages"),
    shown=2,
)
_BOUNDS = (1.01, 12.0)
_MOST_CANDIDATES = 200
_FEWEST = 10
"""So many different values, and ten times as many pages, there must be from x_min on."""


class PowerLaw(NamedTuple):
    """A fitted law: the exponent [a], x_min, the distance, and how many values are at least x_min."""

    exponent: float
    x_min: int
    distance: float
    values: int


def exponents_of(arrays: SessionArrays) -> list[Row]:
    """The laws of in-degrees and out-degrees; without an exponent where too few pages have links."""
    rows: list[Row] = []
    for name, degrees in (("in", arrays.in_degrees), ("out", arrays.out_degrees)):
        law = fitted(degrees)
        told = law if law is not None else (None, None, None, int((degrees > 0).sum()))
        rows.append((name, float(degrees.mean()), *told))
    return rows


def fitted(values: Numbers) -> PowerLaw | None:
    """Fit a law to whole numbers, of which those below 1 do not count; None if there are too few.

    x_min is one of up to 200 of the values, the smallest 100 and others evenly among the larger ones.
    """
    distinct_values, counts = np.unique(values[values > 0], return_counts=True)
    from_here = np.cumsum(counts[::-1])[::-1]
    last = min(len(distinct_values) - _FEWEST, int((from_here >= 10 * _FEWEST).sum()) - 1)
    if last < 0:
        return None
    laws = [_from(distinct_values[at:], counts[at:]) for at in _candidates(last + 1)]
    return min(laws, key=lambda law: law.distance)


def _candidates(count: int) -> list[int]:
    small = min(count, _MOST_CANDIDATES // 2)
    others = np.linspace(small, count - 1, _MOST_CANDIDATES - small) if count > small else np.zeros(0)
    chosen: list[int] = np.unique(np.concatenate([np.arange(small), others.astype(np.int64)])).tolist()
    return chosen


def _from(values: Numbers, counts: Numbers) -> PowerLaw:
    """The law from the first of these ascending values on."""
    x_min, total = int(values[0]), int(counts.sum())
    logarithms = float((counts * np.log(values)).sum())
    found = minimize_scalar(
        lambda a: a * logarithms + total * np.log(zeta(a, x_min)),
        bounds=_BOUNDS,
        method="bounded",
        options={"xatol": 1e-6},
    )
    exponent = float(found.x)
    return PowerLaw(exponent, x_min, _distance(values, counts, exponent), total)


def _distance(values: Numbers, counts: Numbers, exponent: float) -> float:
    """The farthest that the shares of values of at most x, for any whole x, are from the law's.

    Between two values the law's share grows, and the data's does not: the ends of each gap are enough.
    """
    whole = zeta(exponent, values[0])
    shares: npt.NDArray[np.float64] = np.cumsum(counts) / counts.sum()
    at_values = 1 - zeta(exponent, values + 1) / whole
    before_next = 1 - zeta(exponent, values[1:]) / whole
    return float(max(np.abs(shares - at_values).max(), np.abs(shares[:-1] - before_next).max(initial=0.0)))

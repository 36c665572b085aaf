"""Quality: how many of the most important pages are among those that a crawl fetches first."""

import numpy as np
import numpy.typing as npt

from crawler.replay.course import Fetches
from crawler.replay.recording import Numbers

PERCENT = np.arange(1, 101)
"""Where the curve of quality is told: after so many percent of all pages."""

Floats = npt.NDArray[np.float64]


def first_fetches(fetches: Fetches) -> Numbers:
    """The distinct pages in the order in which they were fetched first, int64[m]."""
    _, first = np.unique(fetches.page, return_index=True)
    return fetches.page[np.sort(first)]


def quality(order: Numbers, scores: Numbers, counts: Numbers) -> Floats:
    """|A intersected with P| / |P|, A the first c pages fetched, P the c most important: float64[m] for m counts c.

    Cho and Garcia-Molina (WWW 2002, section 4).  Where pages are tied for the last places in P, those of them that
    were fetched take the places.  ``order`` are distinct pages, of n with ``scores`` int64[n]; ``counts`` int64[m]
    are in [1, n].
    """
    ascending = np.sort(scores)
    in_order = scores[order]
    found = np.empty(len(counts), np.float64)
    for place, count in enumerate(counts.tolist()):
        least = ascending[-count]
        better = len(scores) - np.searchsorted(ascending, least, side="right")
        fetched = in_order[:count]
        tied = min(np.count_nonzero(fetched == least), count - better)
        found[place] = (np.count_nonzero(fetched > least) + tied) / count
    return found


def counts_at(percent: npt.NDArray[np.integer], pages: int) -> Numbers:
    """So many percent of the pages, rounded up: int64[m]."""
    counts: Numbers = -(-pages * percent.astype(np.int64) // 100)
    return counts

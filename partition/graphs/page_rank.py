"""PageRank of a graph in memory.

Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (WWW 1998, section 2.1.1).
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

DAMPING = 0.85
"""With which probability a random surfer follows a link, and does not begin anew anywhere."""
_ACCURACY = 1e-10
_MOST_ROUNDS = 1000


def page_rank(sources: Numbers, targets: Numbers, pages: int) -> Floats:
    """PageRank by power iteration: float64[n], with sum 1, for distinct links int64[E] between n > 0 pages.

    A surfer goes on from a page without links to any page with equal probability.  The rounds end when they change less
    than 1e-10 in all.
    """
    degrees = np.bincount(sources, minlength=pages)
    incoming = csr_array((np.ones(len(sources)), (targets, sources)), shape=(pages, pages))
    shares = np.divide(1.0, degrees, out=np.zeros(pages), where=degrees > 0)
    is_end = degrees == 0
    ranks = np.full(pages, 1 / pages)
    for _ in range(_MOST_ROUNDS):
        anywhere = (DAMPING * ranks[is_end].sum() + 1 - DAMPING) / pages
        following: Floats = DAMPING * (incoming @ (ranks * shares)) + anywhere
        change = np.abs(following - ranks).sum()
        ranks = following
        if change < _ACCURACY:
            break
    return ranks

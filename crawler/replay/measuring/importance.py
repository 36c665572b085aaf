"""How important the pages of a recording are: by the pages that link to them, and by PageRank."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from crawler.replay.recording import Numbers, Recording

DAMPING = 0.85
"""With which probability a random surfer follows a link, and does not begin anew anywhere."""
RESOLUTION = 1e-6
"""PageRanks that are equal to so much of their mean count as equal."""
_ACCURACY = 1e-10
_MOST_ROUNDS = 1000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Importance:
    """Scores of n pages, the more the more important: ``back_links`` int64[n], and ``page_rank`` int64[n].

    Back-links are the distinct pages that link to a page; PageRank is told in multiples of `RESOLUTION` of its mean.
    """

    back_links: Numbers
    page_rank: Numbers


def importance_of(recording: Recording) -> Importance:
    """The importance of a recording's pages by all links between them, followed or not.

    In proportion to the links, times some 100 rounds for PageRank: for several courses of a recording do it once.
    """
    pages = recording.page_count
    sources = np.repeat(np.arange(pages, dtype=np.int64), np.diff(recording.starts))
    between = recording.targets < pages
    sources, targets = sources[between], recording.targets[between]
    ranks = page_rank(sources, targets, pages)
    return Importance(
        np.bincount(targets, minlength=pages).astype(np.int64), np.rint(ranks * pages / RESOLUTION).astype(np.int64)
    )


def page_rank(sources: Numbers, targets: Numbers, pages: int) -> Floats:
    """PageRank by power iteration: float64[n], with sum 1, for distinct links int64[E] between n > 0 pages.

    Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (WWW 1998, section 2.1.1).  A surfer
    goes on from a page without links to any page with equal probability.  The rounds end when they change less than
    1e-10 in all.
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

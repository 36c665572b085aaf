"""How important the pages of a recording are: by the pages that link to them, and by PageRank."""

from dataclasses import dataclass

import numpy as np

from crawler.replay.recording import Numbers, Recording
from partition.graphs.page_rank import page_rank

RESOLUTION = 1e-6
"""PageRanks that are equal to so much of their mean count as equal."""


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

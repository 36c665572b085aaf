"""What a site's duration is: the whole site's seconds, the seconds of a page, or these beside the site's own past.

The paper compares whole sites, which works if sites are alike: of sites that are not, the large and the slow ones lie
above every mean, wherever they are.
"""

from collections.abc import Callable

import numpy as np

from partition.twoma.experience import Experience, Floats, Numbers

Duration = Callable[[Floats, Numbers, Experience, Numbers], Floats]
"""From seconds a page, float64[n] with NaN for sites that were not measured, the experience with that run in it, pages,
int64[n], and the rank at which each site was measured, int[n]: the duration of each site, float64[n]."""


def of_site(seconds: Floats, pages: Numbers, _experience: Experience, _ranks: Numbers) -> Floats:
    """Return the seconds of the whole site, the paper's duration."""
    return seconds * pages


def of_page(seconds: Floats, _pages: Numbers, _experience: Experience, _ranks: Numbers) -> Floats:
    """Return the seconds of a page."""
    return seconds


def relative(seconds: Floats, _pages: Numbers, experience: Experience, ranks: Numbers) -> Floats:
    """Return the seconds of a page over the mean of the site's means at the ranks that it has been at.

    As long as it has been at one rank only it has nothing to be compared with but other sites: then it is over the mean
    of the sites at its rank in this run.
    """
    been_at = np.count_nonzero(experience.visits, axis=1)
    usual = experience.seconds.sum(axis=1) / np.maximum(been_at, 1)
    of_others = means_by_rank(seconds, ranks, experience.visits.shape[1])[ranks]
    against = np.where(been_at > 1, usual, of_others)
    return np.divide(seconds, against, out=np.ones_like(seconds), where=against != 0)


def means_by_rank(durations: Floats, ranks: Numbers, k: int) -> Floats:
    """Return the mean duration of the sites of each of k ranks, float64[k]; 0 where none was measured."""
    is_measured = ~np.isnan(durations)
    sums = np.bincount(ranks[is_measured], durations[is_measured], minlength=k)
    return sums / np.maximum(np.bincount(ranks[is_measured], minlength=k), 1)

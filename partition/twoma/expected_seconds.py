"""How many seconds a page of each site is expected to take at each rank, also where it has never been."""

import numpy as np

from partition.twoma.experience import Floats, Numbers
from partition.twoma.site_times import NO_BLOCK


def expected_seconds(means: Floats, blocks: Numbers) -> Floats:
    """Return the seconds that a page of each of n sites is expected to take at each of k ranks, float64[n, k].

    ``means``, float64[n, k], are seconds a page as they were measured, NaN where a site was never measured; ``blocks``,
    int64[n], are the sites' blocks of addresses, `NO_BLOCK` if not known.  What is measured stays.  Else, what is known
    first holds:

    1. the mean of the sites of the same block at that rank;
    2. the site's mean elsewhere, measured or of its block, times the rank's ratio to others: the geometric mean, over
       sites that were measured there and elsewhere, of what they took there over their mean elsewhere;
    3. the mean of all sites at that rank; and of all sites at all ranks, if none was measured there.

    Raises ValueError if nothing was measured at all.
    """
    if np.isnan(means).all():
        raise ValueError("no site was measured at any rank")
    lent = _or_else(means, of_blocks(means, blocks))
    expected = _or_else(lent, _mean_elsewhere(lent) * rank_ratios(means))
    with_rank = _or_else(expected, np.broadcast_to(_column_means(means), means.shape))
    return _or_else(with_rank, np.full(means.shape, np.nanmean(means)))


def rank_ratios(means: Floats) -> Floats:
    """Return how many times as long sites take at each rank as elsewhere, float64[k]; 1 where no site tells."""
    elsewhere = _mean_elsewhere(means)
    tells = ~np.isnan(means) & ~np.isnan(elsewhere) & (np.nan_to_num(means) > 0) & (np.nan_to_num(elsewhere) > 0)
    logs = np.log(np.divide(means, elsewhere, out=np.ones(means.shape), where=tells))
    ratios: Floats = np.exp(logs.sum(axis=0) / np.maximum(tells.sum(axis=0), 1))
    return ratios


def _mean_elsewhere(means: Floats) -> Floats:
    """The mean of each site's means at all other ranks, float64[n, k]; NaN if there is none."""
    is_known = ~np.isnan(means)
    known = np.where(is_known, means, 0.0)
    others = is_known.sum(axis=1)[:, None] - is_known
    sums = known.sum(axis=1)[:, None] - known
    elsewhere: Floats = np.divide(sums, others, out=np.full(means.shape, np.nan), where=others > 0)
    return elsewhere


def of_blocks(means: Floats, blocks: Numbers) -> Floats:
    """The mean of the sites of each site's block at each rank, float64[n, k]; NaN where none was measured."""
    members = np.flatnonzero(blocks != NO_BLOCK)
    _, of_member = np.unique(blocks[members], return_inverse=True)
    found = np.full(means.shape, np.nan)
    for rank in range(means.shape[1]):
        seconds = means[members, rank]
        is_known = ~np.isnan(seconds)
        sums = np.bincount(of_member[is_known], seconds[is_known], minlength=len(members))
        counts = np.bincount(of_member[is_known], minlength=len(members))
        of_block = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
        found[members, rank] = of_block[of_member]
    return found


def _column_means(means: Floats) -> Floats:
    is_known = ~np.isnan(means)
    counts = is_known.sum(axis=0)
    sums = np.where(is_known, means, 0.0).sum(axis=0)
    columns: Floats = np.divide(sums, counts, out=np.full(means.shape[1], np.nan), where=counts > 0)
    return columns


def _or_else(values: Floats, others: Floats) -> Floats:
    """The values, and where they are NaN the others."""
    return np.where(np.isnan(values), others, values)

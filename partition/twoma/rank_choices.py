"""Which rank a site goes to, where several would do."""

import numpy as np

from partition.twoma.experience import Floats, Numbers

EQUAL = 1e-9
"""Seconds that differ by less than this of them are equal: means of equal numbers are rounded."""


def other_ranks(ranks: Numbers, k: int, chance: np.random.Generator) -> Numbers:
    """Return for each of n ranks, int64[n], one of the k - 1 others, each as likely; the same if there is none."""
    others: Numbers = (ranks + 1 + chance.integers(max(1, k - 1), size=len(ranks))) % k
    return others


def untried_ranks(visits: Numbers, chance: np.random.Generator) -> Numbers:
    """Return a rank that each of n sites has not been at, int64[n], each as likely; -1 if it has been at all.

    ``visits``, int64[n, k], are those of each site to each rank.
    """
    lots = np.where(visits == 0, chance.random(visits.shape), -1.0)
    drawn = lots.argmax(axis=1)
    is_left = np.take_along_axis(lots, drawn[:, None], axis=1)[:, 0] >= 0
    return np.where(is_left, drawn, -1)


def fastest_ranks(seconds: Floats, visits: Numbers, ranks: Numbers, chance: np.random.Generator) -> Numbers:
    """Return the rank at which each of n sites took least of those that it has been at, int64[n].

    ``seconds``, float64[n, k], count where ``visits``, int64[n, k], are above 0; each site has been at one of
    ``ranks``, int64[n], at least, where it is.  Of equal ones it is that rank, or else each is as likely: if always
    the lowest were taken, all sites that are as fast everywhere would come to rank 0.
    """
    known = np.where(visits > 0, seconds, np.inf)
    is_fastest = known <= known.min(axis=1, keepdims=True) * (1 + EQUAL)
    lots = np.where(is_fastest, chance.random(seconds.shape), -1.0)
    rows = np.arange(len(ranks))
    lots[rows, ranks] = np.where(is_fastest[rows, ranks], 2.0, -1.0)
    fastest: Numbers = lots.argmax(axis=1)
    return fastest

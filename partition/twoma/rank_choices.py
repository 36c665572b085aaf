"""Which rank a site goes to, where several would do."""

import numpy as np
import numpy.typing as npt

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
    drawn = np.full(len(visits), -1)
    sites = np.flatnonzero((visits == 0).any(axis=1))
    drawn[sites] = _any_of(visits[sites] == 0, chance)
    return drawn


def fastest_ranks(seconds: Floats, visits: Numbers, ranks: Numbers, chance: np.random.Generator) -> Numbers:
    """Return the rank at which each of n sites took least of those that it has been at, int64[n].

    ``seconds``, float64[n, k], count where ``visits``, int64[n, k], are above 0; each site has been at one rank at
    least.  Of equal ones it is that of ``ranks``, int64[n], where the site is, or else each is as likely: if always the
    lowest were taken, all sites that are as fast everywhere would come to rank 0.
    """
    known = np.where(visits > 0, seconds, np.inf)
    is_fastest = known <= known.min(axis=1, keepdims=True) * (1 + EQUAL)
    fastest: Numbers = is_fastest.argmax(axis=1)
    stays = is_fastest[np.arange(len(ranks)), ranks]
    fastest[stays] = ranks[stays]
    equal = np.flatnonzero(~stays & (np.count_nonzero(is_fastest, axis=1) > 1))
    fastest[equal] = _any_of(is_fastest[equal], chance)
    return fastest


def _any_of(allowed: npt.NDArray[np.bool_], chance: np.random.Generator) -> Numbers:
    """One of the ranks that are allowed, bool[n, k], each as likely, int64[n]; at least one is."""
    drawn: Numbers = np.where(allowed, chance.random(allowed.shape), -1.0).argmax(axis=1)
    return drawn

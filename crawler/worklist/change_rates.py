"""How often pages change, as far as their visits tell, and what another visit is worth.

A page changes as a Poisson process with rate r, which is not one number: each rate on a grid has the likelihood of what
was seen.  Each comparison of the contents of two visits, a days apart, has a factor e^(-r a) if they are equal and
1 - e^(-r a) if not.  The prior is the mean posterior of all pages; for a site with enough pages it is that of these.

What a visit is worth (Cho and Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", TODS 2003): t days
after the last one, w = (1 - e^(-r t)) / r - t e^(-r t), the time that the stored copy gains of being up to date.  It is
small both for pages that hardly change and for those that change sooner than anyone could come back.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEAST_RATE, GREATEST_RATE = 1 / 400, 4.0
GRID: Floats = np.concatenate([[0.0], np.geomspace(LEAST_RATE, GREATEST_RATE, 15)])
"""The rates, changes a day, of which there are likelihoods."""
PAGES_OF_A_PRIOR = 50
"""So many pages a site must have for a prior of its own."""
ROUNDS = 30
"""How often the prior of all pages is computed from the posteriors that it gives."""
UNITS = 1 << 30
"""Posteriors are added up in whole multiples of 2^-30, so that order changes nothing."""


def likelihoods(pages: npt.NDArray[np.int64], days: Floats, has_changed: npt.NDArray[np.bool_], count: int) -> Floats:
    """Return the likelihood of each rate for ``count`` pages: float64[count, 16], 1 for the likeliest rate of each.

    Comparison i is of page ``pages[i]``, which ascend, ``days[i]`` apart; those of a page are multiplied in order.
    Comparisons at one instant tell nothing.
    """
    found = np.ones((count, len(GRID)))
    tells = days > 0
    pages, days, has_changed = pages[tells], days[tells], has_changed[tells]
    turn = np.arange(len(pages)) - np.searchsorted(pages, pages)
    for number in range(int(turn.max(initial=-1)) + 1):
        at = np.flatnonzero(turn == number)
        exponents = -GRID * days[at, None]
        factors = np.where(has_changed[at, None], -np.expm1(exponents), np.exp(exponents))
        product = found[pages[at]] * factors
        found[pages[at]] = product / product.max(axis=1, keepdims=True)
    return found


def posteriors(likelihood: Floats, prior: Floats) -> Floats:
    """Return the chance of each rate: float64[n, 16] like the likelihoods, by a prior of each page or of all."""
    weighted = likelihood * prior
    total = weighted.sum(axis=1, keepdims=True)
    # A prior may be nothing where the page's evidence is.
    alone = likelihood / likelihood.sum(axis=1, keepdims=True)
    return np.where(total > 0, weighted / np.where(total > 0, total, 1.0), alone)


def in_units(posterior: Floats) -> npt.NDArray[np.int64]:
    """Return posteriors in whole multiples of 1 / `UNITS`."""
    return np.rint(posterior * UNITS).astype(np.int64)


def normalised(sums: npt.NDArray[np.int64]) -> Floats:
    """Return sums of posteriors as one distribution, float64[..., 16]; even where there is nothing to go by."""
    total = sums.sum(axis=-1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / len(GRID))


def chance_of_change(posterior: Floats, days: Floats) -> Floats:
    """Return the chance that each page has changed in its days: float64[n]."""
    chances: Floats = (posterior * -np.expm1(-GRID * days[:, None])).sum(axis=1)
    return chances


def worth_of_visit(posterior: Floats, days: Floats) -> Floats:
    """Return what a visit is worth to each page after its days, in days: float64[n]."""
    means: Floats = (posterior * worths(GRID, days[:, None])).sum(axis=1)
    return means


def worths(rates: Floats, days: Floats) -> Floats:
    """Return (1 - e^(-r t)) / r - t e^(-r t), 0 where r is."""
    exponents = rates * days
    changed = -np.expm1(-exponents)
    is_still = rates == 0
    return np.where(is_still, 0.0, changed / np.where(is_still, 1.0, rates) - days * np.exp(-exponents))

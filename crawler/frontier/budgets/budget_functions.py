"""From a domain's in-degree to its budget: how many of its URLs may be fetched in one round of the queues.

After H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section
6.2 (B0 = 10 for everybody, and for the highest ranked linearly more, up to 10,000 for the first), and beside it a
function that needs no ranking, and one by which an in-degree counts as far as trust from the seeds backs it.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from crawler.frontier.budgets.ranking import Degrees, Ranking

Budgets = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Function = Callable[[Degrees, Ranking], Budgets]
"""From uint32[n] in-degrees, and the ranking of all domains as it is now, to int64[n] budgets in URLs."""

B0 = 10
"""The budget of a domain that nobody links to, in URLs."""
MOST = 10_000
"""The highest budget, in URLs."""
URLS_FOR_TRUST = 50
"""What a domain may have at most that has as much trust as that in which a random unit of trust lies, in URLs."""
SUPPORT_UNITS = 1024


def by_degree(degrees: Degrees, _: Ranking) -> Budgets:
    """min(10,000, B0 x (1 + in-degree))."""
    return B0 * (1 + np.minimum(degrees.astype(np.int64), MOST // B0 - 1))


def by_rank(degrees: Degrees, ranking: Ranking) -> Budgets:
    """Linear in the rank from 10,000, for the first, to B0, for the last of the ranked; B0 for all others.

    A single ranked domain has 10,000.  Domains that the ranking does not tell apart have the mean of what their ranks
    give, rounded: all budgets together are what they would be in whatever order those stood.
    """
    above, abreast = ranking.above(degrees), ranking.abreast(degrees)
    extra = (_extra_of_first(above + abreast, ranking.ranked) - _extra_of_first(above, ranking.ranked)) / abreast
    return np.where(degrees > 0, B0 + np.rint(extra).astype(np.int64), B0)


def _extra_of_first(domains: npt.NDArray[np.int64], ranked: int) -> npt.NDArray[np.float64]:
    """What the first so many domains have together beyond B0 each."""
    counted = np.minimum(domains, ranked).astype(np.float64)
    decline = (MOST - B0) / max(1, ranked - 1)
    return (MOST - B0) * counted - decline * counted * (counted - 1) / 2


def by_trust(supports: Degrees, _: Ranking) -> npt.NDArray[np.float64]:
    """What the rank that counts a domain says of it: `supports` in place of its in-degree."""
    return supports / SUPPORT_UNITS


def supports(degrees: Degrees, trust: npt.NDArray[np.float64]) -> Degrees:
    """min(10,000, 1 + B0 x in-degree, 50 x trust), in 1,024ths of a URL: uint32[n].

    ``trust`` is float64[n], 1 for the domain in which a random unit of trust lies.
    """
    urls = np.minimum(np.minimum(1.0 + B0 * degrees.astype(np.float64), URLS_FOR_TRUST * trust), MOST)
    return np.asarray(np.rint(SUPPORT_UNITS * urls), np.uint32)


BUDGETS: dict[str, Function] = {"degree": by_degree, "top": by_rank, "trust": by_trust}

"""How little time sites can take, if what each takes at each rank is known."""

import numpy as np

from partition.twoma.experience import Floats
from sessions.compiled import compiled


def least_total(durations: Floats) -> float:
    """Return the least that all sites can take together, for ``durations``, float64[n, k], of n sites at k ranks."""
    return float(durations.min(axis=1).sum())


def least_makespan(durations: Floats) -> float:
    """Return what no distribution of n sites over k ranks stays below, all ranks working at once.

    It is the larger of the least total over k and the least of the longest site.
    """
    shared: float = least_total(durations) / durations.shape[1]
    return max(shared, float(durations.min(axis=1).max(initial=0.0)))


def list_schedule(durations: Floats) -> float:
    """Return the makespan of a greedy schedule: the longest site first, each to the rank that is then done first.

    It can be had, if ``durations``, float64[n, k], are known, and is no bound: others may be shorter.
    """
    longest_first = np.argsort(-durations.min(axis=1), kind="stable")
    loads: Floats = _loads(durations[longest_first])
    return float(loads.max(initial=0.0))


@compiled
def _loads(durations: Floats) -> Floats:
    loads = np.zeros(durations.shape[1])
    for site in range(len(durations)):
        best = np.argmin(loads + durations[site])
        loads[best] += durations[site, best]
    return loads

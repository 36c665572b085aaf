"""Making a partition better on one level, on all ranks at once: `partition.cut.refinement`, in rounds.

In a round each rank rebalances, propagates or searches among its own vertices as one process does.  Two ranks that both
move pins of a net may each undo what the other gains: so in searches they take turns, one half of the ranks after the
other.
"""

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.connectivity import Nets, State, cut_vertices, no_work
from partition.cut.label_propagation import Propagation
from partition.cut.local_search import PATIENCE, LocalSearch
from partition.cut.rebalancing import rebalance
from partition.shares.hypergraph_share import HypergraphShare
from partition.shares.shared_state import SharedState

_MENDINGS, _PROPAGATIONS, _SEARCHES = 8, 6, 4
_SMALLEST_GAIN = 0.001
_MOST_WORK = 200
_WORK_OF_ANY = 100_000


def refined_share(
    share: HypergraphShare, parts: Owners, balance: Balance, rng: np.random.Generator
) -> tuple[Owners, int, float]:
    """A partition that is no worse: this rank's parts, int32[v]; and of all ranks cost and excess.

    ``parts``, int32[v], are those of this rank's vertices; ``rng`` is this rank's own.
    """
    shared = SharedState(share, parts, balance)
    everyone = np.ones(share.ranks.size, np.bool_)
    work, most_work = no_work(), _MOST_WORK * len(share.local.pins) + _WORK_OF_ANY

    def propagated(nets: Nets, state: State) -> None:
        order = rng.permutation(cut_vertices(nets, state))
        Propagation(nets, state).round(order, work, most_work)

    def searched(nets: Nets, state: State) -> None:
        seeds = rng.permutation(cut_vertices(nets, state))
        least_gain = _SMALLEST_GAIN * shared.cost / share.ranks.size
        LocalSearch(nets, state, PATIENCE).round(seeds, least_gain, work, most_work)

    for _ in range(_MENDINGS):
        excess = shared.excess
        if not excess:
            break
        shared.round(lambda nets, state: rebalance(nets, state, balance), everyone)
        if shared.excess == excess:
            break
    for _ in range(_PROPAGATIONS):
        if shared.round(propagated, everyone) <= _SMALLEST_GAIN * shared.cost:
            break
    for number in range(_SEARCHES):
        gains = [shared.round(searched, turn) for turn in _turns(share.ranks.size, number)]
        if sum(gains) <= _SMALLEST_GAIN * shared.cost:
            break
    return shared.state.parts, shared.cost, shared.excess


def _turns(size: int, number: int) -> list[npt.NDArray[np.bool_]]:
    """Who moves at the same time: every second rank, then the others."""
    if size == 1:
        return [np.ones(1, np.bool_)]
    is_even = (np.arange(size) + number) % 2 == 0
    return [is_even, ~is_even]

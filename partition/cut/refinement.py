"""Making a partition better on one level, in time linear in the pins.

First the balance is mended (`rebalancing`), then all vertices on the cut go where they gain most
(`label_propagation`), then searches find what takes a loss first (`local_search`).  Each kind of round is repeated
while it gains.  All that is read of nets is counted, and no level may read more than `_MOST_WORK` entries for each
pin, whatever hubs and adversaries do.
"""

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.connectivity import READ, cost_of, cut_vertices, nets_of, no_work, state_of
from partition.cut.crew import ALONE, Crew
from partition.cut.label_propagation import Propagation
from partition.cut.local_search import PATIENCE, LocalSearch
from partition.cut.rebalancing import rebalance
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import Numbers

_PROPAGATIONS, _SEARCHES = 6, 4
_SMALLEST_GAIN = 0.001
_LEAST_HOPE = 0.3  # of the smallest gain: a round that is not going to gain so much ends early
_MOST_WORK = 200
_WORK_OF_ANY = 100_000  # a tiny hypergraph may be searched as often as it takes


def refined(
    hypergraph: Hypergraph,
    parts: Owners,
    balance: Balance,
    rng: np.random.Generator,
    *,
    crew: Crew = ALONE,
    patience: int = PATIENCE,
    work: Numbers | None = None,
) -> tuple[Owners, int]:
    """A partition that is no worse, int32[v], and its connectivity.

    First the balance is mended, if it must be and as far as it can be; then vertices move until a round gains less
    than a thousandth.  The same whatever the threads of the ``crew``.  ``work`` (`no_work`) is added to.
    """
    nets = nets_of(hypergraph)
    state = state_of(nets, parts, balance)
    rebalance(nets, state, balance)
    cost = int(cost_of(nets, state))
    work = no_work() if work is None else work
    most_work = int(work[READ]) + _MOST_WORK * len(nets.pins) + _WORK_OF_ANY
    propagation = Propagation(nets, state)
    for _ in range(_PROPAGATIONS):
        gain = propagation.round(rng.permutation(cut_vertices(nets, state)), work, most_work, crew)
        cost -= gain
        if gain <= _SMALLEST_GAIN * cost:
            break
    search = LocalSearch(nets, state, patience)
    for _ in range(_SEARCHES):
        least_gain = _LEAST_HOPE * _SMALLEST_GAIN * cost
        gain = search.round(rng.permutation(cut_vertices(nets, state)), least_gain, work, most_work, crew)
        cost -= gain
        if gain <= _SMALLEST_GAIN * cost:
            break
    return state.parts, cost

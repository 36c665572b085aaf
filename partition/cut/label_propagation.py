"""Moving every vertex on the cut to where it gains most, one after the other: the cheap part of a refinement.

Size-constrained label propagation (Meyerhenke, Sanders and Schulz, "Partitioning Complex Networks via Size-constrained
Clustering", SEA 2014): no queue, no loss, one look at each vertex and its nets.
"""

import numpy as np
import numpy.typing as npt

from partition.cut.connectivity import MOVED, NOWHERE, READ, Nets, Scratch, State, best_move, move
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled


@compiled
def propagate(
    nets: Nets, state: State, scratch: Scratch, order: npt.NDArray[np.int32], work: Numbers, most_work: int
) -> int:
    """Make the best move of each vertex, in the order given, if it gains anything; the gain of all.

    It stops where the entries of nets read, as ``work`` (`no_work`) counts them, reach ``most_work``.
    """
    gained = 0
    for vertex in order:
        if work[READ] >= most_work:
            break
        for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
            work[READ] += state.spans[nets.nets[place]]
        part, gain = best_move(nets, state, scratch, vertex)
        if part != NOWHERE and gain > 0:
            gained += move(nets, state, vertex, part)
            work[MOVED] += 1
    return gained

"""Mt-KaHyPar's cut of a hypergraph as a start for ours, where it is installed (the extra ``kahypar``).

Its default preset (Gottesbüren, Heuer, Maas, Sanders and Schlag, "Scalable High-Quality Hypergraph Partitioning", ACM
Transactions on Algorithms 2024) gives the same for a seed if it has one thread and looks at no clock.  So it gets one,
and ``kahypar.ini`` is that preset, option by option, without its limits of time.  The preset that is called
deterministic took four times as long for a worse cut of a graph of hosts.  Where parts have different shares it breaks
ties by coins that go on from one cut to the next, so the same is given in the same order in a process of its own.

It balances one weight: here the sum of all, each as a share of its whole.  So its parts may be out of balance in each,
and are mended afterwards.
"""

from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import Numbers

MOST_PINS = 20_000_000
"""It takes its nets as Python's lists, up to 40 bytes a pin; larger hypergraphs are not handed to it."""

_ALL = 1_000_000_000

_PRESET = Path(__file__).with_name("kahypar.ini")

# The library has one state for the whole process.
_one_at_a_time = Lock()


def is_installed() -> bool:
    """Is Mt-KaHyPar there?  It is not loaded."""
    return find_spec("mtkahypar") is not None


def takes(hypergraph: Hypergraph) -> bool:
    """Is the hypergraph one that is handed to it?"""
    return 0 < len(hypergraph.pins) <= MOST_PINS


def cut_by_kahypar(hypergraph: Hypergraph, balance: Balance, seed: int) -> Owners:
    """The part of each vertex, int32[v], with as little connectivity as it can find."""
    with _one_at_a_time:  # first of all, so that threads come in the order in which they begin
        weights, tolerance = _one_weight(hypergraph.weights), float(balance.tolerance.min())
        ends = hypergraph.starts.tolist()
        pins = hypergraph.pins.tolist()
        nets = [pins[begin:end] for begin, end in pairwise(ends)]
        del pins, ends
        library, started = _started()
        library.set_seed(seed)
        context = started.context_from_file(str(_PRESET))
        context.set_partitioning_parameters(balance.parts, tolerance, library.Objective.KM1)
        context.logging = False
        if np.ptp(balance.shares):
            limits = np.ceil((1 + tolerance) * balance.shares * weights.sum())
            context.set_individual_target_block_weights(limits.astype(np.int64).tolist())
        whole = started.create_hypergraph(
            context, len(hypergraph), len(nets), nets, weights.tolist(), hypergraph.costs.tolist()
        )
        return np.array(whole.partition(context).get_partition(), np.int32)


def _one_weight(weights: Numbers) -> Numbers:
    """The sum of all weights of each vertex, int64[v], each as a share of its whole."""
    shares = (weights / np.maximum(weights.sum(axis=0), 1)).sum(axis=1)
    one: Numbers = np.rint(shares / max(float(shares.sum()), 1e-300) * _ALL).astype(np.int64)
    return one


@cache
def _started() -> tuple[Any, Any]:
    import mtkahypar

    return mtkahypar, mtkahypar.initialize(1)

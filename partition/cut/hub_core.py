"""A start in which the vertices that are in most nets lie in one part, whose other parts are cut without them.

Hubs link to pages that few others link to, or that other hubs link to as well.  Where such nets are most of what a
partition costs, as in graphs of hosts, gathering the hubs in a *core* lets each of their nets touch two parts only: the
core's and its own page's.  No refinement leads there, since a hub that goes there alone gains nothing.  The idea is
that of a core and a periphery (Borgatti and Everett, "Models of Core/Periphery Structures", Social Networks 1999).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance, balance_of
from partition.graphs.hypergraph import Hypergraph, Pins, hypergraph
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

Members = npt.NDArray[np.bool_]

_LEAST_SHARE = 1e-3  # of a part, for what joins the core's
_TIGHTER = 0.9  # of the tolerance, for the rest: where the core fills its part, the shares are not exact


class HubCore(NamedTuple):
    """A core, and what is left.

    Attributes:
        part: the part of the core, the largest.
        others: int64[r], the vertices that are not in the core, ascending.
        rest: the hypergraph of the others.
        balance: what k parts of the others should weigh, so that all is balanced.
    """

    part: int
    others: Numbers
    rest: Hypergraph
    balance: Balance


def hubs_of(graph: Hypergraph, balance: Balance, portion: float) -> Members:
    """The vertices for whose weight most is won in a core, as many as fill ``portion`` of the largest part: bool[v].

    What is won with a net of p pins counts (p - 2) / (p - 1) of its cost: a net of two pins is better not cut at all,
    and its cost counts against the vertex.
    """
    won_by = _won_by(graph.starts, graph.pins, graph.costs, len(graph))
    weight_shares = (graph.weights / np.maximum(graph.weights.sum(axis=0), 1)).max(axis=1)
    in_order = np.argsort(-won_by / np.maximum(weight_shares, 1e-300), kind="stable")
    in_order = in_order[won_by[in_order] > 0]
    filled = np.cumsum(weight_shares[in_order])
    are_hubs = np.zeros(len(graph), bool)
    are_hubs[in_order[filled <= portion * balance.shares.max()]] = True
    return are_hubs


def costs_of_hubs(graph: Hypergraph, parts: Owners, are_hubs: Members) -> tuple[int, int]:
    """What nets with pins in a core and elsewhere cost in a partition, int32[v], and what they would cost at least.

    The least is that each touches two parts, the core's and one other.
    """
    now, least = _costs_of_hubs(graph.starts, graph.pins, graph.costs, parts, int(parts.max()) + 1, are_hubs)
    return int(now), int(least)


def hub_core(graph: Hypergraph, balance: Balance, are_hubs: Members) -> HubCore:
    """The core of these hubs, bool[v]."""
    part = int(np.argmax(balance.shares))
    others = np.flatnonzero(~are_hubs)
    rest = restricted(graph, others)
    left = balance.shares.copy()
    taken = (graph.weights[are_hubs].sum(axis=0) / np.maximum(graph.weights.sum(axis=0), 1)).max()
    left[part] = max(left[part] - taken, _LEAST_SHARE * left[part])
    tighter = balance_of(rest.weights, balance.parts, _TIGHTER * balance.tolerance, left.tolist())
    return HubCore(part, others, rest, tighter)


def with_core(core: HubCore, parts: Owners, vertices: int) -> Owners:
    """The parts of all vertices, int32[v], from those of the others, int32[r]."""
    whole = np.full(vertices, core.part, np.int32)
    whole[core.others] = parts
    return whole


def restricted(graph: Hypergraph, vertices: Numbers) -> Hypergraph:
    """The hypergraph of some vertices, int64[r], ascending: nets keep their pins among them."""
    number_of = np.full(len(graph), -1, np.int32)
    number_of[vertices] = np.arange(len(vertices))
    pins = number_of[graph.pins]
    kept = np.zeros(len(pins) + 1, np.int64)
    np.cumsum(pins >= 0, out=kept[1:])
    inner, weights, anchors = pins[pins >= 0], graph.weights[vertices], graph.anchors[vertices]
    return hypergraph(kept[graph.starts], inner, graph.costs, weights, anchors)


@compiled
def _won_by(starts: Numbers, pins: Pins, costs: Numbers, count: int) -> npt.NDArray[np.float64]:
    won_by = np.zeros(count)
    for net in range(len(costs)):
        size = starts[net + 1] - starts[net]
        won = -1.0 * costs[net] if size == 2 else costs[net] * (size - 2) / (size - 1)
        for place in range(starts[net], starts[net + 1]):
            won_by[pins[place]] += won
    return won_by


@compiled
def _costs_of_hubs(
    starts: Numbers, pins: Pins, costs: Numbers, parts: Owners, count: int, are_hubs: Members
) -> tuple[int, int]:
    now, least = 0, 0
    seen_in = np.full(count, -1, np.int64)
    for net in range(len(costs)):
        hubs, touched = 0, 0
        for place in range(starts[net], starts[net + 1]):
            hubs += are_hubs[pins[place]]
            if seen_in[parts[pins[place]]] != net:
                seen_in[parts[pins[place]]] = net
                touched += 1
        if 0 < hubs < starts[net + 1] - starts[net]:
            now += costs[net] * (touched - 1)
            least += costs[net]
    return now, least

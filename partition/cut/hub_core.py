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
from partition.graphs.hypergraph import Hypergraph, hypergraph
from partition.graphs.link_graph import Numbers

_LEAST_SHARE = 1e-3  # of a part, for what joins the core's
_TIGHTER = 0.9  # of the tolerance, for the rest: where the core fills its part, the shares are not exact


class HubCore(NamedTuple):
    """A core, and what is left.

    Attributes:
        part: the part of the core, the largest.
        others: int64[r], the vertices that are not in the core, ascending.
        cost: what nets cost that have pins in the core and elsewhere, if each touches one other part: what gathering
            the hubs costs at least.
        rest: the hypergraph of the others.
        balance: what k parts of the others should weigh, so that all is balanced.
    """

    part: int
    others: Numbers
    cost: int
    rest: Hypergraph
    balance: Balance


def hub_core(graph: Hypergraph, balance: Balance, portion: float) -> HubCore:
    """The core of the vertices for whose weight most is won, as much as fills ``portion`` of the largest part.

    What is won with a net of p pins counts (p - 2) / (p - 1) of its cost: a net of two pins is better not cut at all,
    and its cost counts against the vertex.
    """
    part = int(np.argmax(balance.shares))
    sizes = np.diff(graph.starts)
    won = graph.costs * np.where(sizes == 2, -1.0, (sizes - 2) / (sizes - 1))
    won_by = np.bincount(graph.pins, np.repeat(won, sizes), len(graph))
    weight_shares = (graph.weights / np.maximum(graph.weights.sum(axis=0), 1)).max(axis=1)
    in_order = np.argsort(-won_by / np.maximum(weight_shares, 1e-300), kind="stable")
    in_order = in_order[won_by[in_order] > 0]
    filled = np.cumsum(weight_shares[in_order])
    is_core = np.zeros(len(graph), bool)
    is_core[in_order[filled <= portion * balance.shares[part]]] = True
    others = np.flatnonzero(~is_core)
    rest = restricted(graph, others)
    left = balance.shares.copy()
    taken = (graph.weights[is_core].sum(axis=0) / np.maximum(graph.weights.sum(axis=0), 1)).max()
    left[part] = max(left[part] - taken, _LEAST_SHARE * left[part])
    return HubCore(
        part,
        others,
        _cost_across(graph, is_core),
        rest,
        balance_of(rest.weights, balance.parts, _TIGHTER * balance.tolerance, left.tolist()),
    )


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


def _cost_across(graph: Hypergraph, is_core: npt.NDArray[np.bool_]) -> int:
    inside = np.zeros(len(graph.pins) + 1, np.int64)
    np.cumsum(is_core[graph.pins], out=inside[1:])
    in_core = np.diff(inside[graph.starts])
    return int(graph.costs[(in_core > 0) & (in_core < np.diff(graph.starts))].sum())

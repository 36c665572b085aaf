"""The state of a refinement, after any moves, against the definition of what it says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.cut.connectivity import (
    NOWHERE,
    Nets,
    State,
    best_move,
    connectivity,
    cost_of,
    cut_vertices,
    fits,
    move,
    nets_of,
    pins_in,
    scratch_for,
    state_of,
)
from partition.graphs.hypergraph import Hypergraph
from tests.partition.cut.support.cases import (
    cost_by_definition,
    hypergraph_of,
    hypergraphs,
    loads_by_definition,
    partitions,
    pins_of,
)


def check(graph: Hypergraph, nets: Nets, state: State, k: int) -> None:
    """Everything that a state says follows from its parts."""
    parts = state.parts.tolist()
    assert cost_of(nets, state) == connectivity(graph, state.parts, k) == cost_by_definition(graph, parts)
    assert state.loads.tolist() == loads_by_definition(graph.weights, parts, k)
    assert state.sizes.tolist() == [parts.count(part) for part in range(k)]
    for net, pins in enumerate(pins_of(graph)):
        first, last = state.slot_starts[net], state.slot_starts[net + 1]
        assert last - first == min(len(pins), k)
        used = slice(first, first + state.spans[net])
        assert used.stop <= last
        told = dict(zip(state.slot_parts[used].tolist(), state.slot_pins[used].tolist(), strict=True))
        counted = {part: [parts[pin] for pin in pins].count(part) for part in {parts[pin] for pin in pins}}
        assert told == counted
        assert len(told) == state.spans[net]
        assert [pins_in(state, net, part) for part in range(k)] == [counted.get(part, 0) for part in range(k)]
    on_cut = {pin for pins in pins_of(graph) if len({parts[pin] for pin in pins}) > 1 for pin in pins}
    assert cut_vertices(nets, state).tolist() == sorted(on_cut)


def check_best_move(graph: Hypergraph, nets: Nets, state: State, k: int, vertex: int) -> None:
    """The best move is to a part that shares a net with the vertex and has room, and gains most."""
    scratch = scratch_for(k)
    part, gain = best_move(nets, state, scratch, vertex)
    assert not scratch.attraction.any()
    parts = state.parts.tolist()
    home, cost = parts[vertex], cost_by_definition(graph, parts)
    near = {parts[pin] for pins in pins_of(graph) if vertex in pins for pin in pins} - {home}
    has_room = {
        other for other in range(k) if (state.loads[other] + graph.weights[vertex] <= state.limits[other]).all()
    }
    assert all(fits(nets, state, vertex, other) == (other in has_room) for other in range(k))
    gains = {}
    for other in near & has_room:
        moved = parts.copy()
        moved[vertex] = other
        gains[other] = cost - cost_by_definition(graph, moved)
    if not gains or parts.count(home) == 1:
        assert (part, gain) == (NOWHERE, 0)
        return
    assert gain == max(gains.values()) == gains[part]
    assert state.loads[part, 0] == min(state.loads[other, 0] for other in gains if gains[other] == gain)


@settings(max_examples=120)
@given(hypergraphs(), st.integers(1, 5), st.floats(0, 3), st.data())
def test_after_any_moves_a_state_is_what_its_parts_say(
    graph: Hypergraph, k: int, tolerance: float, data: st.DataObject
) -> None:
    nets, balance = nets_of(graph), balance_of(graph.weights, k, tolerance)
    given_parts = data.draw(partitions(len(graph), k))
    kept = given_parts.copy()
    state = state_of(nets, given_parts, balance)
    check(graph, nets, state, k)
    step = st.tuples(st.integers(0, len(graph) - 1), st.integers(0, k - 1))
    for vertex, part in data.draw(st.lists(step, max_size=15)):
        check_best_move(graph, nets, state, k, vertex)
        if part != state.parts[vertex]:
            move(nets, state, vertex, part)
    check(graph, nets, state, k)
    assert given_parts.tolist() == kept.tolist()


def test_the_last_vertex_of_a_part_stays() -> None:
    graph = hypergraph_of([[0, 1], [0, 2]], [5, 5], [(1, 1)] * 3)
    state = state_of(nets_of(graph), np.array([0, 1, 1]), balance_of(graph.weights, 2, 10))
    assert best_move(nets_of(graph), state, scratch_for(2), 0) == (NOWHERE, 0)
    assert best_move(nets_of(graph), state, scratch_for(2), 1) == (0, 5)


def test_in_one_part_nothing_is_cut_and_nothing_moves() -> None:
    graph = hypergraph_of([[0, 1, 2]], [7], [(1, 1)] * 3)
    state = state_of(nets_of(graph), np.zeros(3, np.int32), balance_of(graph.weights, 1))
    assert cost_of(nets_of(graph), state) == 0
    assert len(cut_vertices(nets_of(graph), state)) == 0
    assert best_move(nets_of(graph), state, scratch_for(1), 1) == (NOWHERE, 0)


def test_costs_beyond_32_bits_add_up() -> None:
    graph = hypergraph_of([[0, 1], [1, 2]], [3 << 40, 5 << 40], [(1 << 45, 1)] * 3)
    state = state_of(nets_of(graph), np.array([0, 1, 2]), balance_of(graph.weights, 3))
    assert cost_of(nets_of(graph), state) == connectivity(graph, state.parts, 3) == 8 << 40

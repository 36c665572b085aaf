"""New vertices beside their neighbours: the same as by definition, everything placed, and no part too full."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import Balance, balance_of
from partition.cut.placement import placed
from partition.graphs.hypergraph import Hypergraph, edge_nets
from tests.partition.cut.support.cases import hypergraph_of, hypergraphs, partitions, pins_of, planted

NOBODY = -1


class ByDefinition:
    """Placement with lists, sets and nothing remembered."""

    def __init__(self, graph: Hypergraph, carried: Sequence[int], is_new: Sequence[bool], balance: Balance) -> None:
        self.parts = [NOBODY if new else part for part, new in zip(carried, is_new, strict=True)]
        self._nets = list(zip(pins_of(graph), graph.costs.tolist(), strict=True))
        self._reached: set[int] = set()
        self._carried, self._balance, self._weights = carried, balance, graph.weights

    def run(self) -> list[int]:
        """Place all."""
        self.rounds({vertex for vertex, part in enumerate(self.parts) if part != NOBODY})
        whole = np.maximum(self._weights.sum(axis=0), 1)
        weights = [max(row) for row in (self._weights / whole).tolist()]
        for vertex in sorted(range(len(self.parts)), key=lambda vertex: (-weights[vertex], vertex)):
            if self.parts[vertex] == NOBODY:
                part = self._carried[vertex]
                if not self._fits(vertex, part):
                    all_parts = range(self._balance.parts)
                    part = min(all_parts, key=lambda part: (not self._fits(vertex, part), self._fullness(part), part))
                self.parts[vertex] = part
                self.rounds({vertex})
        return self.parts

    def rounds(self, just_placed: set[int]) -> None:
        """Rounds until nobody new is placed."""
        while just_placed:
            just_placed = self.round(just_placed)

    def round(self, just_placed: set[int]) -> set[int]:
        """Who is placed of those that share a net, not met before, with what was just placed."""
        near: set[int] = set()
        for number, (pins, _) in enumerate(self._nets):
            if number not in self._reached and just_placed & set(pins):
                self._reached.add(number)
                near |= {pin for pin in pins if self.parts[pin] == NOBODY}
        pulls = {vertex: self._best(vertex)[1] for vertex in near}
        found = set()
        for vertex in sorted(near, key=lambda vertex: (-pulls[vertex], vertex)):
            part, pull = self._best(vertex)
            if pull:
                self.parts[vertex] = part
                found.add(vertex)
        return found

    def _best(self, vertex: int) -> tuple[int, int]:
        pulls = {}
        for part in range(self._balance.parts):
            if self._fits(vertex, part):
                holders = [
                    cost
                    for pins, cost in self._nets
                    if vertex in pins and any(self.parts[pin] == part for pin in pins if pin != vertex)
                ]
                pulls[part] = sum(holders)
        if not pulls:
            return NOBODY, 0
        best = min(pulls, key=lambda part: (-pulls[part], self._fullness(part), part))
        return best, pulls[best]

    def _load(self, part: int) -> list[int]:
        members = [vertex for vertex, other in enumerate(self.parts) if other == part]
        return [int(load) for load in self._weights[members].sum(axis=0)]

    def _fits(self, vertex: int, part: int) -> bool:
        both = zip(self._load(part), self._weights[vertex].tolist(), self._balance.limits[part].tolist(), strict=True)
        return all(load + weight <= limit for load, weight, limit in both)

    def _fullness(self, part: int) -> float:
        both = zip(self._load(part), self._balance.limits[part].tolist(), strict=True)
        return max(load / max(limit, 1) for load, limit in both)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 4), st.sampled_from([0, 0.3, 2]), st.data())
def test_as_by_definition(k: int, tolerance: float, data: st.DataObject) -> None:
    graph = data.draw(hypergraphs())
    carried = data.draw(partitions(len(graph), k))
    is_new = np.array(data.draw(st.lists(st.booleans(), min_size=len(graph), max_size=len(graph))), bool)
    shares = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0]), min_size=k, max_size=k).map(tuple))
    balance = balance_of(graph.weights, k, tolerance, shares)
    found = placed(graph, carried, is_new, balance)
    assert found.dtype == np.int32
    assert found.tolist() == ByDefinition(graph, carried.tolist(), is_new.tolist(), balance).run()
    assert (found[~is_new] == carried[~is_new]).all()
    assert ((found >= 0) & (found < k)).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 40), st.integers(0, 9))
def test_no_part_is_filled_beyond_its_limits_while_there_is_room(k: int, count: int, seed: int) -> None:
    """Vertices of one size always find room where each part may hold a k-th of them, rounded up."""
    rng = np.random.default_rng(seed)
    nets = [rng.choice(count, min(count, 3), replace=False).tolist() for _ in range(2 * count)] if count > 1 else []
    graph = hypergraph_of(nets, [1] * len(nets), [(10, 1)] * count)
    balance = balance_of(graph.weights, k, k * -(-count // k) / count - 1)
    found = placed(graph, np.zeros(count, np.int32), np.ones(count, bool), balance)
    assert balance.excess(graph.weights, found) in (0, 1)  # 1 where a part stays empty


def test_new_vertices_come_back_to_the_cluster_that_they_were_planted_in() -> None:
    graph, home = planted(4, 60, np.random.default_rng(1))
    is_new = np.random.default_rng(2).random(len(home)) < 0.3
    rule = np.random.default_rng(3).integers(0, 4, len(home)).astype(np.int32)
    found = placed(edge_nets(graph), np.where(is_new, rule, home), is_new, balance_of(graph.weights, 4, 0.05))
    assert (found == home).mean() > 0.98


def test_a_chain_of_new_vertices_is_reached_round_by_round() -> None:
    """0 is owned; 1 hangs on it, 2 on 1, ...; 9 has no neighbour and goes by the rule."""
    graph = hypergraph_of([[number, number + 1] for number in range(8)], [5] * 8, [(1, 1)] * 10)
    carried = np.array([2] + [0] * 8 + [1], np.int32)
    is_new = np.arange(10) > 0
    assert placed(graph, carried, is_new, balance_of(graph.weights, 3, 2.0)).tolist() == [2] * 9 + [1]
    # Where part 2 has room for four, the rest of the chain begins again by the rule.
    found = placed(graph, carried, is_new, balance_of(graph.weights, 3, 0.2)).tolist()
    assert found == [2] * 4 + [0] * 4 + [1] * 2


def test_pages_that_are_linked_only_among_each_other_stay_together() -> None:
    graph = hypergraph_of([[1, 2], [2, 3], [3, 4]], [1] * 3, [(1, 1), (1, 1), (9, 1), (1, 1), (1, 1), (1, 1)])
    rule = np.array([0, 0, 1, 0, 0, 0], np.int32)  # 2 is the heaviest: it goes by the rule, its neighbours to it
    assert placed(graph, rule, np.ones(6, bool), balance_of(graph.weights, 2, 9.0)).tolist() == [0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("count", [0, 1])
def test_next_to_nothing(count: int) -> None:
    graph = hypergraph_of([], [], [(1, 1)] * count)
    assert (
        placed(graph, np.zeros(count, np.int32), np.ones(count, bool), balance_of(graph.weights, 2)).tolist()
        == [0] * count
    )

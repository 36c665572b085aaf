"""A portfolio takes the best by balance, then by cost."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from partition.assignment.assignment import Owners
from partition.cut import portfolio as module
from partition.cut.balance import balance_of
from partition.cut.metis import MetisError
from partition.cut.portfolio import Candidate, Setting, portfolio, settings, single_kway
from tests.partition.cut.support.cases import cut_by_definition, graph_of, planted

EVEN = np.full(2, 0.05)


def test_balance_comes_before_cost() -> None:
    def rank(excess: float, cost: int) -> tuple[Any, ...]:
        return Candidate("", np.zeros(1, np.int32), cost, excess).rank

    in_order = [rank(0, 5), rank(0, 900), rank(1e-12, 1), rank(1e-12, 2), rank(0.1, 1), rank(0.2, 0), rank(1.0, 0)]
    assert in_order == sorted(in_order)
    assert len(set(in_order)) == len(in_order)
    assert rank(0.1 + 1e-9, 1) < rank(0.1, 2)


def test_the_settings_are_all_different_and_keep_the_tolerance() -> None:
    for tolerances in ((0.0, 0.0), (0.001, 0.05), (3.0,)):
        listed = settings(np.array(tolerances), 3, 10)
        assert len(listed) == 12
        assert {setting.seed for setting in listed} == {10, 11, 12}
        assert all(0 <= told <= most for one in listed for told, most in zip(one.tolerance, tolerances, strict=True))
        assert {setting.method for setting in listed} == {"kway", "recursive"}
    assert len({str(setting) for setting in settings(EVEN, 3, 10)}) == 12


def test_the_best_comes_first() -> None:
    graph, _ = planted(3, 30, np.random.default_rng(0))
    balance = balance_of(graph.weights, 3, 0.1)
    found = portfolio(
        graph, balance, settings(2 * EVEN, 2, 1), lambda parts, _: (parts, cut_by_definition(graph, parts))
    )
    assert len(found) == 8
    ranks = [(balance.excess(graph.weights, one.parts), cut_by_definition(graph, one.parts)) for one in found]
    assert ranks == sorted(ranks) == [(one.excess, one.cost) for one in found]
    assert {one.setting for one in found} == {str(setting) for setting in settings(2 * EVEN, 2, 1)}


def refusing(kinds: tuple[str, ...]) -> type:
    class Graph:
        """METIS giving up with some methods."""

        def __init__(self, graph: object) -> None:
            self.count = len(graph)  # type: ignore[arg-type]

        def _cut(self, kind: str) -> Owners:
            if kind in kinds:
                raise MetisError("gave up")
            return (np.arange(self.count) % 2).astype(np.int32)

        def kway(self, *_: Any, **__: Any) -> Owners:
            return self._cut("kway")

        def recursive(self, *_: Any, **__: Any) -> Owners:
            return self._cut("recursive")

    return Graph


def test_settings_with_which_metis_gives_up_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(4, {(0, 1): 1}, [(1, 1)] * 4)
    balance = balance_of(graph.weights, 2)
    monkeypatch.setattr(module, "MetisGraph", refusing(("kway",)))
    found = portfolio(graph, balance, settings(EVEN, 1, 1), lambda parts, _: (parts, 1))
    assert len(found) == 2
    assert all(candidate.setting.startswith("recursive") for candidate in found)
    monkeypatch.setattr(module, "MetisGraph", refusing(("kway", "recursive")))
    with pytest.raises(MetisError, match="METIS gave up on 4 vertices in 2 parts with every setting tried"):
        portfolio(graph, balance, settings(EVEN, 1, 1), lambda parts, _: (parts, 1))


def test_shares_reach_metis(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def note(*_: Any, shares: Any, **__: Any) -> Owners:
        seen.append(shares)
        return np.array([0, 1, 1, 1], np.int32)

    monkeypatch.setattr(module, "MetisGraph", lambda _: SimpleNamespace(kway=note, recursive=note))
    graph = graph_of(4, {}, [(1, 1)] * 4)
    for shares in (None, (1.0, 3.0)):
        portfolio(graph, balance_of(graph.weights, 2, 0.05, shares), settings(EVEN, 1, 1), lambda parts, _: (parts, 0))
    assert seen[:4] == [None] * 4
    assert [one.tolist() for one in seen[4:]] == [[0.25, 0.75]] * 4


def test_a_single_call_is_what_a_user_of_metis_would_make() -> None:
    graph, home = planted(3, 30, np.random.default_rng(0))
    parts = single_kway(graph, 3, 0.05, 1)
    assert cut_by_definition(graph, parts.tolist()) <= 1.5 * cut_by_definition(graph, home.tolist())
    assert str(Setting("kway", (0.05, 0.05), 4, 50, 3)) == "kway (4 cuts, tolerance 0.05, seed 3)"
    assert str(Setting("kway", (0.05, 0.05), 1, 10, 3)) == "kway (tolerance 0.05, seed 3)"
    assert str(Setting("recursive", (0.05, 0.1), 1, 10, 3)) == "recursive (tolerance 0.05/0.1, seed 3)"

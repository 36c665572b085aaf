"""The layers of the house: every room lies in exactly one, and an import upwards from any room fails the lint."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.contracts.layers import LayersContract

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
FLOORS, *HOUSES = OPTIONS["contracts"]


def layers_of(contract: dict[str, Any]) -> list[list[str]]:
    """The full names of the rooms, layer by layer, the top first."""
    container = contract.get("containers", [""])[0]
    return [[f"{container}.{room}".lstrip(".") for room in layer.split(" | ")] for layer in contract["layers"]]


def upward() -> Iterator[tuple[str, str]]:
    """For each room imports that it may not make: of the layer above, of a room beside it, of a higher floor."""
    for contract in (FLOORS, *HOUSES):
        above: list[str] = []
        for layer in layers_of(contract):
            for room in layer:
                yield from ((room, other) for other in above + layer if other != room)
            above = layer
    floors = layers_of(FLOORS)
    for contract in HOUSES:
        floor = floors.index(contract["containers"])
        if floor:
            yield from ((room, floors[floor - 1][0]) for layer in layers_of(contract) for room in layer)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*OPTIONS["root_packages"], cache_dir=None)


def is_kept(graph: grimp.ImportGraph) -> bool:
    """Does lint find all contracts kept?"""
    contracts = [
        LayersContract(
            name=contract["name"],
            session_options={"root_packages": OPTIONS["root_packages"]},
            contract_options={
                name: str(value) if isinstance(value, bool) else value  # as import-linter reads them
                for name, value in contract.items()
                if name not in ("name", "type")
            },
        )
        for contract in OPTIONS["contracts"]
    ]
    return all(contract.check(graph, verbose=False).kept for contract in contracts)


def test_lint_finds_the_house_in_order(graph: grimp.ImportGraph) -> None:
    assert is_kept(graph)


def test_every_room_lies_in_exactly_one_layer() -> None:
    for contract in HOUSES:
        (container,) = contract["containers"]
        rooms = [room for layer in layers_of(contract) for room in layer]
        there = {
            f"{container}.{path.stem}"
            for path in (ROOT / container).iterdir()
            if path.suffix == ".py" or (path / "__init__.py").exists()
        }
        assert sorted(rooms) == sorted(there - {f"{container}.__init__"})
        assert contract["exhaustive"] is True


def test_no_contract_has_exceptions() -> None:
    assert [contract["name"] for contract in OPTIONS["contracts"] if contract.keys() & {"ignore_imports"}] == []
    assert {tuple(contract["containers"]) for contract in HOUSES} == {("crawler",), ("partition",), ("sessions",)}


@pytest.mark.parametrize(("room", "other"), list(upward()))
def test_an_import_upwards_fails_the_lint(graph: grimp.ImportGraph, room: str, other: str) -> None:
    graph.add_import(importer=room, imported=other)
    try:
        assert not is_kept(graph)
    finally:
        graph.remove_import(importer=room, imported=other)


def test_a_room_without_a_layer_fails_the_lint(graph: grimp.ImportGraph) -> None:
    graph.add_module("crawler.annex")
    try:
        assert not is_kept(graph)
    finally:
        graph.remove_module("crawler.annex")

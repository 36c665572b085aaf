"""Who owned what before, and partitions that remember it: all models, other Ks, other sessions, no URLs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xxhash import xxh3_64_hexdigest

from partition.choices import MODELS, OBJECTIVES
from partition.cut.balance import balance_of
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.map.manifest import Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from partition.measures.measures import measures
from partition.measures.moves import moves
from partition.models.partition_pages import partition_pages
from partition.models.previous_owners import Previous, previous_owners
from partition.models.settings import Settings
from tests.partition.models.support.cases import web_of
from tests.partition.quality.support.webs import ring

TODAY = {
    ("page", "sent"): "00bf1ca8a5d23bed",
    ("page", "links"): "962e76d35990a3bb",
    ("site", "sent"): "2a53e8b30c5ae22e",
    ("site", "links"): "2a53e8b30c5ae22e",
    ("prefix", "sent"): "00bf1ca8a5d23bed",
    ("prefix", "links"): "962e76d35990a3bb",
    ("url-range", "sent"): "8d937cc30bdf6a43",
    ("url-range", "links"): "8d937cc30bdf6a43",
    ("site-packed", "sent"): "8d937cc30bdf6a43",
    ("site-packed", "links"): "8d937cc30bdf6a43",
}
"""xxh3 of the parts of `ring(120)` as they are without a memory, with the METIS of constraints.txt."""


QUICK: dict[str, Any] = {"effort": "low", "tolerance": 0.3, "threads": 1}


def map_of(folder: Path, graph: LinkGraph, model: str, k: int, settings: Settings, unknown: str = "prefix") -> Previous:
    """Cut a graph, write the map, and see what it says of the graph itself."""
    found = partition_pages(graph, model, k, settings)
    write_map(
        folder,
        Origin(model),
        k=k,
        urls=graph.urls.to_pylist(),
        hashes=graph.hashes,
        parts=found.parts,
        prefixes=found.prefixes,
        prefix_parts=found.prefix_parts,
        unknown=unknown,
    )
    return previous_owners(PartitionMap.open(folder), graph)


def objective(graph: LinkGraph, parts: np.ndarray, previous: Previous, k: int, cost: float) -> float:
    """Volume + cost x moved bytes, by other code than what makes it small."""
    moved = moves(previous.owners, parts, graph.bytes).moved_bytes
    return measures(graph, parts, k, None).pages.sent_bytes + cost * moved


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", MODELS)
def test_without_a_memory_all_is_as_it_was(model: str, objective: str) -> None:
    found = partition_pages(ring(120).graph(), model, 4, Settings(objective, 0.1, seed=7, threads=1, kahypar=False))
    assert xxh3_64_hexdigest(found.parts.tobytes()) == TODAY[model, objective]


@pytest.mark.parametrize("model", MODELS)
def test_a_web_that_has_not_changed(model: str, tmp_path: Path) -> None:
    graph = ring(120).graph()
    asked = Settings(**QUICK)
    previous = map_of(tmp_path / "map", graph, model, 4, asked)
    assert previous.owners.tolist() == previous.carried.tolist()
    volume = objective(graph, previous.owners, previous, 4, 0)
    # The same seed finds the same parts, whatever they are called.
    again = partition_pages(graph, model, 4, asked, previous=previous)
    assert again.parts.tolist() == previous.owners.tolist()
    for seed in (2, 3):
        other = partition_pages(graph, model, 4, Settings(**QUICK, seed=seed), previous=previous)
        blind = partition_pages(graph, model, 4, Settings(**QUICK, seed=seed))
        assert objective(graph, other.parts, previous, 4, 0) == objective(graph, blind.parts, previous, 4, 0)
        assert objective(graph, other.parts, previous, 4, 1) <= objective(graph, blind.parts, previous, 4, 1)
    if model in ("url-range", "site-packed"):
        return
    for cost in (0.1, 1, 1e6):
        kept = partition_pages(graph, model, 4, Settings(**QUICK, seed=2, migration_cost=cost), previous=previous)
        assert objective(graph, kept.parts, previous, 4, cost) <= volume
        if cost >= 1:
            assert kept.parts.tolist() == previous.owners.tolist()


@pytest.mark.parametrize("model", ["page", "prefix"])
@pytest.mark.parametrize(("old_k", "new_k"), [(4, 3), (3, 5), (6, 2), (1, 4)])
def test_another_number_of_ranks(model: str, old_k: int, new_k: int, tmp_path: Path) -> None:
    graph = ring(120).graph()
    asked = Settings(**QUICK)
    previous = map_of(tmp_path / "map", graph, model, old_k, asked)
    balance = balance_of(graph.weights, new_k, 0.3)
    found = {
        cost: partition_pages(graph, model, new_k, Settings(**QUICK, migration_cost=cost), previous=previous)
        for cost in (0.0, 1000.0)
    }
    moved = {cost: moves(previous.owners, one.parts, graph.bytes).moved_bytes for cost, one in found.items()}
    assert all(balance.excess(graph.weights, one.parts) == 0 for one in found.values())
    assert moved[1000.0] <= moved[0.0]
    # What ranks held that are no more must go, and new ranks must get something.
    must = graph.bytes[previous.owners >= new_k].sum()
    must += sum(max(0, graph.bytes[previous.owners == part].sum() - balance.limits[part, 0]) for part in range(new_k))
    assert must <= moved[1000.0] <= 1.5 * must + 3 * graph.bytes.max()


@pytest.mark.parametrize("unknown", ["prefix", "site", "hash", "page-hash", "discoverer"])
def test_a_map_that_knows_few_of_the_pages(unknown: str, tmp_path: Path) -> None:
    old, new = ring(48), ring(120)
    map_of(tmp_path / "map", old.graph(), "page", 4, Settings(**QUICK), unknown)
    graph = new.graph()
    previous = previous_owners(PartitionMap.open(tmp_path / "map"), graph)
    is_old = np.array([url in old.sizes for url in new.sizes])
    assert ((previous.owners >= 0) == is_old).all()
    assert (previous.carried[is_old] == previous.owners[is_old]).all()
    assert ((previous.carried >= 0) & (previous.carried < 4)).all()
    for model in ("page", "prefix"):
        asked = Settings(**QUICK, migration_cost=100)
        found = partition_pages(graph, model, 4, asked, previous=previous)
        assert found.is_balanced
        free = partition_pages(graph, model, 4, Settings(**QUICK), previous=previous)
        assert objective(graph, found.parts, previous, 4, 100) <= objective(graph, free.parts, previous, 4, 100)
        assert moves(previous.owners, found.parts, graph.bytes).share_of_bytes < 0.1


def test_prefixes_whose_pages_had_several_owners(tmp_path: Path) -> None:
    graph = ring(120).graph()
    previous = map_of(tmp_path / "map", graph, "page", 4, Settings(tolerance=0.3, threads=1))
    vertices = np.arange(120) // 10
    held = previous.held(graph, vertices, 12, 3).toarray()
    for vertex in range(12):
        own = [int(graph.bytes[(vertices == vertex) & (previous.owners == part)].sum()) for part in range(4)]
        assert held[vertex].tolist() == own[:3]
        pages = (vertices == vertex).nonzero()[0]
        weights = [sum(int(graph.bytes[p]) + 1 for p in pages if previous.owners[p] == part) for part in range(4)]
        assert previous.carried_by(graph, vertices, 12)[vertex] == np.argmax(weights)


def test_pages_without_urls_are_matched_by_hash(tmp_path: Path) -> None:
    web = web_of({f"http://pages.invalid/{number}": 1 for number in range(40)})
    previous = map_of(tmp_path / "map", web.graph(), "page", 4, Settings(tolerance=0.3, threads=1))
    asked = Settings(tolerance=0.3, threads=1, seed=9, migration_cost=1)
    assert partition_pages(web.graph(), "page", 4, asked, previous=previous).parts.tolist() == previous.owners.tolist()


def test_the_same_with_any_threads(tmp_path: Path) -> None:
    graph = ring(120).graph()
    previous = map_of(tmp_path / "map", graph, "site", 4, Settings(tolerance=0.3, threads=1))
    found = [
        partition_pages(graph, "page", 4, Settings(threads=threads, migration_cost=0.05), previous=previous)
        for threads in (1, 3)
    ]
    assert found[0].parts.tolist() == found[1].parts.tolist()


def test_costs_without_anything_to_apply_them_to(tmp_path: Path) -> None:
    graph = ring().graph()
    with pytest.raises(GraphError, match="a migration cost needs a previous map"):
        partition_pages(graph, "page", 2, Settings(migration_cost=1))
    previous = map_of(tmp_path / "map", graph, "page", 2, Settings(effort="low"))
    with pytest.raises(GraphError, match="follows from the balance alone"):
        partition_pages(graph, "url-range", 2, Settings(migration_cost=1), previous=previous)

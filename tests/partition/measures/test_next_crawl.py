"""What a partition is expected to be worth in the next crawl, against a count by hand."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.hashing import PageHash
from partition.choices import UNKNOWN_RULES
from partition.graphs.holdout import held_out
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.measures.next_crawl import NextCrawl, next_crawl
from partition.models.partition_pages import Partition, partition_pages
from partition.models.settings import Settings
from sessions.session import Session
from tests.partition.quality.support.webs import ring


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> LinkGraph:
    return link_graph(Session.open(ring().session(tmp_path_factory.mktemp("webs") / "ring")))


def expected(graph: LinkGraph, partition: Partition, rule: str, shares: tuple[float, ...] | None = None) -> NextCrawl:
    found = next_crawl(graph, partition, rule, shares, Path("/tmp"))
    assert found is not None
    return found


@settings(max_examples=10, derandomize=True, deadline=None)
@given(k=st.integers(2, 6), seed=st.integers(0, 9))
def test_by_page_hash_it_is_a_count(graph: LinkGraph, k: int, seed: int) -> None:
    partition = partition_pages(graph, "page", k, Settings(effort="low", seed=seed, tolerance=0.3))
    urls = graph.urls.to_pylist()
    loads, sizes = np.zeros(k), np.zeros(k)
    held = held_out(graph)
    for page, url in enumerate(urls):
        owner = PageHash(k).owners(graph.hashes[page : page + 1], [url])[0] if held[page] else partition.parts[page]
        loads[owner] += 1
        sizes[owner] += graph.bytes[page]
    found = expected(graph, partition, "page-hash")
    assert found.new == held.sum() / len(urls)
    assert found.requests_imbalance == pytest.approx(loads.max() / loads.mean() - 1)
    assert found.storage_imbalance == pytest.approx(sizes.max() / sizes.mean() - 1)


@pytest.mark.parametrize("rule", sorted(set(UNKNOWN_RULES) - {"discoverer"}))
def test_every_rule_gives_all_pages_an_owner(graph: LinkGraph, rule: str, tmp_path: Path) -> None:
    partition = partition_pages(graph, "prefix", 3, Settings(effort="low", tolerance=0.3))
    found = next_crawl(graph, partition, rule, None, tmp_path)
    assert found is not None
    assert 0 <= found.requests_imbalance <= 2
    assert not list(tmp_path.iterdir())


def test_shares_are_kept_to(graph: LinkGraph) -> None:
    partition = partition_pages(graph, "page", 2, Settings(effort="low", tolerance=0.3))
    even, uneven = (expected(graph, partition, "page-hash", shares) for shares in (None, (3.0, 1.0)))
    assert uneven.requests_imbalance > even.requests_imbalance


def test_nothing_is_said_of_what_its_finder_owns(graph: LinkGraph, tmp_path: Path) -> None:
    partition = partition_pages(graph, "page", 2, Settings(effort="low", tolerance=0.3))
    assert next_crawl(graph, partition, "discoverer", None, tmp_path) is None

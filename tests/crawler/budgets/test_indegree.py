"""A shard of the in-degrees."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.budgets.indegree import InDegrees
from crawler.budgets.ranking import Histogram
from crawler.budgets.referrals import Referrals
from tests.crawler.budgets.streams import Links, columns, hashes, in_degree

PLENTY, LITTLE = 1 << 24, 1 << 17
DOMAINS = range(1, 13)


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def add(shard: InDegrees, links: Links) -> None:
    shard.add(Referrals(*columns([link for link in links if link[0] != link[1]])))


def histogram_of(degrees: "np.ndarray[tuple[int], np.dtype[np.uint32]]") -> bytes:
    histogram = Histogram()
    histogram.move(np.zeros(len(degrees), np.uint32), degrees)
    return histogram.packed()


LINKS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=40)


@settings(deadline=None, derandomize=True)
@given(st.lists(LINKS, max_size=6))
def test_each_referring_domain_counts_once(batches: list[Links]) -> None:
    with TemporaryDirectory() as name:
        shard = InDegrees(Path(name), PLENTY)
        known: Links = []
        for batch in batches:
            add(shard, batch)
            known += batch
            expected = [in_degree(known, domain) for domain in DOMAINS]
            assert shard.look_up(hashes(DOMAINS)).tolist() == expected
            assert shard.histogram.packed() == histogram_of(np.array(expected, np.uint32))
        assert len(shard) == sum(in_degree(known, domain) > 0 for domain in DOMAINS)
        shard.close()


def test_a_domain_may_be_asked_for_twice_in_one_round(folder: Path) -> None:
    shard = InDegrees(folder, PLENTY)
    add(shard, [(1, 2), (3, 2), (1, 3)])
    assert shard.look_up(hashes([2, 3, 2, 9])).tolist() == [2, 1, 2, 0]
    assert shard.look_up(hashes([])).tolist() == []


@pytest.mark.parametrize("budget", [PLENTY, LITTLE])
def test_in_degrees_are_those_of_the_graph_whatever_the_memory(folder: Path, budget: int) -> None:
    random = np.random.default_rng(11)
    ends = np.minimum(random.zipf(1.3, (20_000, 2)), 3000)
    graph = nx.DiGraph()
    shard = InDegrees(folder, budget)
    has_waited = False
    for start in range(0, len(ends), 1777):
        links = ends[start : start + 1777].tolist()
        add(shard, links)
        graph.add_edges_from(link for link in links if link[0] != link[1])
        asked = random.integers(1, 3001, 300)
        told = shard.look_up(hashes(asked)).tolist()
        present = [graph.in_degree(domain) if domain in graph else 0 for domain in asked.tolist()]
        assert all(one <= other for one, other in zip(told, present, strict=True)), "what waits is not counted yet"
        if not shard.pending:
            assert told == present
        has_waited |= shard.pending > 0
    assert has_waited == (budget == LITTLE)
    shard.flush()
    assert shard.pending == 0
    domains = sorted(graph)
    degrees = np.array([graph.in_degree(domain) for domain in domains], np.uint32)
    assert shard.look_up(hashes(domains)).tolist() == degrees.tolist()
    assert shard.histogram.packed() == histogram_of(degrees)
    shard.close()


@pytest.mark.parametrize("budget", [PLENTY, LITTLE])
def test_a_shard_goes_on_from_what_was_committed(folder: Path, budget: int) -> None:
    random = np.random.default_rng(12)
    links = random.integers(1, 300, (10_000, 2)).tolist()
    shard = InDegrees(folder, budget)
    add(shard, links[:4500])
    record = json.loads(json.dumps(shard.commit()))
    shard.committed(record)
    add(shard, links[4500:6000])  # not committed, and so forgotten
    shard.close()
    shard = InDegrees(folder, budget, record)
    shard.flush()
    domains = range(1, 300)
    expected = np.array([in_degree(links[:4500], domain) for domain in domains], np.uint32)
    assert shard.histogram.packed() == histogram_of(expected)
    add(shard, links[4000:])
    shard.flush()
    expected = np.array([in_degree(links, domain) for domain in domains], np.uint32)
    assert shard.look_up(hashes(domains)).tolist() == expected.tolist()
    assert shard.histogram.packed() == histogram_of(expected)
    shard.close()

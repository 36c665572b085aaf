"""A shard of the in-degrees."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.keep_alive import KeepAlive
from crawler.drum.kind import UPDATE
from crawler.frontier.budgets.in_degrees import InDegrees
from crawler.frontier.budgets.ranking import Histogram
from crawler.frontier.budgets.referrals import Referrals
from tests.crawler.frontier.budgets.support.streams import Links, columns, hashes, in_degree

PLENTY, SOME, LITTLE = 1 << 24, 1 << 19, 1 << 17
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


def put_on_disk(shard: InDegrees, domains: int) -> Links:
    """Have each of so many domains linked to once."""
    links = [(domain + 1, domain) for domain in range(1, domains + 1)]
    for start in range(0, domains, 1000):
        add(shard, links[start : start + 1000])
    shard.flush()
    assert not shard._degrees.is_in_memory
    return links


def test_to_look_up_merges_nothing_and_what_waits_is_little(folder: Path) -> None:
    random = np.random.default_rng(13)
    shard = InDegrees(folder, SOME)
    known = 4000
    links = put_on_disk(shard, known)
    merges = shard._degrees.traffic.merges
    for _ in range(16):
        new = [(source, domain) for source, domain in random.integers(1, known, (40, 2)).tolist() if source != domain]
        add(shard, new)
        shard._count(shard._pairs.flush())
        links += new
        asked = random.integers(1, known + 1000, 100)
        told = shard.look_up(hashes(asked)).tolist()
        present = [in_degree(links, domain) for domain in asked.tolist()]
        assert all(one <= other for one, other in zip(told, present, strict=True))
        assert sum(one != other for one, other in zip(told, present, strict=True)) <= shard.pending
        assert shard.pending <= known // 8 + len(new)
    assert shard._degrees.traffic.merges - merges in (1, 2)
    shard.flush()
    assert shard.look_up(hashes(asked)).tolist() == present
    shard.close()


def test_one_that_is_idle_counts_what_waits_once_that_is_much_beside_what_there_is(folder: Path) -> None:
    shard = InDegrees(folder, SOME)
    known = 4000
    put_on_disk(shard, known)
    links = [(1, domain) for domain in range(2, 1 + known)]
    add(shard, links[: known // 9])
    waiting = shard.pending
    shard.catch_up()
    assert shard.pending == waiting > 0
    add(shard, links[known // 9 : known // 6])
    shard.catch_up()
    assert shard._pairs.pending == 0
    assert shard.look_up(hashes(range(10, 20))).tolist() == [2] * 10
    shard.close()


def test_one_that_is_idle_and_merges_in_pieces_begins_to_count_and_lets_nobody_wait(folder: Path) -> None:
    shard = InDegrees(folder, LITTLE, in_pieces=True)
    known = 4000
    put_on_disk(shard, known)
    add(shard, [(1, domain) for domain in range(2, 1 + known // 6)])
    assert not shard.is_merging
    waiting = shard.pending
    shard.catch_up()
    assert shard.is_merging
    assert shard.pending == waiting
    shard.catch_up()
    assert shard.is_merging, "it goes on by merge_on alone"
    while shard.is_merging:
        shard.merge_on()
    assert shard._pairs.pending == 0
    assert shard.look_up(hashes(range(10, 20))).tolist() == [2] * 10
    shard.close()


def test_a_merge_serves_the_network(folder: Path) -> None:
    served: list[int] = []
    shard = InDegrees(folder, LITTLE, keep_alive=KeepAlive(lambda: served.append(1)))
    put_on_disk(shard, 4000)
    for drum in (shard._pairs, shard._degrees):
        assert list(drum.put(hashes([1]), UPDATE, np.zeros(1, drum._kind.value))) == []
        served.clear()
        assert list(drum.flush()) == []
        assert len(served) > 20
    shard.close()


@pytest.mark.parametrize("memory", [PLENTY, LITTLE])
def test_waiting_urls_add_up_at_once_with_few_in_memory_too(folder: Path, memory: int) -> None:
    random = np.random.default_rng(11)
    shard = InDegrees(folder, memory)
    sums = np.zeros(6000, np.int64)
    everything = hashes(np.arange(6000))
    for _ in range(30):
        domains = random.integers(0, 6000, 900)
        more = np.maximum(random.integers(-40, 100, 900), -sums[domains])
        domains, first = np.unique(domains, return_index=True)
        more = more[first]
        sums[domains] += more
        shard.wait(everything[domains], more)
        add(shard, [(int(source), int(domain)) for source, domain in random.integers(0, 6000, (200, 2))])
        assert shard.waiting(everything).tolist() == sums.tolist()
    shard.flush()
    assert shard.waiting(everything).tolist() == sums.tolist()
    shard.close()


@pytest.mark.parametrize("pieces", [0, 2])
def test_pairs_that_come_while_others_merge_in_pieces_are_counted_once(folder: Path, pieces: int) -> None:
    random = np.random.default_rng(12)
    shard = InDegrees(folder, LITTLE, in_pieces=True)
    links: set[tuple[int, int]] = set()
    were_between = False
    for _ in range(40):
        some = [(int(source), int(domain)) for source, domain in random.integers(0, 300, (200, 2))]
        add(shard, some)
        links |= set(some)
        for _ in range(pieces):
            were_between |= shard.is_merging
            shard.merge_on()
    assert shard._pairs.traffic.merges > 1
    assert were_between == (pieces > 0)
    shard.flush()
    assert not shard.is_merging
    counted = np.bincount([domain for source, domain in links if source != domain], minlength=300)
    assert shard.look_up(hashes(range(300))).tolist() == counted.tolist()
    shard.close()

"""Cutting by streams: what is said of a partition is so, passes never make it worse, and the balance is kept."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.cut.connectivity import connectivity
from partition.graphs.link_graph import GraphError
from partition.streaming import streamed_cut as streaming
from partition.streaming.batch_hypergraph import batch_hypergraph, weights_of
from partition.streaming.batches import Batches
from partition.streaming.skeleton import skeleton
from partition.streaming.streamed_cut import StreamedCut, Streaming, refined_batches, streamed_cut
from partition.streaming.streamed_measures import streamed_measures
from tests.partition.cut.support.cases import pins_of
from tests.partition.graphs.support.webs import FILLED_WEBS, Fetch, Web, remembered
from tests.partition.streaming.test_batches import batched, urls_of

BALANCED = ("storage", "requests")


def asked(tolerance: float = 0.05, effort: str = "low", seed: int = 1, most_pins: int = 1 << 20) -> Streaming:
    return Streaming(BALANCED, (tolerance, tolerance), None, effort, seed, 1, False, most_pins)


def weights(batches: Batches) -> np.ndarray:
    return np.concatenate([weights_of(batches, batch, BALANCED) for batch in range(len(batches))])


def sent_by_definition(links: Iterable[tuple[str, str]], part_of: dict[str, int]) -> int:
    """The bytes of each page's URL for every part but the owner's that links to it."""
    finders = defaultdict(set)
    for source, target in links:
        finders[target].add(part_of[source])
    return sum(len(target) * len(parts - {part_of[target]}) for target, parts in finders.items())


def sites(count: int, size: int, bytes_of: Callable[[int], int] = lambda number: 100 + number % 7) -> Web:
    """Sites whose pages link to the next ones and to the first page of another site."""
    pages = [[f"http://s{site:02}.example/{page:03}" for page in range(size)] for site in range(count)]
    fetches = [
        Fetch(0, url, bytes_of(number), (*(urls[(number + step) % size] for step in (1, 2, 5)), pages[place - 1][0]))
        for place, urls in enumerate(pages)
        for number, url in enumerate(urls)
    ]
    return Web(tuple(fetches), ())


@settings(max_examples=60)
@given(FILLED_WEBS, st.integers(1, 6), st.integers(1, 4), st.sampled_from([0.05, 0.5]), st.sampled_from([3, 1 << 20]))
def test_what_is_said_is_so(web: Web, batch_pages: int, k: int, tolerance: float, most_pins: int) -> None:
    k = min(k, len(web.sizes))
    with batched(remembered(web), batch_pages) as batches:
        found = streamed_cut(batches, k, asked(tolerance, most_pins=most_pins), lambda _: None)
        part_of = dict(zip(urls_of(batches), found.parts.tolist(), strict=True))
        balance = balance_of(weights(batches), k, tolerance)
        assert found.measures.excess == pytest.approx(balance.excess(weights(batches), found.parts))
        assert set(part_of.values()) == set(range(k))
    traffic = found.measures.pages
    crossing = [target for source, target in web.links if part_of[source] != part_of[target]]
    assert traffic.sent_bytes == found.cost == sent_by_definition(web.links, part_of)
    assert (traffic.links, traffic.cut_links) == (len(web.links), len(crossing))
    assert traffic.cut_bytes == sum(map(len, crossing))


@given(FILLED_WEBS, st.integers(1, 6), st.integers(1, 4), st.data())
def test_a_batch_costs_what_is_known_of_its_nets(web: Web, batch_pages: int, k: int, data: st.DataObject) -> None:
    with batched(remembered(web), batch_pages) as batches:
        urls = urls_of(batches)
        parts = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=len(urls), max_size=len(urls))), np.int32)
        part_of = dict(zip(urls, parts.tolist(), strict=True))
        for batch in range(len(batches)):
            first, size = batches.span(batch)
            pages = batch_hypergraph(batches, batch, parts, k, weights_of(batches, batch, BALANCED))
            own = set(urls[first : first + size])
            there = np.concatenate([parts[first : first + size], np.arange(k, dtype=np.int32)])
            seen = tuple(link for link in web.links if own & {*link})
            assert connectivity(pages, there, k) == sent_by_definition(seen, part_of)
            assert all(len(set(pins)) == len(pins) for pins in pins_of(pages))
            assert pages.weights[size:].sum() == 0


@given(FILLED_WEBS, st.integers(1, 6), st.integers(1, 4), st.data())
def test_a_balance_that_is_kept_stays_kept(web: Web, batch_pages: int, k: int, data: st.DataObject) -> None:
    with batched(remembered(web), batch_pages) as batches:
        count = len(batches.pages)
        parts = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=count, max_size=count)), np.int32)
        balance = balance_of(weights(batches), k, 0.5)
        better = refined_batches(batches, parts, balance, BALANCED, np.random.default_rng(1))
        before, after = (balance.excesses(weights(batches), one).max() for one in (parts, better))
        assert after <= before + 1e-9


@pytest.mark.parametrize("effort", ["low", "normal", "high"])
def test_sites_are_found_through_many_batches(effort: str) -> None:
    web = sites(24, 40)
    with batched(remembered(web), 100) as batches:
        assert len(batches) == 10
        found = streamed_cut(batches, 4, asked(effort=effort), lambda _: None)
    assert found.measures.excess == 0
    assert found.cost <= 6 * len("http://s00.example/000")


@pytest.mark.parametrize("seed", range(3))
def test_pages_of_very_different_weights_are_balanced(seed: int) -> None:
    rng = np.random.default_rng(seed)
    web = sites(12, 50, lambda _: int(min(100 * (1 + rng.pareto(1.1)), 5000)))
    with batched(remembered(web), 100) as batches:
        found = streamed_cut(batches, 5, asked(), lambda _: None)
    assert found.measures.excess == 0
    assert max(found.measures.imbalances.values()) <= 0.05 + 1e-9


def test_the_same_for_the_same_seed() -> None:
    web = sites(12, 30)
    with batched(remembered(web), 64) as batches:
        one, two = (streamed_cut(batches, 3, asked(seed=5), lambda _: None) for _ in range(2))
    assert one.parts.tolist() == two.parts.tolist()
    assert one.measures == two.measures


def test_a_pass_that_makes_it_worse_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    web = sites(12, 30)
    with batched(remembered(web), 64) as batches:
        spoilt: list[StreamedCut] = []

        def spoil(batches: Batches, parts: np.ndarray, *_: object) -> np.ndarray:
            spoilt.append(parts)
            return np.roll(parts, 7)

        monkeypatch.setattr(streaming, "refined_batches", spoil)
        found = streamed_cut(batches, 3, asked(effort="high"), lambda _: None)
    assert len(spoilt) == 1
    assert found.parts is spoilt[0]


def test_a_skeleton_of_bounded_size() -> None:
    web = sites(40, 20)
    with batched(remembered(web), 64) as batches:
        whole, small = (skeleton(batches, 4, BALANCED, np.random.default_rng(1), most) for most in (1 << 20, 100))
        assert len(small.hypergraph.pins) <= 100 < len(whole.hypergraph.pins)
        for one in (whole, small):
            assert one.hypergraph.weights.sum(axis=0).tolist() == weights(batches).sum(axis=0).tolist()
            assert sorted(set(one.clusters.tolist())) == list(range(len(one.hypergraph)))
        parts = np.arange(len(whole.hypergraph), dtype=np.int32) % 4
        balance = balance_of(whole.hypergraph.weights, 4)
        sent = streamed_measures(batches, parts[whole.clusters], balance, BALANCED).pages.sent_bytes
        assert connectivity(whole.hypergraph, parts, 4) == sent


def test_fewer_pages_than_parts() -> None:
    web = sites(1, 5)
    with batched(remembered(web), 64) as batches, pytest.raises(GraphError, match="6 parts of 5 pages"):
        streamed_cut(batches, 6, asked(), lambda _: None)

"""Run under mpiexec by test_shares.py: what ranks compute from shares, compared with the whole that all of them know.

All ranks draw the same examples.  The argument is a folder of sessions.
"""

import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mpi4py import MPI

from partition.communication.ranks import Ranks
from partition.cut.balance import Balance, balance_of
from partition.cut.coarsening import contracted
from partition.cut.connectivity import connectivity, move
from partition.cut.effort import EFFORTS
from partition.cut.guide_graph import sent_guide
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import Hypergraph, edge_nets, sent_nets
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.graphs.weighted_graph import page_graph
from partition.measures.measures import measures
from partition.models.grouping import by_site
from partition.models.prefix import by_prefix
from partition.models.url_range import _keys
from partition.shares.cut_groups import cut_groups
from partition.shares.cut_shares import Cutting, _Descents, cut_shares
from partition.shares.gathered_level import gathered_guide, gathered_hypergraph
from partition.shares.hypergraph_share import (
    HypergraphShare,
    hypergraph_share,
    share_of_edge_nets,
    share_of_sent_nets,
)
from partition.shares.link_share import LinkShare, read_link_share
from partition.shares.page_order import stretches
from partition.shares.range_start import range_parts_here
from partition.shares.share_measures import share_measures
from partition.shares.shared_coarsening import coarsened_share, contracted_share
from partition.shares.shared_refinement import refined_share
from partition.shares.shared_state import SharedState
from sessions.session import Session
from sessions.url import site_of
from tests.partition.cut.support.cases import cost_by_definition, pins_of

RANKS = Ranks(MPI.COMM_WORLD, round_bytes=1 << 10)


def on_all_ranks(check: Callable[..., None]) -> Callable[..., None]:
    """Have an example that fails end all ranks; hypothesis must not try it again on one of them."""

    @wraps(check)
    def checked(*arguments: object, **named: object) -> None:
        try:
            check(*arguments, **named)
        except Exception:
            traceback.print_exc()
            MPI.COMM_WORLD.Abort(1)

    return checked


same_examples = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=8,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@st.composite
def shared_hypergraphs(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[tuple[int, int]], list[int]]:
    """Pins of nets, their costs, weights of vertices, and where each rank's vertices begin."""
    count = draw(st.integers(2, 14))
    nets = draw(st.lists(st.lists(st.integers(0, count - 1), min_size=2, max_size=6, unique=True), max_size=20))
    costs = [draw(st.integers(1, 9)) for _ in nets]
    weights = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), min_size=count, max_size=count))
    cuts = draw(st.lists(st.integers(0, count), min_size=RANKS.size - 1, max_size=RANKS.size - 1))
    return nets, costs, weights, [0, *sorted(cuts), count]


def share_of(
    nets: list[list[int]], costs: list[int], weights: list[tuple[int, int]], offsets: list[int]
) -> HypergraphShare:
    """This rank's share: a net is at home where its first pin is."""
    first, last = offsets[RANKS.rank], offsets[RANKS.rank + 1]
    mine = [net for net in range(len(nets)) if first <= nets[net][0] < last]
    starts = np.concatenate(([0], np.cumsum([len(nets[net]) for net in mine]))).astype(np.int64)
    pins = np.array([pin for net in mine for pin in nets[net]], np.int64)
    own_costs = np.array([costs[net] for net in mine], np.int64)
    own_weights = np.array(weights[first:last], np.int64).reshape(-1, 2)
    return hypergraph_share(RANKS, np.array(offsets), starts, pins, own_costs, own_weights)


def nets_in(graph: Hypergraph) -> Counter[tuple[tuple[int, ...], int]]:
    pairs = zip(pins_of(graph), graph.costs.tolist(), strict=True)
    return Counter((tuple(sorted(pins)), cost) for pins, cost in pairs)


@same_examples
@given(shared_hypergraphs(), st.data())
@on_all_ranks
def check_contraction(
    made: tuple[list[list[int]], list[int], list[tuple[int, int]], list[int]], data: st.DataObject
) -> None:
    """A contracted share is a share of the contracted hypergraph, again and again."""
    share, offsets = share_of(*made), made[3]
    whole = gathered_hypergraph(share)
    assert nets_in(whole) == Counter((tuple(sorted(net)), cost) for net, cost in zip(made[0], made[1], strict=True))
    for _ in range(2):
        clusters_of = [
            data.draw(st.lists(st.integers(0, max(0, end - begin - 1)), min_size=end - begin, max_size=end - begin))
            for begin, end in pairwise(offsets)
        ]
        numbered = [np.unique(clusters, return_inverse=True) for clusters in clusters_of]
        counts = [len(names) for names, _ in numbered]
        offsets = [0, *np.cumsum(counts).tolist()]
        every = np.concatenate([numbers + begin for (_, numbers), begin in zip(numbered, offsets, strict=False)])
        mine = numbered[RANKS.rank][1].astype(np.int64)
        share, whole = contracted_share(share, mine, counts[RANKS.rank]), contracted(whole, every, offsets[-1])
        got = gathered_hypergraph(share)
        assert share.offsets.tolist() == offsets
        assert nets_in(got) == nets_in(whole)
        assert got.weights.tolist() == whole.weights.tolist()


@same_examples
@given(shared_hypergraphs(), st.integers(2, 5), st.integers(0, 1 << 30), st.floats(0, 1.5))
@on_all_ranks
def check_refinement(
    made: tuple[list[list[int]], list[int], list[tuple[int, int]], list[int]], k: int, seed: int, tolerance: float
) -> None:
    """Counts are those of all ranks' pins after any moves; what is refined is no worse, and its cost is true."""
    share, offsets = share_of(*made), made[3]
    whole = gathered_hypergraph(share)
    parts = np.random.default_rng(seed).integers(0, k, len(whole)).astype(np.int32)
    first, last = offsets[RANKS.rank], offsets[RANKS.rank + 1]
    balance = balance_of(whole.weights, k, tolerance)
    shared = SharedState(share, parts[first:last], balance)
    rng = np.random.default_rng([seed, RANKS.rank])
    for number in range(4):

        def move_some(nets: object, state: object) -> None:
            for vertex in np.flatnonzero(rng.random(len(share)) < 0.4):
                part = int(rng.integers(0, k))
                if part != shared.state.parts[vertex]:
                    move(shared.nets, shared.state, int(vertex), part)

        before = (shared.excess, shared.cost)
        gain = shared.round(move_some, np.arange(RANKS.size) % 2 == number % 2 if number else np.ones(RANKS.size, bool))
        assert (shared.excess, shared.cost) <= before
        assert gain in (before[1] - shared.cost, 0)
        every = RANKS.gathered(shared.state.parts)
        assert shared.cost == cost_by_definition(whole, every.tolist())
        assert shared.excess == balance.excess(whole.weights, every)
        check_counts(share, shared, every)
    refined, cost, excess = refined_share(share, parts[first:last], balance, rng)
    every = RANKS.gathered(refined)
    assert cost == cost_by_definition(whole, every.tolist())
    assert excess == balance.excess(whole.weights, every)
    start = (balance.excess(whole.weights, parts), cost_by_definition(whole, parts.tolist()))
    assert (excess, cost) <= start
    if not start[0]:
        loads = np.zeros_like(balance.limits)
        np.add.at(loads, every, whole.weights)
        assert (loads <= balance.limits).all()
        assert len(set(every.tolist())) == k


def check_counts(share: HypergraphShare, shared: SharedState, parts: np.ndarray) -> None:
    """Compare the slots of each net here with its pins on all ranks, which the home can tell."""
    state, local, h = shared.state, share.local, share.at_home
    homes = np.concatenate([np.full(h, RANKS.rank), share.homes])
    places = np.concatenate([np.arange(h), share.places])
    here = [
        local.pins[begin:end] + share.offsets[RANKS.rank]
        for begin, end in zip(local.starts[:-1], local.starts[1:], strict=True)
    ]
    every = RANKS.together(
        [(int(home), int(place), pins.tolist()) for home, place, pins in zip(homes, places, here, strict=True)]
    )
    pins_of_net: dict[tuple[int, int], list[int]] = {}
    for home, place, pins in (net for nets in every for net in nets):
        pins_of_net.setdefault((home, place), []).extend(pins)
    for net, (home, place) in enumerate(zip(homes.tolist(), places.tolist(), strict=True)):
        pins = pins_of_net[home, place]
        slots = range(state.slot_starts[net], state.slot_starts[net] + state.spans[net])
        counts = {int(state.slot_parts[slot]): int(state.slot_pins[slot]) for slot in slots}
        assert counts == Counter(parts[pins].tolist())
        assert share.sizes[net] == len(pins)


def check_session(path: Path) -> None:
    """The link graph, the nets, the guide and what is measured are those of one process; the cut keeps its word."""
    graph = link_graph(Session.open(path))
    links = read_link_share(RANKS, Session.open(path))
    numbers = numbers_of(graph, links)
    check_graph(graph, links, numbers)
    for of_links in (False, True):
        share = share_of_edge_nets(links) if of_links else share_of_sent_nets(links)
        whole = edge_nets(page_graph(graph)) if of_links else sent_nets(graph)
        place_of = np.empty(len(graph), np.int64)
        place_of[numbers] = np.arange(len(graph))
        got = gathered_hypergraph(share)
        expected = Counter(
            (tuple(sorted(place_of[pins].tolist())), cost)
            for pins, cost in zip(pins_of(whole), whole.costs.tolist(), strict=True)
        )
        assert nets_in(got) == expected
        assert got.weights.tolist() == graph.weights[numbers].tolist()
        own = np.arange(len(links)) + links.first
        guide = gathered_guide(links, own, got.weights, is_exact=of_links)
        wanted = page_graph(graph) if of_links else sent_guide(graph)
        assert (guide.edges.toarray() == wanted.edges.toarray()[np.ix_(numbers, numbers)]).all()
        check_cut(graph, links, numbers, of_links)


def check_groups(path: Path) -> None:
    """Ranks group their own pages as one process groups all, and cut the groups; parts and cost are those of pages."""
    graph = link_graph(Session.open(path))
    links = read_link_share(RANKS, Session.open(path), whole_sites=True)
    numbers, sites = numbers_of(graph, links), {site_of(url) for url in links.urls.to_pylist()}
    assert sorted(site for its in RANKS.together(sites) for site in its) == sorted(graph.site_names)
    check_graph(graph, links, numbers)
    for model, by_one in (("site", by_site(graph)), ("prefix", by_prefix(graph, 2))):
        wanted = Counter(by_one.prefixes[group] for group in by_one.groups.tolist())
        k = min(2, len(wanted))
        balance = balance_of(graph.weights, k, 0.5)
        asked = Cutting(balance, replace(EFFORTS["low"], rounds=1, cycles=1), 3, 1, limit=max(1, len(wanted) // 2))
        found, again = (cut_groups(links, model, asked, lambda _: None, of_links=False) for _ in range(2))
        assert found.best.parts.tolist() == again.best.parts.tolist()
        assert found.vertices == len(wanted)
        assert sorted(found.prefixes.texts) == sorted(by_one.prefixes)
        part_of = dict(zip(found.prefixes.texts, np.asarray(found.prefixes.parts).tolist(), strict=True))
        parts = np.empty(len(graph), np.int32)
        parts[numbers] = RANKS.gathered(found.best.parts)
        assert parts.tolist() == [part_of[by_one.prefixes[group]] for group in by_one.groups.tolist()]
        assert found.best.cost == connectivity(sent_nets(graph), parts, k)
        assert found.best.excess == balance.excess(graph.weights, parts)


def numbers_of(graph: LinkGraph, links: LinkShare) -> np.ndarray:
    """Which page of the whole graph each page of the shares is."""
    hashes = RANKS.gathered(links.hashes)
    places = {page: number for number, page in enumerate(graph.hashes.tolist())}
    return np.array([places[page] for page in hashes.tolist()], np.int64)


def check_graph(graph: LinkGraph, links: LinkShare, numbers: np.ndarray) -> None:
    assert sorted(numbers.tolist()) == list(range(len(graph)))
    assert links.pages == len(graph)
    assert links.has_urls == graph.has_urls
    assert RANKS.gathered_texts(links.urls).to_pylist() == graph.urls.take(numbers).to_pylist()
    keys = _keys(graph)
    assert [keys[number] for number in numbers] == sorted(keys)
    assert RANKS.gathered(links.bytes).tolist() == graph.bytes[numbers].tolist()
    assert RANKS.gathered(links.url_bytes).tolist() == graph.url_bytes[numbers].tolist()
    pairs = np.stack([numbers[links.sources], numbers[links.targets + links.first]], axis=1)
    found = [tuple(pair) for pair in RANKS.gathered(pairs).tolist()]
    assert sorted(found) == list(zip(graph.sources.tolist(), graph.links.indices.tolist(), strict=True))


def check_cut(graph: LinkGraph, links: LinkShare, numbers: np.ndarray, of_links: bool) -> None:
    k = min(3, len(graph))
    balance = balance_of(graph.weights, k, 0.5)
    asked = Cutting(balance, replace(EFFORTS["low"], rounds=1, cycles=1), 3, 1, limit=max(1, len(graph) // 4))
    best, again = (cut_shares(links, asked, lambda _: None, of_links=of_links) for _ in range(2))
    assert best.parts.tolist() == again.parts.tolist()
    ranges = check_ranges(graph, links, numbers, balance)
    parts = np.empty(len(graph), np.int32)
    parts[numbers] = RANKS.gathered(best.parts)
    whole = edge_nets(page_graph(graph)) if of_links else sent_nets(graph)
    assert best.cost == connectivity(whole, parts, k)
    assert (
        best.rank <= Candidate("", ranges, connectivity(whole, ranges, k), balance.excess(graph.weights, ranges)).rank
    )
    assert best.excess == balance.excess(graph.weights, parts)
    found, wanted = share_measures(links, best.parts, balance), measures(graph, parts, k, None)
    assert found.pages == wanted.pages
    assert list(found.excesses.values()) == balance.excesses(graph.weights, parts).tolist()
    assert found.imbalances == {name: wanted.imbalances[name] for name in ("storage", "requests")}


def check_ranges(graph: LinkGraph, links: LinkShare, numbers: np.ndarray, balance: Balance) -> np.ndarray:
    """Parts are stretches of the order, and the middle of every page is within its part's share of the weight."""
    found = RANKS.gathered(range_parts_here(links, balance))
    assert (np.diff(found) >= 0).all()
    portions = (graph.weights / graph.weights.sum(axis=0)).mean(axis=1)[numbers]
    middles, shares = np.cumsum(portions) - portions / 2, np.cumsum(balance.shares)
    assert (middles <= shares[found] + 1e-9).all()
    assert (middles >= (shares - balance.shares)[found] - 1e-9).all()
    parts = np.empty(len(graph), np.int32)
    parts[numbers] = found
    return parts


def ring_links(count: int) -> LinkShare:
    """This rank's ``count`` pages of a ring of pages, each of which links to the next."""
    own = np.arange(count) + count * RANKS.rank
    urls = pa.array([f"http://{page:06}.example/" for page in own.tolist()], pa.large_string())
    offsets, sources = np.arange(RANKS.size + 1) * count, (own + 1) % (count * RANKS.size)
    ones, starts = np.ones(count, np.int64), np.arange(count + 1)
    return LinkShare(RANKS, offsets, urls, own.astype(np.uint64), ones, True, starts, sources)


def check_starts() -> None:
    """If a descent finds nothing good, stretches of the list are what a cut ends with: one link for each part."""
    links, k = ring_links(60), 3
    balance = balance_of(np.ones((60 * RANKS.size, 2), np.int64), k, 0.1)
    asked = Cutting(balance, EFFORTS["low"], 3, 1, limit=40)
    share = share_of_sent_nets(links)
    best_cost = k * int(links.url_bytes[0])
    poor = np.random.default_rng([2, RANKS.rank]).integers(0, k, 60).astype(np.int32)
    state = SharedState(share, poor, balance)
    with patch.object(_Descents, "descent", lambda _: Candidate("poor", poor, state.cost, state.excess)):
        assert cut_shares(links, asked, lambda _: None, of_links=False).cost == best_cost
    assert cut_shares(links, asked, lambda _: None, of_links=False).cost == best_cost


def check_levels() -> None:
    """Levels shrink to what is enough, keep all weight, and never mix classes."""
    rng = np.random.default_rng(5)
    count = 400
    nets = [[pin, (pin + 1 + int(rng.integers(0, 6))) % count] for pin in range(count) for _ in range(3)]
    offsets = [count * rank // RANKS.size for rank in range(RANKS.size + 1)]
    share = share_of(nets, [1] * len(nets), [(1, 1)] * count, offsets)
    classes = (np.arange(len(share)) // 10 % 2).astype(np.int32)
    levels, coarsest, coarse_classes = coarsened_share(share, classes, 60, np.array([20, 20]), rng)
    assert coarsest.vertices <= 90
    assert RANKS.summed(coarsest.local.weights.sum(axis=0)).tolist() == [count, count]
    assert coarsest.local.weights.max() <= 20
    clusters = np.arange(len(coarsest))
    for level in reversed(levels):
        clusters = clusters[level.clusters]
    assert (coarse_classes[clusters] == classes).all()


def check_stretches() -> None:
    """Stretches are in order, and weigh about as much, though one key in ten weighs a hundred times the others."""
    rng = np.random.default_rng([8, RANKS.rank])
    keys = rng.integers(0, 10**6, 3000)
    weights = np.where(keys < 10**5, 100, 1)
    texts = pa.array([f"{key:07}" for key in keys.tolist()], pa.large_string())
    (keys, weights), _ = RANKS.sent(stretches(RANKS, texts, weights), keys, weights)
    ends = RANKS.together((int(keys.min()), int(keys.max())))
    assert all(last < first for (_, last), (first, _) in pairwise(ends))
    sums = RANKS.together(int(weights.sum()))
    assert max(sums) < 1.1 * sum(sums) / RANKS.size


def main() -> None:
    check_stretches()
    check_contraction()
    check_refinement()
    check_levels()
    check_starts()
    for path in sorted(Path(sys.argv[1]).iterdir()):
        check_session(path)
        check_groups(path)
    print(f"rank {RANKS.rank} of {RANKS.size} agrees", flush=True)


try:
    main()
except BaseException:
    traceback.print_exc()
    MPI.COMM_WORLD.Abort(1)

"""Measures of any assignment of any small web, against their definitions."""

from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.measures.imbalance import empty_parts, imbalance
from partition.measures.measures import measures, site_spread
from partition.measures.moves import Moves, moves
from partition.measures.traffic import finds_of_pages, sends, traffic
from sessions.url import site_of
from tests.partition.quality.support.definitions import (
    Owner,
    directed,
    imbalance_by_definition,
    numbered_by_definition,
    traffic_by_definition,
)
from tests.partition.quality.support.webs import SmallWeb, parts_of, ring, webs


def int32(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)


def owner_of(parts: dict[str, int], known: dict[str, int] | None) -> Owner:
    def owner(finder: int, url: str) -> int:
        if url in parts:
            return parts[url]
        return finder if known is None else known[url]

    return owner


@given(st.data(), webs(), st.integers(1, 6))
def test_measures_are_what_their_definitions_say(data: st.DataObject, web: SmallWeb, k: int) -> None:
    parts = data.draw(parts_of(len(web.sizes), k))
    known = data.draw(st.none() | parts_of(len(web.known), k))
    numbers = data.draw(st.permutations(range(len(web.sizes))))
    shares = data.draw(st.none() | st.lists(st.integers(1, 5), min_size=k, max_size=k))
    found = measures(
        web.graph(),
        int32(parts),
        k,
        None if known is None else int32(known),
        numbers=np.array(numbers, np.int64),
        shares=shares,
    )

    own = dict(zip(web.sizes, parts, strict=True))
    owner = owner_of(own, None if known is None else dict(zip(web.known, known, strict=True)))
    pages, everything = directed(web, list(web.sizes)), directed(web, [*web.sizes, *web.known])
    assert found.pages == traffic_by_definition(pages, own, owner, k)
    assert found.live == traffic_by_definition(everything, own, owner, k)
    wanted = [float(share) for share in shares or [1] * k]
    assert found.storage_imbalance == pytest.approx(imbalance_by_definition(web.sizes, own, wanted))
    assert found.requests_imbalance == pytest.approx(imbalance_by_definition(dict.fromkeys(own, 1), own, wanted))
    assert found.empty_parts == k - len(set(parts))
    numbered = dict(zip(web.sizes, numbers, strict=True))
    assert found.numbered_bytes == numbered_by_definition(pages, own, owner, numbered, k)
    ranks = [{own[page] for page in own if site_of(page) == site} for site in set(map(site_of, own))]
    assert found.sites.mean == pytest.approx(sum(map(len, ranks)) / len(ranks))
    assert found.sites.most == max(map(len, ranks))
    assert found.sites.whole == pytest.approx(sum(len(owners) == 1 for owners in ranks) / len(ranks))


@given(st.data(), webs(2), st.integers(2, 5))
def test_links_that_cross_are_the_directed_cut_of_networkx(data: st.DataObject, web: SmallWeb, k: int) -> None:
    parts = data.draw(parts_of(len(web.sizes), k))
    links = directed(web, list(web.sizes))
    nx.set_edge_attributes(links, {(source, target): len(target) for source, target in links.edges}, "length")
    members = [[page for page, part in zip(web.sizes, parts, strict=True) if part == own] for own in range(k)]
    # cut_size of a directed graph counts the links of both directions, so each is counted at both of its ends.
    sides = [(pages, [page for page in web.sizes if page not in pages]) for pages in members]
    cut = sum(nx.cut_size(links, *side) for side in sides) // 2
    length = sum(nx.cut_size(links, *side, weight="length") for side in sides) // 2
    found = traffic(finds_of_pages(web.graph(), int32(parts), k))
    assert (found.cut_links, found.cut_bytes) == (cut, length)
    quotient = nx.quotient_graph(links, [pages for pages in members if pages], relabel=True)
    assert found.messages == quotient.number_of_edges()


def test_a_web_by_hand() -> None:
    a, b, c, d = (f"http://{name}.example/" for name in "abcd")
    web = SmallWeb({a: 30, b: 10, c: 20}, (d,), ((a, b), (a, c), (b, c), (c, d), (a, d)))
    found = measures(web.graph(), int32([0, 0, 1]), 2, int32([1]), numbers=np.array([2, 1, 0]))
    length = len(a)
    assert (found.pages.links, found.pages.cut_links, found.pages.cut_bytes) == (3, 2, 2 * length)
    assert (found.pages.sent_links, found.pages.sent_bytes, found.pages.messages) == (1, length, 1)
    assert (found.pages.most_sent_links, found.pages.most_received_links) == (2, 2)
    assert (found.live.links, found.live.cut_links, found.live.sent_links) == (5, 3, 2)
    assert found.storage_imbalance == pytest.approx(40 / 30 - 1)
    assert found.requests_imbalance == pytest.approx(2 / 1.5 - 1)
    assert found.numbered_bytes == 2
    assert (found.sites.mean, found.sites.most, found.sites.whole) == (1.0, 1, 1.0)


def test_what_is_found_belongs_to_the_finder_under_the_discoverer_rule() -> None:
    web = ring()
    parts = int32([number % 3 for number in range(len(web.sizes))])
    found = measures(web.graph(), parts, 3, None)
    assert found.live.links > found.pages.links
    assert found.live.cut_links == found.pages.cut_links
    assert found.live.sent_bytes == found.pages.sent_bytes
    assert found.numbered_bytes is None


def test_sends_are_in_order_and_distinct() -> None:
    web = ring()
    once = sends(finds_of_pages(web.graph(), int32([number % 4 for number in range(len(web.sizes))]), 4))
    told = list(zip(once.senders.tolist(), once.receivers.tolist(), once.targets.tolist(), strict=True))
    assert told == sorted(set(told))


def test_sums_are_whole_numbers_beyond_what_floats_hold() -> None:
    weights = np.array([2**53, 1, 1], np.int64)
    assert imbalance(weights, int32([0, 0, 0]), 1) == 0.0
    assert imbalance(weights, int32([0, 1, 1]), 2) == pytest.approx(1.0)


def test_imbalance_is_against_shares() -> None:
    weights = np.array([30, 10], np.int64)
    assert imbalance(weights, int32([0, 1]), 2, [3, 1]) == 0.0
    assert imbalance(weights, int32([0, 1]), 2, [1, 1]) == pytest.approx(0.5)
    assert imbalance(np.zeros(2, np.int64), int32([0, 1]), 2) == 0.0


def test_parts_without_pages_are_counted() -> None:
    assert empty_parts(int32([0, 2, 2]), 4) == 2


def test_sites_in_several_parts() -> None:
    found = site_spread(np.array([0, 0, 0, 7]), int32([1, 2, 1, 1]), 3)
    assert (found.mean, found.most, found.whole) == (1.5, 2, 0.5)


@pytest.mark.parametrize("parts", [[0, 1], [0] * 39 + [3], [-1] + [0] * 39])
def test_parts_that_are_none_are_refused(parts: list[int]) -> None:
    web = ring()
    with pytest.raises(ValueError, match=r"parts are not 40 numbers in \[0, 3\)"):
        measures(web.graph(), int32(parts), 3, None)
    with pytest.raises(ValueError, match="owners of URLs only seen"):
        measures(web.graph(), int32([0] * 40), 3, int32([3] * 5))


# Moves, by definition.


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3), st.integers(0, 100))))
def test_moves(pages: list[tuple[int, int, int]]) -> None:
    old, new, sizes = np.array(pages, np.int64).reshape(-1, 3).T
    had = [(before, after, size) for before, after, size in pages if before >= 0]
    moved = [size for before, after, size in had if before != after]
    found = moves(old.astype(np.int32), new.astype(np.int32), sizes)
    assert found == Moves(len(had), sum(size for _, _, size in had), len(moved), sum(moved))
    assert found.share_of_pages * max(1, len(had)) == len(moved)
    assert 0 <= found.share_of_bytes <= 1

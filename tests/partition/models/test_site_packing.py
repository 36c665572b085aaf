"""Sites packed by weight: Graham's bounds, exhaustive optima, and the definition step by step."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.graphs.link_graph import GraphError
from partition.models.partition_pages import partition_pages, too_many_parts
from partition.models.settings import Settings
from partition.models.site_packing import packed, packed_sites
from sessions.url import site_of
from tests.partition.models.support.cases import web_of

WEIGHTS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=8)


def packing(weights: npt.NDArray[np.float64], shares: list[float]) -> list[int]:
    """The parts by the definition: each thing, the heaviest first, where the fullest weight is then least."""
    k, parts = len(shares), [-1] * len(weights)
    loads = np.zeros((k, weights.shape[1]))
    heaviest_first = sorted(range(len(weights)), key=lambda thing: (-weights[thing].max(), thing))
    for turn, thing in enumerate(heaviest_first):
        empty = [part for part in range(k) if part not in parts]
        allowed = empty if len(weights) - turn <= len(empty) else range(k)
        then = {part: (loads[part] + weights[thing]) / shares[part] for part in allowed}
        parts[thing] = min(allowed, key=lambda part, then=then: (then[part].max(), sum(then[part]), part))
        loads[parts[thing]] += weights[thing]
    return parts


def fullest(weights: npt.NDArray[np.float64], parts: npt.ArrayLike, k: int) -> float:
    """The most that a part has of any weight, of which there is 1 in all."""
    return max(float(weights[np.asarray(parts) == part].sum(axis=0).max(initial=0)) for part in range(k))


def as_shares(given_weights: list[tuple[int, int]]) -> npt.NDArray[np.float64]:
    weights = np.array(given_weights, np.float64)
    return weights / np.maximum(weights.sum(axis=0), 1)


@settings(max_examples=150)
@given(WEIGHTS, st.data())
def test_sites_are_packed_as_defined(given_weights: list[tuple[int, int]], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(given_weights)))
    asked = data.draw(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=k, max_size=k))
    sizes, sites = {}, []
    for number, (size, pages) in enumerate(given_weights):
        for page in range(pages):
            sizes[f"http://s{number}.example/{page}"] = size * (page == 0)
            sites.append(number)
    graph = web_of(sizes).graph()
    balance = balance_of(graph.weights, k, 0.0, asked)
    parts = packed_sites(graph, balance)
    assert parts.dtype == np.int32
    owners: dict[int, int] = {}
    for site, part in zip(sites, parts.tolist(), strict=True):
        assert owners.setdefault(site, part) == part
    assert set(owners.values()) == set(range(k))
    weights = as_shares(given_weights)
    by_name = sorted(range(len(given_weights)), key=lambda number: f"s{number}.example")
    defined = packing(weights[by_name], balance.shares.tolist())
    assert [owners[number] for number in by_name] == defined


@settings(max_examples=100)
@given(WEIGHTS, st.integers(1, 3))
def test_no_part_is_fuller_than_graham_allows(given_weights: list[tuple[int, int]], k: int) -> None:
    """With w weights: w/K and one thing more. With one weight: (4/3 - 1/(3K)) of the best that there is."""
    two = as_shares(given_weights)
    one = two[:, 1:]
    k = min(k, len(given_weights))
    for weights in (one, two):
        order = np.argsort(-weights.max(axis=1), kind="stable")
        parts = packed(weights, order, np.full(k, 1 / k))
        found = fullest(weights, parts, k)
        assert found <= weights.shape[1] / k + weights.max() + 1e-9
        if weights is one and len(given_weights) <= 7:
            best = min(fullest(weights, way, k) for way in product(range(k), repeat=len(given_weights)))
            assert found <= (4 / 3 - 1 / (3 * k)) * best + 1e-9


def test_fewer_sites_than_parts_are_refused() -> None:
    graph = web_of({f"http://s{number % 3}.example/{number}": 1 for number in range(30)}).graph()
    assert too_many_parts(graph, "site-packed", (3, 4)) == {4: "there are 3 sites, so some parts would be empty"}
    with pytest.raises(GraphError, match="4 parts of 3 sites: some would be empty"):
        partition_pages(graph, "site-packed", 4)


def test_the_map_owns_whole_sites() -> None:
    web = web_of({f"http://s{number % 9}.example/d{number % 2}/{number}": number for number in range(90)})
    found = partition_pages(web.graph(), "site-packed", 3, Settings(tolerance=0.1))
    assert found.is_balanced
    owners = dict(zip(found.prefixes, found.prefix_parts.tolist(), strict=True))
    assert sorted(owners) == [f"s{number}.example/" for number in range(9)]
    assert all(owners[f"{site_of(url)}/"] == part for url, part in zip(web.sizes, found.parts.tolist(), strict=True))

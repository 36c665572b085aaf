"""What can be reached, against networkx."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.localweb.evolve.reach import Reach

SIZE = 12
LINKS = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE + 3)), max_size=40)


def reached(links: list[tuple[int, int]], exists: list[bool], seeds: set[int]) -> set[int]:
    graph = nx.DiGraph((a, b) for a, b in links if b < SIZE and exists[a] and exists[b])
    graph.add_nodes_from(range(SIZE))
    starts = {seed for seed in seeds if exists[seed]}
    return starts.union(*(nx.descendants(graph, seed) for seed in starts))


@settings(deadline=None, derandomize=True)
@given(LINKS, st.lists(st.booleans(), min_size=SIZE, max_size=SIZE), st.sets(st.integers(0, SIZE - 1)), LINKS)
def test_it_is_what_networkx_reaches_even_while_links_are_added(
    links: list[tuple[int, int]], exists: list[bool], seeds: set[int], more: list[tuple[int, int]]
) -> None:
    follow: list[list[int]] = [[b for a, b in links if a == page] for page in range(SIZE)]
    reach = Reach(follow, exists, sorted(seeds))
    assert {page for page in range(SIZE) if page in reach} == reached(links, exists, seeds)
    for source, target in more:
        follow[source].append(target)
        if source in reach and target < SIZE:
            reach.grow(target)
    expected = reached([*links, *more], exists, seeds)
    assert {page for page in range(SIZE) if page in reach} <= expected
    assert {page for page in range(SIZE) if page in Reach(follow, exists, sorted(seeds))} == expected

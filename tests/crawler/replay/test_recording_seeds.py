"""Where a replay starts, against networkx."""

import networkx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.recording_seeds import seeds_of

PAGES = 9
LINK = st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES + 2), st.booleans())
LINKS = st.lists(LINK, max_size=25, unique_by=lambda link: link[:2])
"""Source, target, whether it is followed; targets from the number of pages on have no page."""


def seeds(pages: int, links: list[tuple[int, int, bool]], recorded: list[int]) -> list[int]:
    in_order = sorted((link for link in links if link[0] < pages), key=lambda link: link[0])
    counts = np.bincount([source for source, *_ in in_order], minlength=pages).astype(np.int64)
    found = seeds_of(
        np.concatenate(([0], np.cumsum(counts))),
        np.array([target for _, target, _ in in_order], np.int64),
        np.array([is_followed for *_, is_followed in in_order], bool),
        np.array(recorded, np.int64),
    )
    assert found.dtype == np.int64
    return found.tolist()


def graph_of(pages: int, links: list[tuple[int, int, bool]]) -> "networkx.DiGraph[int]":
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(pages))
    graph.add_edges_from((s, t) for s, t, is_followed in links if is_followed and s < pages and t < pages)
    return graph


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(1, PAGES), LINKS, st.sets(st.integers(0, PAGES - 1)))
def test_every_page_is_reached_from_as_few_pages_as_can_be(
    pages: int, links: list[tuple[int, int, bool]], asked: set[int]
) -> None:
    recorded = sorted(page for page in asked if page < pages)
    found, graph = seeds(pages, links, recorded), graph_of(pages, links)
    assert found == sorted(set(found))
    assert set(recorded) <= set(found)
    reached = set(found).union(*(networkx.descendants(graph, page) for page in found))
    assert reached == set(range(pages))
    condensed = networkx.condensation(graph)
    sources = [condensed.nodes[node]["members"] for node in condensed if not condensed.in_degree(node)]
    added = [component for component in sources if not component & set(recorded)]
    assert set(found) - set(recorded) == {min(component) for component in added}


def test_a_circle_that_nothing_enters_is_entered_at_its_first_page() -> None:
    circle = [(1, 3, True), (3, 2, True), (2, 1, True)]
    assert seeds(4, [*circle, (3, 0, True)], []) == [1]
    assert seeds(4, [*circle, (0, 3, True)], []) == [0]
    assert seeds(4, [*circle, (0, 3, False)], []) == [0, 1]
    assert seeds(4, circle, [2]) == [0, 2]


def test_a_recorded_seed_stays_though_another_leads_to_it() -> None:
    assert seeds(3, [(0, 1, True), (1, 2, True)], [0, 1]) == [0, 1]
    assert seeds(3, [(0, 1, True), (1, 2, True)], [1]) == [0, 1]


def test_a_seed_without_a_page_stays_and_leads_nowhere() -> None:
    assert seeds(2, [(0, 1, True)], [3]) == [0, 3]
    assert seeds(2, [(0, 1, True)], [0, 3]) == [0, 3]


def test_links_to_urls_without_a_page_lead_nowhere() -> None:
    assert seeds(2, [(0, 5, True), (0, 1, True)], []) == [0]

"""The guide against its formula."""

from math import sqrt

from hypothesis import given, settings

from partition.cut.guide_graph import sent_guide
from partition.cut.metis import MetisGraph
from tests.partition.quality.support.webs import SmallWeb, ring, webs


@settings(max_examples=60)
@given(webs())
def test_a_link_costs_the_less_the_more_links_its_target_has(web: SmallWeb) -> None:
    graph = web.graph()
    links = graph.links.toarray().copy()
    pages = list(web.sizes)
    wanted: dict[tuple[int, int], int] = {}
    between = [(source, target) for source, target in web.links if target in web.sizes]
    for source, target in between:
        incoming = sum(other == target for _, other in between)
        cost = max(1, int(100 * len(target) / sqrt(incoming)))
        for ends in ((source, target), (target, source)):
            place = (pages.index(ends[0]), pages.index(ends[1]))
            wanted[place] = wanted.get(place, 0) + cost
    guide = sent_guide(graph)
    found = guide.edges.tocoo()
    assert (
        dict(zip(zip(found.row.tolist(), found.col.tolist(), strict=True), found.data.tolist(), strict=True)) == wanted
    )
    assert guide.weights.tolist() == [[size, 1] for size in web.sizes.values()]
    assert (graph.links.toarray() == links).all()
    MetisGraph(guide)


def test_no_link_becomes_free() -> None:
    assert sent_guide(ring().graph()).edges.data.min() >= 1

"""What a picture of a cut shows, against plain loops over the links of small webs."""

from collections import Counter, defaultdict
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.graphs.link_graph import PLACEHOLDER_HOST
from partition.measures import cut_portrait as portraits
from partition.measures.cut_portrait import CostlyPair, CostlyUrl, CutPortrait, SiteInParts, crossings, cut_portrait
from partition.measures.traffic import finds_of_pages, traffic
from sessions.url import site_of
from tests.partition.quality.support.webs import SmallWeb, parts_of, ring, webs

K = 4


def crossed(web: SmallWeb, parts: dict[str, int], objective: str) -> list[tuple[int, int, str, str]]:
    """Sender, receiver, target and the site that it is told of, of each crossing."""
    links = [(source, target) for source, target in web.links if target in parts and parts[source] != parts[target]]
    if objective == "links":
        return [(parts[source], parts[target], target, site_of(source)) for source, target in links]
    order = list(dict.fromkeys(map(site_of, web.sizes)))
    linking: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for source, target in links:
        linking[parts[source], target][site_of(source)] += 1
    return [
        (sender, parts[target], target, min(sites, key=lambda site: (-sites[site], order.index(site))))
        for (sender, target), sites in linking.items()
    ]


def dearest(rows: list[tuple[tuple[str, ...], int]]) -> list[tuple[tuple[str, ...], int, int]]:
    """Each key with how often it is there and what it costs, the most expensive first."""
    grouped = groupby(sorted(rows), key=lambda row: row[0])
    sums = [(key, costs) for key, found in grouped for costs in [[cost for _, cost in found]]]
    return sorted(((key, len(costs), sum(costs)) for key, costs in sums), key=lambda row: -row[2])


@given(st.data(), webs(), st.sampled_from(["sent", "links"]))
def test_all_that_is_told_follows_from_the_links(data: st.DataObject, web: SmallWeb, objective: str) -> None:
    given_parts = data.draw(parts_of(len(web.sizes), K))
    parts = dict(zip(web.sizes, given_parts, strict=True))
    found = cut_portrait(web.graph(), np.array(given_parts, np.int32), K, objective)
    rows = crossed(web, parts, objective)
    between = np.zeros((K, K), np.int64)
    for sender, receiver, target, _ in rows:
        between[sender, receiver] += len(target)
    assert found.costs is not None
    assert (found.costs == between).all()
    assert found.sent.tolist() == between.sum(axis=1).tolist()
    assert found.received.tolist() == between.sum(axis=0).tolist()
    assert sorted(found.order) == list(range(K))
    pairs = dearest([((site, site_of(target)), len(target)) for _, _, target, site in rows])
    assert_dearest([((pair.source, pair.target), pair.urls, pair.cost) for pair in found.pairs], pairs)
    urls = dearest([((target,), len(target)) for _, _, target, _ in rows])
    assert_dearest([((url.url,), url.times, url.cost) for url in found.urls], urls)
    assert all(url.owner == parts[url.url] for url in found.urls)
    weights = [[sum(web.sizes[url] for url in parts if parts[url] == part) for part in range(K)]]
    weights.append([given_parts.count(part) for part in range(K)])
    assert found.weights.T.tolist() == weights


def assert_dearest(
    found: list[tuple[tuple[str, ...], int, int]], expected: list[tuple[tuple[str, ...], int, int]]
) -> None:
    """The ten most expensive; which of those that cost the same does not matter."""
    assert [cost for _, _, cost in found] == [cost for _, _, cost in expected[:10]]
    assert set(found) <= set(expected)
    assert len(set(found)) == len(found)


@given(st.data(), webs())
def test_what_parts_send_is_what_is_measured(data: st.DataObject, web: SmallWeb) -> None:
    parts = np.array(data.draw(parts_of(len(web.sizes), K)), np.int32)
    measured = traffic(finds_of_pages(web.graph(), parts, K))
    assert cut_portrait(web.graph(), parts, K, "sent").cost == measured.sent_bytes
    assert cut_portrait(web.graph(), parts, K, "links").cost == measured.cut_bytes
    assert len(crossings(web.graph(), parts, K, "sent").targets) == measured.sent_links
    assert len(crossings(web.graph(), parts, K, "links").targets) == measured.cut_links


@given(st.data(), webs(), st.integers(0, 4), st.floats(0, 1))
def test_sites_and_the_others_have_all_bytes(data: st.DataObject, web: SmallWeb, most: int, least: float) -> None:
    given_parts = data.draw(parts_of(len(web.sizes), K))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portraits, "MOST_SITES", most)
        patch.setattr(portraits, "LEAST_SHARE", least)
        found = cut_portrait(web.graph(), np.array(given_parts, np.int32), K, "sent")
    is_sized = sum(web.sizes.values()) > len(web.sizes)
    assert found.area == ("bytes" if is_sized else "pages")
    sites: dict[str, Counter[int]] = defaultdict(Counter)
    for (url, size), part in zip(web.sizes.items(), given_parts, strict=True):
        sites[site_of(url)][part] += size if is_sized else 1
    total = sum(sum(site.values()) for site in sites.values())
    for site in found.sites:
        assert site.sizes == +sites[site.name]
        assert site.size >= max(1, least * total)
    assert [site.size for site in found.sites] == sorted((site.size for site in found.sites), reverse=True)
    assert len(found.sites) <= most
    shown = {site.name for site in found.sites}
    rest = [name for name in sites if name not in shown]
    assert all(sum(sites[name].values()) <= min([site.size for site in found.sites], default=total) for name in rest)
    summed: Counter[int] = sum((sites[name] for name in rest), Counter())
    pages = sum(site_of(url) in rest for url in web.sizes)
    assert found.others == (SiteInParts("", len(rest), pages, dict(sorted((+summed).items()))) if rest else None)


def without_urls() -> CutPortrait:
    pages = [f"http://{PLACEHOLDER_HOST}/{number}" for number in range(4)]
    links = ((pages[0], pages[3]), (pages[1], pages[3]), (pages[2], pages[3]), (pages[3], pages[0]))
    web = SmallWeb(dict.fromkeys(pages, 1), (), links)
    graph = web.graph()
    graph.links.data[:] = 1
    return cut_portrait(graph, np.array([0, 0, 1, 2], np.int32), 3, "sent")


def test_without_urls_pairs_are_of_parts_and_pages_go_by_number() -> None:
    found = without_urls()
    assert not found.has_urls
    assert (found.sites, found.others, found.area, found.cost) == ([], None, "pages", 3)
    assert found.pairs == [
        CostlyPair("part 0", "part 2", 1, 1),
        CostlyPair("part 1", "part 2", 1, 1),
        CostlyPair("part 2", "part 0", 1, 1),
    ]
    assert found.urls == [CostlyUrl("page 3", 2, 2, 2), CostlyUrl("page 0", 0, 1, 1)]


def test_beyond_the_most_parts_there_is_no_matrix() -> None:
    web = ring()
    parts = np.arange(40, dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portraits, "MOST_PARTS", 39)
        found = cut_portrait(web.graph(), parts, 40, "links")
    assert found.costs is None
    assert found.order == tuple(range(40))
    assert found.cost == traffic(finds_of_pages(web.graph(), parts, 40)).cut_bytes

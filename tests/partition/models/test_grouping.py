"""What each model keeps together: pages, sites, prefixes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import site_of_key, url_key
from partition.models import prefix as module
from partition.models.grouping import by_page, by_site
from partition.models.prefix import by_prefix
from sessions.url import site_of
from tests.partition.models.support.cases import NASTY, WEBS, web_of
from tests.partition.quality.support.webs import SmallWeb


@settings(max_examples=50)
@given(WEBS)
def test_every_page_for_itself(web: SmallWeb) -> None:
    grouping = by_page(web.graph())
    assert grouping.groups.tolist() == list(range(len(web.sizes)))
    assert (grouping.prefixes, grouping.count) == ([], len(web.sizes))
    assert grouping.groups.dtype == "int64"


@settings(max_examples=80)
@given(WEBS)
def test_sites_are_groups_and_prefixes(web: SmallWeb) -> None:
    grouping = by_site(web.graph())
    assert grouping.count == len(grouping.prefixes) == len({site_of(url) for url in web.sizes})
    for url, group in zip(web.sizes, grouping.groups.tolist(), strict=True):
        assert grouping.prefixes[group] == site_of(url) + "/"
        assert url_key(url).startswith(grouping.prefixes[group])


# Prefix groups: each page in the group of its longest prefix, none too heavy that can be divided.


def check(web: SmallWeb, k: int) -> None:
    """The definition of a prefix grouping."""
    graph = web.graph()
    grouping = by_prefix(graph, k)
    keys = [url_key(url) for url in web.sizes]
    prefixes = grouping.prefixes
    assert grouping.count == len(prefixes) == len(set(prefixes))
    assert {site_of_key(key) + "/" for key in keys} <= set(prefixes)
    assert grouping.groups.shape == (len(keys),)
    for key, group in zip(keys, grouping.groups.tolist(), strict=True):
        assert prefixes[group] == max((prefix for prefix in prefixes if key.startswith(prefix)), key=len)
    for prefix in prefixes:
        assert "/" in prefix
        assert any(key.startswith(prefix) for key in keys)
    limits = graph.weights.sum(axis=0) / max(k * module.VERTICES_PER_PART, module.VERTICES_AT_LEAST)
    for group in range(grouping.count):
        members = np.flatnonzero(grouping.groups == group)
        if (graph.weights[members].sum(axis=0) > limits).any():
            assert len({keys[member] for member in members}) == 1


@settings(max_examples=200)
@given(WEBS, st.integers(1, 4), st.sampled_from([0.05, 0.5, 2, 32]))
def test_groups_by_definition(web: SmallWeb, k: int, vertices: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "VERTICES_PER_PART", vertices)
        patch.setattr(module, "VERTICES_AT_LEAST", 0)
        check(web, k)


@pytest.mark.parametrize("vertices", [0.1, 1, 4, 32])
def test_nasty_urls_all_at_once(vertices: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERTICES_PER_PART", vertices)
    monkeypatch.setattr(module, "VERTICES_AT_LEAST", 0)
    check(web_of(dict.fromkeys(NASTY, 7)), 2)


def test_light_sites_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERTICES_PER_PART", 32)
    monkeypatch.setattr(module, "VERTICES_AT_LEAST", 0)
    web = web_of({f"http://site{number}.example/{page}": 1 for number in range(80) for page in range(2)})
    assert by_prefix(web.graph(), 2).count == 80


def test_a_heavy_site_is_divided_by_its_directories_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERTICES_PER_PART", 32)
    monkeypatch.setattr(module, "VERTICES_AT_LEAST", 0)
    pages = {f"http://a.example/{name}/{number}": 1 for name in ("cats", "dogs") for number in range(5)}
    pages |= {f"http://b{number}.example/": 1 for number in range(310)}
    grouping = by_prefix(web_of(pages).graph(), 1)
    inside = {prefix for prefix in grouping.prefixes if prefix.startswith("a.example/")}
    assert inside == {"a.example/"}
    heavier = dict.fromkeys(pages, 10) | {url: 200 for url in pages if "a.example" in url}
    grouping = by_prefix(web_of(heavier).graph(), 1)
    inside = {prefix for prefix in grouping.prefixes if prefix.startswith("a.example/")}
    assert {"a.example/", "a.example/cats/", "a.example/dogs/"} <= inside


def test_pages_with_the_same_key_cannot_be_divided() -> None:
    web = web_of(
        {"http://a.example/x": 9, "https://a.example/x": 9, "https://u@a.example/x": 9, "http://b.example/": 1}
    )
    grouping = by_prefix(web.graph(), 4)
    assert len(set(grouping.groups[:3].tolist())) == 1


def test_very_long_and_deep_urls_are_divided_quickly() -> None:
    deep = {"http://a.example/" + "d/" * 900 + f"{number:04}" * 25: 1 for number in range(300)}
    grouping = by_prefix(web_of(deep).graph(), 8)
    assert len(set(grouping.groups.tolist())) == 300

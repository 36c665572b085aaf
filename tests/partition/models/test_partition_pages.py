"""All models, both objectives: whole partitions, and maps that say the same after they were written."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import url_key
from partition.choices import MODELS, OBJECTIVES, WEIGHTS
from partition.cut.balance import balance_of
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.map.manifest import Origin
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from partition.measures.measures import measures
from partition.models.partition_pages import Partition, models_for, partition_pages, too_many_parts
from partition.models.settings import Settings
from sessions.url import site_of, url_hashes
from tests.partition.models.support.cases import NASTY, web_of
from tests.partition.quality.support.definitions import directed, traffic_by_definition
from tests.partition.quality.support.webs import SmallWeb, ring, webs

QUICK = Settings(effort="low", threads=1, tolerance=0.3)


def longest(prefixes: list[str], key: str) -> str:
    return max((prefix for prefix in prefixes if key.startswith(prefix)), key=len)


def check(web: SmallWeb, graph: LinkGraph, model: str, k: int, settings: Settings) -> Partition:
    """What holds of every partition."""
    found = partition_pages(graph, model, k, settings)
    assert (found.model, found.k) == (model, k)
    assert found.parts.dtype == found.prefix_parts.dtype == np.int32
    assert found.parts.shape == (len(graph),)
    assert sorted(set(found.parts.tolist())) == list(range(k))
    assert len(found.prefixes) == len(found.prefix_parts) == len(set(found.prefixes))
    assert set(found.prefix_parts.tolist()) <= set(range(k))
    balance = balance_of(graph.weights, k, settings.tolerance, settings.shares)
    assert found.is_balanced == (balance.excess(graph.weights, found.parts) == 0)
    pages = dict(zip(web.sizes, found.parts.tolist(), strict=True))
    owner = dict(zip(found.prefixes, found.prefix_parts.tolist(), strict=True))
    assert {site_of(url) + "/" for url in pages} <= set(found.prefixes)
    if model in ("site", "site-packed", "prefix"):
        assert all(owner[longest(found.prefixes, url_key(url))] == part for url, part in pages.items())
    if model == "prefix":
        own = {longest(found.prefixes, url_key(url)) for url in pages}
        for prefix in set(found.prefixes) - own:
            beneath = [part for url, part in pages.items() if url_key(url).startswith(prefix)]
            assert beneath.count(owner[prefix]) == max(map(beneath.count, beneath))
    return found


@settings(max_examples=60)
@given(webs(), st.sampled_from(list(MODELS)), st.sampled_from(OBJECTIVES), st.data())
def test_partitions_of_random_webs(web: SmallWeb, model: str, objective: str, data: st.DataObject) -> None:
    most = len({site_of(url) for url in web.sizes}) if model in ("site", "site-packed") else len(web.sizes)
    k = data.draw(st.integers(1, most))
    shares = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=k, max_size=k).map(tuple))
    check(web, web.graph(), model, k, Settings(objective, 0.3, "low", 1, shares, 1))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_partition_costs_what_is_measured(model: str, objective: str) -> None:
    web = ring()
    own = dict(zip(web.sizes, check(web, web.graph(), model, 4, Settings(objective, 0.2)).parts.tolist(), strict=True))
    luck = {page: number % 4 for number, page in enumerate(reversed(web.sizes))}
    volumes = []
    for parts in (own, luck):
        told = traffic_by_definition(directed(web, list(web.sizes)), parts, lambda _, url, p=parts: p[url], 4)
        volumes.append(told.sent_bytes if objective == "sent" else told.cut_bytes)
    assert volumes[0] <= volumes[1]


@settings(max_examples=40)
@given(webs(), st.sampled_from(OBJECTIVES), st.sampled_from([0.05, 0.3, 1.0]), st.data())
def test_pages_are_never_cut_worse_than_prefixes(
    web: SmallWeb, objective: str, tolerance: float, data: st.DataObject
) -> None:
    """Every cut of prefixes is one of pages, too."""
    graph = web.graph()
    k, seed = data.draw(st.integers(2, 4)), data.draw(st.integers(0, 9))
    assume(k not in too_many_parts(graph, "page", [k]))
    asked = Settings(objective, tolerance, "low", seed, threads=1)
    try:
        coarse = partition_pages(graph, "prefix", k, asked)
    except GraphError:
        reject()
    fine = partition_pages(graph, "page", k, asked)
    assert fine.is_balanced or not coarse.is_balanced
    if fine.is_balanced == coarse.is_balanced:
        balance = balance_of(graph.weights, k, tolerance)
        ranks = []
        for found in (fine, coarse):
            pages = measures(graph, found.parts, k, None).pages
            volume = pages.sent_bytes if objective == "sent" else pages.cut_bytes
            ranks.append((round(balance.excess(graph.weights, found.parts), 2), volume))
        assert ranks[0] <= ranks[1]


@pytest.mark.parametrize("model", ["page", "prefix", "url-range"])
def test_nasty_urls(model: str) -> None:
    sizes = {url: 10 + number % 3 for number, url in enumerate(NASTY)}
    links = [(NASTY[number], NASTY[number * 7 % len(NASTY)]) for number in range(1, len(NASTY))]
    web = web_of(sizes, [link for link in links if link[0] != link[1]])
    for k in (1, 3, 10):
        check(web, web.graph(), model, k, QUICK)


@pytest.mark.parametrize("model", MODELS)
def test_a_map_says_what_the_partition_says(model: str, tmp_path: Path) -> None:
    web = ring() if model in ("site", "site-packed") else web_of(dict.fromkeys(NASTY, 10) | ring().sizes, ring().links)
    graph = web.graph()
    found = partition_pages(graph, model, 4, QUICK)
    write_map(
        tmp_path / "map",
        Origin(model),
        k=4,
        urls=list(web.sizes),
        hashes=graph.hashes,
        parts=found.parts,
        prefixes=found.prefixes,
        prefix_parts=found.prefix_parts,
    )
    table = PartitionMap.open(tmp_path / "map")
    assert table.parts_of(graph.hashes, graph.urls.to_pylist()).tolist() == found.parts.tolist()
    owner = dict(zip(found.prefixes, found.prefix_parts.tolist(), strict=True))
    unknown = [url + end for url in web.sizes for end in ("unseen", "/unseen/?x&y")]
    unknown = [url for url in dict.fromkeys(unknown) if url not in web.sizes]
    owners = PartitionAssignment(table, 0).owners(url_hashes(unknown), unknown).tolist()
    assert owners == [owner[longest(found.prefixes, url_key(url))] for url in unknown]


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_with_any_threads(model: str) -> None:
    graph = ring(60).graph()
    found = [partition_pages(graph, model, 3, Settings(threads=threads, seed=5)) for threads in (1, 2)]
    assert found[0].parts.tolist() == found[1].parts.tolist()
    assert found[0].prefix_parts.tolist() == found[1].prefix_parts.tolist()
    assert found[0].settings == found[1].settings


def test_the_settings_say_what_won() -> None:
    found = partition_pages(ring().graph(), "prefix", 3, Settings(effort="low", tolerance=0.2))
    assert found.settings.keys() == {"objective", "tolerance", "balance", "effort", "vertices", "won"}
    assert found.settings["vertices"] == 40
    assert "seed" in found.settings["won"]
    assert partition_pages(ring().graph(), "url-range", 3).settings == {
        "tolerance": 0.05,
        "balance": {"storage": 0.05, "requests": 0.05},
    }


@pytest.mark.parametrize(
    ("model", "k", "message"),
    [
        ("page", 41, "41 parts of 40 pages: some would be empty"),
        ("url-range", 41, "41 parts of 40 pages: some would be empty"),
        ("site", 5, "5 parts of 4 sites: some would be empty"),
        ("page", 0, "0 parts: there must be at least one"),
    ],
)
def test_parts_that_would_be_empty(model: str, k: int, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        partition_pages(ring().graph(), model, k)


def test_pages_that_differ_by_scheme_only_are_one_prefix() -> None:
    web = web_of({f"http{s}://a.example/{number}": 5 for s in ("", "s") for number in range(3)})
    assert check(web, web.graph(), "prefix", 3, QUICK).is_balanced
    with pytest.raises(GraphError, match="4 parts of 3 URL prefixes: some would be empty"):
        partition_pages(web.graph(), "prefix", 4, QUICK)


def test_models_that_need_urls() -> None:
    graph = web_of({f"http://pages.invalid/{number}": 1 for number in range(6)}).graph()
    assert models_for(graph) == ("page", "url-range")
    assert models_for(ring().graph()) == tuple(MODELS)
    check(web_of({f"http://pages.invalid/{number}": 1 for number in range(6)}), graph, "page", 3, QUICK)
    for model in ("site", "prefix"):
        with pytest.raises(GraphError, match=f"the {model} model needs URLs, and this session was imported without"):
            partition_pages(graph, model, 2)


def test_pages_without_urls_have_ranges_of_numbers() -> None:
    graph = web_of({f"http://pages.invalid/{number}": 1 for number in range(12)}).graph()
    parts = partition_pages(graph, "url-range", 3, QUICK).parts
    numbers = [int(url.rpartition("/")[2]) for url in graph.urls.to_pylist()]
    assert [parts[numbers.index(number)] for number in range(12)] == [0] * 4 + [1] * 4 + [2] * 4


def test_an_unknown_model_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no model 'domain'; there are page, site, prefix, url-range"):
        partition_pages(ring().graph(), "domain", 2)


def test_one_giant_page_is_told() -> None:
    sizes = {f"http://a.example/{number}": 10**6 if number == 3 else 10 for number in range(30)}
    for model in ("page", "prefix", "url-range"):
        found = check(web_of(sizes), web_of(sizes).graph(), model, 4, Settings())
        assert not found.is_balanced


def test_threads_are_as_many_as_this_process_may_use() -> None:
    assert Settings().threads == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("model", ["page", "prefix", "url-range"])
def test_any_weights_are_balanced_each_within_its_own_tolerance(model: str) -> None:
    web = ring(240)
    graph = replace(web.graph(), microseconds=np.random.default_rng(2).integers(10**5, 10**6, 240))
    for balance in (
        {"links": 0.3},
        {"requests": None, "seconds": 0.35},
        {"storage": 0.5, "requests": 0.4, "links": 0.45, "seconds": 0.6},
    ):
        found = partition_pages(graph, model, 3, Settings(tolerance=0.3, effort="low", threads=1, balance=balance))
        assert found.settings["balance"] == {name: 0.3 if own is None else own for name, own in balance.items()}
        assert found.is_balanced
        assert found.excesses == dict.fromkeys(balance, 0.0)
        imbalances = measures(graph, found.parts, 3, None).imbalances
        assert imbalances.keys() == WEIGHTS.keys()
        for name, own in balance.items():
            assert imbalances[name] <= (own or 0.3) + 1e-9


def test_what_is_beyond_the_tolerance_is_told_by_weight() -> None:
    web = SmallWeb({f"http://a.example/{number}": 1 + 97 * (number == 0) for number in range(4)}, (), ())
    found = partition_pages(web.graph(), "page", 2, Settings(effort="low", threads=1))
    assert not found.is_balanced
    assert found.excesses["storage"] == pytest.approx((98 - 53) / 50.5, abs=0.02)
    assert found.excesses["requests"] in (0, 0.5)


def test_weights_that_there_are_not_are_refused() -> None:
    for balance, error, told in (
        ({"storge": None}, ValueError, "no weight 'storge'; there are storage, requests, links, seconds"),
        ({"seconds": None}, GraphError, "nobody knows the seconds"),
        ({}, GraphError, "nothing is to be balanced"),
        ({"links": -0.1}, GraphError, "the tolerance must be from 0 up, not -0.1"),
    ):
        with pytest.raises(error, match=told):
            partition_pages(ring().graph(), "page", 2, Settings(balance=balance))

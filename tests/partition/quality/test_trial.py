"""One trial: every figure that it tells, from its definition."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.assignment import assignment_named
from partition.assignment.url_prefixes import url_key, url_keys
from partition.cut.metis import MetisError
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.map.majority_prefixes import majority_prefixes
from partition.map.url_numbers import encode_numbers
from partition.models.partition_pages import Partition
from partition.quality import map_costs, trial
from partition.quality.figures import FIGURES
from partition.quality.request import QualityRequest, Trial
from partition.quality.trial import run_trial
from sessions.url import url_hashes
from tests.partition.quality.support.definitions import Owner, figures_by_definition
from tests.partition.quality.support.webs import SmallWeb, parts_of, ring, webs

OF_MACHINE = {figure.name for figure in FIGURES if figure.of_machine}


def partition_of(graph: LinkGraph, parts: Sequence[int], k: int) -> Partition:
    prefixes, prefix_parts = majority_prefixes(url_keys(graph.urls.to_pylist()), parts)
    return Partition("page", k, np.array(parts, np.int32), prefixes, prefix_parts, {"won": "by lot"}, True)


def numbers_of(web: SmallWeb) -> dict[str, int]:
    trie = map_costs.make_trie(list(web.sizes))
    return {page: trie[page] for page in web.sizes}


def longest_prefix(partition: Partition, url: str) -> int:
    """The part of an unknown URL by its longest prefix, else by the hash of its site."""
    fitting = [
        (len(prefix), part)
        for prefix, part in zip(partition.prefixes, partition.prefix_parts.tolist(), strict=True)
        if url_key(url).startswith(prefix)
    ]
    return max(fitting)[1] if fitting else hashed("site-hash", partition.k, url)


def hashed(name: str, k: int, url: str) -> int:
    return int(assignment_named(name, k).owners(url_hashes([url]), [url])[0])


def owner_for(rule: str, partition: Partition, own: dict[str, int]) -> Owner:
    def owner(finder: int, url: str) -> int:
        if url in own:
            return own[url]
        if rule == "discoverer":
            return finder
        if rule == "page-hash":
            return hashed("page-hash", partition.k, url)
        return longest_prefix(partition, url) if rule == "prefix" else hashed("site-hash", partition.k, url)

    return owner


@settings(max_examples=25)
@given(st.data(), webs(2), st.integers(1, 4), st.sampled_from(["prefix", "hash", "page-hash", "discoverer"]))
def test_figures_of_a_model_are_what_their_definitions_say(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, web: SmallWeb, k: int, rule: str
) -> None:
    k = min(k, len(web.sizes))
    parts = data.draw(parts_of(len(web.sizes) - k, k).map(lambda rest: [*range(k), *rest]))
    graph = web.graph()
    partition = partition_of(graph, parts, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "partition_pages", lambda *_: partition)
        patch.setattr(map_costs, "_LEAST_SECONDS", 1e-9)
        folder = tmp_path_factory.mktemp("trial")
        outcome = run_trial(graph, Trial("page", k, 1), QualityRequest(unknown=rule), folder)
    assert list(folder.iterdir()) == []
    assert outcome.reason is None
    assert outcome.settings == {"won": "by lot"}
    own = dict(zip(web.sizes, parts, strict=True))
    expected = figures_by_definition(web, own, owner_for(rule, partition, own), numbers_of(web), k)
    assert outcome.figures.keys() - OF_MACHINE - {"map_bytes_per_url"} == expected.keys()
    for name, value in expected.items():
        assert outcome.figures[name] == pytest.approx(value), name
    assert outcome.figures["map_bytes_per_url"] > 8 / len(web.sizes)


@settings(max_examples=25)
@given(webs(), st.integers(1, 6), st.sampled_from(["page-hash", "site-hash"]))
def test_figures_of_a_hash_are_what_their_definitions_say(web: SmallWeb, k: int, model: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_costs, "_LEAST_SECONDS", 1e-9)
        outcome = run_trial(web.graph(), Trial(model, k, 1), QualityRequest(), Path("/nowhere"))
    own = {page: hashed(model, k, page) for page in web.sizes}
    owner: Owner = lambda _, url: hashed(model, k, url)  # noqa: E731
    for name, value in figures_by_definition(web, own, owner, numbers_of(web), k).items():
        assert outcome.figures[name] == pytest.approx(value), name
    assert outcome.figures["map_bytes_per_url"] == 0


def test_every_figure_is_told_and_those_of_the_machine_are_sensible(tmp_path: Path) -> None:
    outcome = run_trial(ring().graph(), Trial("page", 4, 1), QualityRequest(), tmp_path)
    assert set(outcome.figures) == {figure.name for figure in FIGURES} - {"seconds_imbalance"}
    assert 0 < outcome.figures["seconds"] < 60
    assert 10e6 < outcome.figures["peak_bytes"] < 100e9
    assert outcome.figures["lookups_per_second"] > 100


def test_the_size_of_the_map_is_that_of_its_mapped_files(tmp_path: Path) -> None:
    graph = ring().graph()
    partition = partition_of(graph, [number % 3 for number in range(40)], 3)
    found = map_costs.lookup_in_map(graph, graph.urls.to_pylist(), partition, "prefix", tmp_path / "map")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "map").iterdir()}
    assert found.map_bytes == sum(sizes.values()) - sizes["parts.parquet"] - sizes["partition.json"]
    assert encode_numbers(np.sort(found.numbers))
    assert sorted(found.numbers.tolist()) == list(range(40))


def test_a_map_that_says_something_else_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ring().graph()
    partition = partition_of(graph, [number % 3 for number in range(40)], 3)
    monkeypatch.setattr(map_costs.PartitionMap, "parts_of", lambda _, hashes, _urls: np.zeros(len(hashes), np.int32))
    with pytest.raises(RuntimeError, match="does not have the parts"):
        map_costs.lookup_in_map(graph, graph.urls.to_pylist(), partition, "prefix", tmp_path / "map")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(GraphError("no, no"), "no, no"), (MetisError("gave up"), "gave up"), (MemoryError(), "not enough memory")],
)
def test_what_cannot_be_computed_has_a_reason(
    error: Exception, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Partition:
        raise error

    monkeypatch.setattr(trial, "partition_pages", refuse)
    outcome = run_trial(ring().graph(), Trial("site", 3, 1), QualityRequest(), tmp_path)
    assert reason in str(outcome.reason)
    assert outcome.figures == {}


def test_no_part_of_a_model_may_be_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ring().graph()
    monkeypatch.setattr(trial, "partition_pages", lambda *_: partition_of(graph, [0] * 40, 3))
    assert run_trial(graph, Trial("page", 3, 1), QualityRequest(), tmp_path).reason == "2 of its parts would be empty"


def test_without_urls_only_what_needs_none_is_told(tmp_path: Path) -> None:
    numbers = [f"http://pages.invalid/{number}" for number in range(30)]
    links = tuple((numbers[here], numbers[(here + step) % 30]) for here in range(30) for step in (1, 2, 7))
    graph = SmallWeb(dict.fromkeys(numbers, 1), (), links).graph()
    told = {figure.name for figure in FIGURES if not figure.of_urls} - {"seconds_imbalance"}
    for model in ("page", "page-hash"):
        assert set(run_trial(graph, Trial(model, 3, 1), QualityRequest(), tmp_path).figures) == told

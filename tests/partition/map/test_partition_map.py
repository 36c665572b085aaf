"""An opened map: numbers, parts and texts of URLs, against dicts."""

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.map.manifest import MANIFEST, MAPPED
from partition.map.partition_map import PartitionMap
from sessions.url import url_hashes
from tests.partition.map.support.maps import URLS, make_map, parts_for

STRANGERS = [url + "x" for url in URLS[:50]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PartitionMap:
    folder = tmp_path_factory.mktemp("maps") / "map"
    make_map(folder)
    return PartitionMap.open(folder)


@given(st.lists(st.sampled_from(URLS + STRANGERS), max_size=40))
def test_known_urls_have_their_part_and_unknown_ones_none(table: PartitionMap, urls: list[str]) -> None:
    part_of = dict(zip(URLS, parts_for(URLS, 4).tolist(), strict=True))
    parts = table.parts_of(url_hashes(urls))
    assert parts.dtype == np.int32
    assert parts.tolist() == [part_of.get(url, -1) for url in urls]


@given(st.lists(st.sampled_from(URLS + STRANGERS), max_size=40))
def test_a_number_leads_back_to_its_url(table: PartitionMap, urls: list[str]) -> None:
    numbers = table.numbers(url_hashes(urls))
    assert numbers.dtype == np.int64
    assert [number >= 0 for number in numbers.tolist()] == [url in URLS for url in urls]
    assert table.urls_of(numbers[numbers >= 0]) == [url for url in urls if url in URLS]


def test_numbers_are_dense(table: PartitionMap) -> None:
    assert sorted(table.numbers(url_hashes(URLS)).tolist()) == list(range(len(URLS)))
    assert len(table) == len(URLS)
    with pytest.raises(KeyError):
        table.urls_of(np.array([len(URLS)]))


@pytest.mark.parametrize("k", [1, 2, 256, 257, 65535])
@pytest.mark.parametrize("count", [0, 1, 2, 200])
def test_any_number_of_parts_and_urls(tmp_path: Path, k: int, count: int) -> None:
    urls = URLS[:count]
    make_map(tmp_path / "map", urls, k)
    table = PartitionMap.open(tmp_path / "map")
    assert table.parts == k
    assert table.parts_of(url_hashes(urls)).tolist() == parts_for(urls, k).tolist()
    assert (table.parts_of(url_hashes(STRANGERS)) == -1).all()
    assert table.urls_of(table.numbers(url_hashes(urls))) == urls


def test_more_urls_than_two_bytes_can_number(tmp_path: Path) -> None:
    """The biggest of maps in a test: it takes few bytes a URL, and millions of answers a second."""
    urls = [f"http://pages.invalid/{number}" for number in range(325_557)]
    hashes = url_hashes(urls)
    make_map(tmp_path / "map", urls, 16)
    mapped = sum((tmp_path / "map" / name).stat().st_size for name in (*MAPPED, MANIFEST))
    assert mapped / len(urls) < 13
    table = PartitionMap.open(tmp_path / "map")
    assert table.parts_of(hashes).tolist() == parts_for(urls, 16).tolist()
    some = np.random.default_rng(3).integers(0, len(urls), 4096)
    assert table.urls_of(table.numbers(hashes[some])) == [urls[place] for place in some.tolist()]
    batches = [hashes[np.random.default_rng(seed).integers(0, len(urls), 4096)] for seed in range(20)]
    seconds = []
    for batch in batches:
        began = perf_counter()
        table.parts_of(batch)
        seconds.append(perf_counter() - began)
    assert min(seconds) < 4096 / 1_000_000


def test_a_sites_part_is_that_of_most_of_its_pages(tmp_path: Path) -> None:
    urls = [f"http://a.example/{number}" for number in range(5)] + ["http://b.example/", "https://b.example/"]
    parts = [1, 1, 1, 0, 2, 2, 3]
    prefixes = ["a.example/", "a.example/4", "c.example/"]
    make_map(tmp_path / "map", urls, 4, parts=parts, prefixes=prefixes, prefix_parts=[0, 2, 3])
    table = PartitionMap.open(tmp_path / "map")
    asked = ["http://a.example/new", "https://b.example/new", "http://c.example/", "http://d.example/"]
    assert [table.part_of_site(url) for url in asked] == [1, 2, 3, -1]
    keys = ["a.example/new", "a.example/45", "b.example/", "c.example/x", "c.example", "d.example/", "a.example.org/"]
    assert [table.prefixes.longest_match(key) for key in keys] == [0, 2, 2, 3, -1, -1, -1]
    assert (len(table.prefixes), len(table.sites)) == (4, 1)


def test_files_are_mapped_not_read(tmp_path: Path) -> None:
    """What is mapped is in memory once for all ranks of a machine."""
    make_map(tmp_path / "map")
    table = PartitionMap.open(tmp_path / "map")
    mapped = Path("/proc/self/maps").read_text()
    assert [name for name in MAPPED if name != "site-parts.bin" and f"{tmp_path / 'map' / name}\n" not in mapped] == []
    assert len(table) == len(URLS)

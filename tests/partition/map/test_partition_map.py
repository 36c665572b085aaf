"""An opened map: numbers, parts and texts of URLs, against dicts."""

from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import url_key
from partition.map import write_shard
from partition.map.manifest import MANIFEST, SHARDS, Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import Prefixes, build_map
from sessions.url import site_of, url_hashes
from tests.partition.map.support.format_1 import write_format_1
from tests.partition.map.support.maps import URLS, batches_of, make_map, parts_for

STRANGERS = [url + "x" for url in URLS[:50]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PartitionMap:
    folder = tmp_path_factory.mktemp("maps") / "map"
    make_map(folder)
    return PartitionMap.open(folder)


@given(st.lists(st.sampled_from(URLS + STRANGERS), max_size=40))
def test_known_urls_have_their_part_and_unknown_ones_none(table: PartitionMap, urls: list[str]) -> None:
    part_of = dict(zip(URLS, parts_for(URLS, 4).tolist(), strict=True))
    parts = table.parts_of(url_hashes(urls), urls)
    assert parts.dtype == np.int32
    assert parts.tolist() == [part_of.get(url, -1) for url in urls]


@given(st.lists(st.sampled_from(URLS + STRANGERS), max_size=40))
def test_a_number_leads_back_to_its_url(table: PartitionMap, urls: list[str]) -> None:
    numbers = table.numbers(url_hashes(urls), urls)
    assert numbers.dtype == np.int64
    assert [number >= 0 for number in numbers.tolist()] == [url in URLS for url in urls]
    assert table.urls_of(numbers[numbers >= 0]) == [url for url in urls if url in URLS]


def test_numbers_are_dense(table: PartitionMap) -> None:
    assert sorted(table.numbers(url_hashes(URLS), URLS).tolist()) == list(range(len(URLS)))
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
    assert table.parts_of(url_hashes(urls), urls).tolist() == parts_for(urls, k).tolist()
    assert (table.parts_of(url_hashes(STRANGERS), STRANGERS) == -1).all()
    assert table.urls_of(table.numbers(url_hashes(urls), urls)) == urls


def test_more_urls_than_two_bytes_can_number(tmp_path: Path) -> None:
    """The biggest of maps in a test, of two shards: it takes few bytes a URL, and millions of answers a second."""
    urls = [f"http://pages.invalid/{number}" for number in range(325_557)]
    hashes = url_hashes(urls)
    make_map(tmp_path / "map", urls, 16)
    mapped = sum((tmp_path / "map" / name).stat().st_size for name in (SHARDS, MANIFEST))
    assert mapped / len(urls) < 14
    table = PartitionMap.open(tmp_path / "map")
    assert table.parts_of(hashes, urls).tolist() == parts_for(urls, 16).tolist()
    some = np.random.default_rng(3).integers(0, len(urls), 4096)
    texts = [urls[place] for place in some.tolist()]
    assert table.urls_of(table.numbers(hashes[some], texts)) == texts
    samples = [np.random.default_rng(seed).integers(0, len(urls), 4096) for seed in range(20)]
    batches = [(hashes[sample], [urls[place] for place in sample.tolist()]) for sample in samples]
    seconds = []
    for batch in batches:
        began = perf_counter()
        table.parts_of(*batch)
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
    assert [table.part_by_prefix(f"http://{key}") for key in keys] == [0, 2, 2, 3, -1, -1, -1]
    assert (table.manifest.prefixes, table.manifest.sites) == (4, 1)


def test_the_file_is_mapped_not_read(tmp_path: Path) -> None:
    """What is mapped is in memory once for all ranks of a machine."""
    make_map(tmp_path / "map")
    table = PartitionMap.open(tmp_path / "map")
    assert f"{tmp_path / 'map' / SHARDS}\n" in Path("/proc/self/maps").read_text()
    assert len(table) == len(URLS)


# Whatever the shards, a map answers as a dict does.

SITES = ["a.example", "a.example:81", "ab.example", "b.example"]
PATHS = st.lists(st.sampled_from(["", "/", "x", "x/", "y/", "y/x/", "?", "é/", "z"]), max_size=4).map("".join)
LINKS = st.builds("http{}://{}/{}".format, st.sampled_from(["", "s"]), st.sampled_from(SITES), PATHS)
KNOWN = st.dictionaries(LINKS, st.integers(0, 3), max_size=25)


def directories_of(key: str) -> list[str]:
    path, mark, _ = key.partition("?")
    found = [path[: end + 1] for end, letter in enumerate(path) if letter == "/"]
    return found + [path + mark] * bool(mark)


def heaviest(counts: Counter[int]) -> int:
    return min(counts, key=lambda part: (-counts[part], part))


class Oracle:
    """A map as dicts, which knows of no shards."""

    def __init__(self, part_of: dict[str, int], given: dict[str, int] | None) -> None:
        self.part_of = part_of
        counts: dict[str, Counter[int]] = defaultdict(Counter)
        for url, part in part_of.items():
            for directory in directories_of(url_key(url)):
                counts[directory][part] += 1
        majorities = {directory: heaviest(its) for directory, its in counts.items()}
        self.sites = {prefix[:-1]: part for prefix, part in majorities.items() if prefix.index("/") == len(prefix) - 1}
        self.prefixes = majorities if given is None else {site + "/": part for site, part in self.sites.items()} | given

    def by_prefix(self, url: str) -> int:
        matching = [prefix for prefix in self.prefixes if url_key(url).startswith(prefix)]
        return self.prefixes[max(matching, key=len)] if matching else -1

    def of_site(self, url: str) -> int:
        site = site_of(url)
        return self.sites.get(site, self.prefixes.get(site + "/", -1))

    def agrees_with(self, table: PartitionMap, asked: list[str]) -> None:
        hashes = url_hashes(asked)
        assert len(table) == len(self.part_of)
        assert table.parts_of(hashes, asked).tolist() == [self.part_of.get(url, -1) for url in asked]
        numbers = table.numbers(hashes, asked)
        known = [url for url in asked if url in self.part_of]
        assert [number >= 0 for number in numbers.tolist()] == [url in self.part_of for url in asked]
        assert table.urls_of(numbers[numbers >= 0]) == known
        everything = list(self.part_of)
        assert sorted(table.numbers(url_hashes(everything), everything).tolist()) == list(range(len(table)))
        for number in (-1, len(table)):
            with pytest.raises(KeyError):
                table.urls_of(np.array([number]))
        for url in asked:
            assert table.part_by_prefix(url) == self.by_prefix(url), url
            assert table.part_of_site(url) == self.of_site(url), url
            below = url[: url.rindex("/") + 1]
            assert sorted(table.urls_below(below)) == sorted(one for one in self.part_of if one.startswith(below))


@settings(max_examples=150)
@given(KNOWN, st.lists(LINKS, max_size=10), st.integers(1, 12), st.data())
def test_a_map_of_any_number_of_shards_answers_as_a_dict_does(
    tmp_path_factory: pytest.TempPathFactory,
    part_of: dict[str, int],
    strangers: list[str],
    shard_urls: int,
    data: st.DataObject,
) -> None:
    keys = sorted({url_key(url) for url in [*part_of, *strangers]})
    prefixes = [key[:length] for key in keys for length in range(key.index("/") + 1, len(key) + 1)]
    some = st.dictionaries(st.sampled_from(prefixes), st.integers(0, 3), max_size=5) if prefixes else st.just({})
    given_prefixes = data.draw(st.none() | some)
    folder = tmp_path_factory.mktemp("maps") / "map"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_shard, "_LARGE_SITE", data.draw(st.sampled_from([1, 512])))
        build_map(
            folder,
            Origin("page"),
            k=4,
            rows=batches_of(part_of, data.draw(st.integers(1, 9))),
            prefixes=None if given_prefixes is None else Prefixes(list(given_prefixes), list(given_prefixes.values())),
            shard_urls=shard_urls,
        )
    table = PartitionMap.open(folder)
    keys_of_all = len({url_key(url) for url in part_of})
    assert min(-(-len(part_of) // shard_urls), keys_of_all) // 2 <= len(table.manifest.shards) <= max(1, keys_of_all)
    Oracle(part_of, given_prefixes).agrees_with(table, [*part_of, *strangers])


@given(KNOWN, st.lists(LINKS, max_size=10), st.sampled_from([4, 300]))
def test_a_map_of_format_1_answers_so_too(
    tmp_path_factory: pytest.TempPathFactory, part_of: dict[str, int], strangers: list[str], k: int
) -> None:
    folder = tmp_path_factory.mktemp("maps") / "map"
    write_format_1(folder, list(part_of), list(part_of.values()), k)
    Oracle(part_of, None).agrees_with(PartitionMap.open(folder), [*part_of, *strangers])


def test_no_site_makes_a_shard_larger_than_others(tmp_path: Path) -> None:
    """Nine tenths of the pages are in one directory of one site."""
    urls = [f"http://huge.example/all/{number}" for number in range(9000)]
    urls += [f"http://s{number}.example/" for number in range(1000)]
    parts = [0] * 8000 + [1] * 2000
    make_map(tmp_path / "map", urls, parts=parts, shard_urls=500)
    table = PartitionMap.open(tmp_path / "map")
    assert {shard.urls for shard in table.manifest.shards} == {500}
    assert [table.part_of_site(url) for url in ("http://huge.example/x", "http://s3.example/x")] == [0, 1]
    assert table.part_by_prefix("http://huge.example/all/zzz") == 0
    assert len(list(table.urls_below("http://huge.example/all/"))) == 9000


def test_many_shards_take_no_descriptors(tmp_path: Path) -> None:
    make_map(tmp_path / "map", shard_urls=2)
    before = len(list(Path("/proc/self/fd").iterdir()))
    table = PartitionMap.open(tmp_path / "map")
    assert len(table.manifest.shards) == 100
    assert table.urls_of(table.numbers(url_hashes(URLS), URLS)) == URLS
    assert all(table.part_by_prefix(url) >= 0 for url in URLS)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


def test_urls_of_a_part_stand_together(tmp_path: Path) -> None:
    """A rank that asks for the URLs of its part touches little else: of a large site that several parts share, too."""
    urls = [f"http://a.example/d{number % 50}/{number}" for number in range(5000)]
    urls += [f"http://s{number % 50}.example/{number}" for number in range(5000)]
    parts = np.arange(10_000) % 50 % 5
    make_map(tmp_path / "map", urls, 5, parts=parts)
    tables = PartitionMap.open(tmp_path / "map")._tables
    shards, sites, directories = tables._ranges.shards_and_groups(urls)
    places = tables._urls.find(shards, sites, directories, url_hashes(urls))
    assert sorted(places.tolist()) == list(range(len(urls)))
    for part in range(5):
        own = places[parts == part]
        assert own.max() - own.min() == len(own) - 1

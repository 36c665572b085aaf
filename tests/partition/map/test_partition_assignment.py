"""Maps as assignments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.assignment.hashing import SiteHash
from partition.assignment.url_prefixes import url_key
from partition.choices import UNKNOWN_RULES
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.url import url_hash, url_hashes
from tests.partition.map.support.maps import make_map

K = 5
KNOWN = {"http://a.example/x/1": 1, "http://a.example/x/2": 1, "https://a.example/x/3": 1, "http://b.example/": 4}
PREFIXES = {"a.example/": 2, "a.example/x/": 3, "a.example/x/1": 0, "c.example/": 1}
URLS = st.builds(
    "{}://{}.example/{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from("abcd"),
    st.sampled_from(["", "x", "x/", "x/1", "x/12", "x/2", "x/3", "y"]),
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PartitionMap:
    folder = tmp_path_factory.mktemp("maps") / "map"
    make_map(
        folder,
        list(KNOWN),
        K,
        parts=list(KNOWN.values()),
        prefixes=list(PREFIXES),
        prefix_parts=list(PREFIXES.values()),
        unknown="site",
    )
    return PartitionMap.open(folder)


def expected_owner(rule: str, rank: int, url: str) -> int:
    """Who owns a URL, said once more."""
    if url in KNOWN:
        return KNOWN[url]
    if rule == "discoverer":
        return rank
    if rule in ("page-hash", "directory"):  # no directory is small in so small a map
        return url_hash(url) % K
    by_hash = SiteHash(K).owners(url_hashes([url]), [url]).item()
    site = url_key(url)[0]
    if rule == "site":
        return {"a": 1, "b": 4, "c": 1}.get(site, by_hash)
    if rule == "prefix":
        prefixes = [prefix for prefix in PREFIXES if url_key(url).startswith(prefix)]
        return PREFIXES[max(prefixes, key=len)] if prefixes else 4 if site == "b" else by_hash
    return by_hash


@given(st.sampled_from(list(UNKNOWN_RULES)), st.integers(0, K - 1), st.lists(URLS, max_size=30))
def test_known_urls_go_to_their_part_and_others_by_rule(
    table: PartitionMap, rule: str, rank: int, urls: list[str]
) -> None:
    assignment = PartitionAssignment(table, rank, rule)
    owners = assignment.owners(url_hashes(urls), urls)
    assert owners.dtype == np.int32
    assert owners.tolist() == [expected_owner(rule, rank, url) for url in urls]


@given(st.sampled_from(list(UNKNOWN_RULES)), st.lists(URLS, max_size=30))
def test_every_rank_gives_a_seed_to_the_same_one(table: PartitionMap, rule: str, urls: list[str]) -> None:
    answers = [
        PartitionAssignment(table, rank, rule).for_seeds().owners(url_hashes(urls), urls).tolist() for rank in range(K)
    ]
    assert answers == [answers[0]] * K
    rule_of_seeds = "prefix" if rule == "discoverer" else rule
    assert answers[0] == [expected_owner(rule_of_seeds, 0, url) for url in urls]


def test_names_say_the_model_and_the_rule(table: PartitionMap) -> None:
    names = {rule: PartitionAssignment(table, 0, rule).name for rule in UNKNOWN_RULES}
    assert names == {
        "prefix": "page-partition",
        "site": "page-partition/site",
        "hash": "page-partition/hash",
        "page-hash": "page-partition/page-hash",
        "directory": "page-partition/directory",
        "discoverer": "page-partition/discoverer",
    }
    assert PartitionAssignment(table, 0).ranks == K


def test_the_maps_own_rule_holds_unless_another_is_given(table: PartitionMap) -> None:
    url = "http://a.example/new"
    hashes = np.array([url_hash(url)], np.uint64)
    assert PartitionAssignment(table, 0).owners(hashes, [url]).tolist() == [1]
    assert PartitionAssignment(table, 0, "prefix").owners(hashes, [url]).tolist() == [2]
    assert PartitionAssignment(table, 0).name == "page-partition/site"

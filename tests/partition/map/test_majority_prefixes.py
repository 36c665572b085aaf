"""Majorities: against one dict per directory."""

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import site_of_key, url_key
from partition.map.majority_prefixes import majority, majority_beneath, majority_prefixes, majority_sites
from tests.partition.models.support.cases import WEBS
from tests.partition.quality.support.webs import SmallWeb

KEYS = st.builds("{}/{}".format, st.sampled_from(["a", "ab", "a:1"]), st.text("xy/?", max_size=8))
ROWS = st.lists(st.tuples(KEYS, st.integers(0, 3), st.integers(0, 3)), max_size=25)


def directories_of(key: str) -> list[str]:
    path, mark, _ = key.partition("?")
    found = [path[: end + 1] for end, letter in enumerate(path) if letter == "/"]
    return found + [path + mark] * bool(mark)


def heaviest(weights: Counter[int]) -> int:
    return min(weights, key=lambda part: (-weights[part], part))


def table_of(rows: list[tuple[str, int, int]]) -> dict[str, int]:
    """The same table, directory by directory."""
    weights: dict[str, Counter[int]] = defaultdict(Counter)
    for key, part, weight in rows:
        for directory in directories_of(key):
            weights[directory][part] += weight
    table: dict[str, int] = {}
    for directory in sorted(weights, key=len):
        around = [other for other in table if directory.startswith(other)]
        part = heaviest(weights[directory])
        if not around or table[max(around, key=len)] != part:
            table[directory] = part
    return table


@given(ROWS)
def test_a_directory_is_in_the_table_where_it_differs_from_the_one_around_it(rows: list[tuple[str, int, int]]) -> None:
    keys, parts, weights = ([row[column] for row in rows] for column in range(3))
    prefixes, own = majority_prefixes(keys, np.array(parts, np.int64), np.array(weights))
    assert dict(zip(prefixes, own.tolist(), strict=True)) == table_of(rows)
    assert len(set(prefixes)) == len(prefixes)
    assert own.dtype == np.int32
    assert {site_of_key(prefix) for prefix in prefixes if prefix.count("/") == 1 and "?" not in prefix} == {
        site_of_key(key) for key in keys
    }


@given(ROWS)
def test_without_weights_each_page_counts_once(rows: list[tuple[str, int, int]]) -> None:
    keys, parts = [row[0] for row in rows], np.array([row[1] for row in rows], np.int64)
    prefixes, own = majority_prefixes(keys, parts)
    assert dict(zip(prefixes, own.tolist(), strict=True)) == table_of([(key, part, 1) for key, part, _ in rows])
    by_site: dict[str, Counter[int]] = defaultdict(Counter)
    for key, part, _ in rows:
        by_site[site_of_key(key)][part] += 1
    assert majority_sites(keys, parts) == {site: heaviest(counts) for site, counts in by_site.items()}


def test_keys_need_not_be_ascii() -> None:
    prefixes, own = majority_prefixes(["ü.example/ä/1", "ü.example/ö/1"], [0, 1])
    assert (prefixes, own.tolist()) == (["ü.example/", "ü.example/ö/"], [0, 1])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 9)), max_size=30))
def test_the_heaviest_part_of_each_group_wins(rows: list[tuple[int, int, int]]) -> None:
    names = sorted({row[0] for row in rows})
    weights: dict[int, Counter[int]] = defaultdict(Counter)
    for group, part, weight in rows:
        weights[names.index(group)][part] += weight
    groups = np.array([names.index(row[0]) for row in rows], np.int64)
    parts, weighed = np.array([row[1] for row in rows], np.int64), np.array([row[2] for row in rows], np.float64)
    assert majority(groups, parts, weighed).tolist() == [heaviest(weights[group]) for group in range(len(names))]


def test_a_third_of_a_million_keys_and_a_thousand_directories_deep() -> None:
    """Quadratic work would take hours."""
    keys = [f"s{number % 997}.example/d{number % 31}/{number}" for number in range(300_000)]
    prefixes, _ = majority_prefixes(keys, np.arange(300_000) % 31 % 4)
    assert 997 <= len(prefixes) <= 997 * 32
    deep = ["a/" + "x/" * number for number in range(1000)]
    prefixes, own = majority_prefixes(deep, np.arange(1000) % 2, np.arange(1000))
    assert prefixes[0] == "a/"
    assert len(prefixes) == len(own) <= 1000


@settings(max_examples=100)
@given(WEBS, st.data())
def test_most_pages_decide_and_the_lowest_of_equals(web: SmallWeb, data: st.DataObject) -> None:
    keys = [url_key(url) for url in web.sizes]
    parts = data.draw(st.lists(st.integers(0, 3), min_size=len(keys), max_size=len(keys)))
    prefixes = sorted({key[:length] for key in keys for length in range(1, len(key) + 1)})
    found = majority_beneath(keys, np.array(parts, np.int32), prefixes)
    assert found.dtype == np.int32
    for prefix, part in zip(prefixes, found.tolist(), strict=True):
        counts = Counter(own for key, own in zip(keys, parts, strict=True) if key.startswith(prefix))
        assert part == min(own for own, count in counts.items() if count == max(counts.values()))


def test_of_nothing_nothing() -> None:
    assert majority_beneath(["a/"], np.zeros(1, np.int32), []).tolist() == []

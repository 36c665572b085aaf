"""Keys, shards and groups of URLs, read from bytes, are what the functions of strings say."""

from bisect import bisect_right

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from partition.assignment.url_prefixes import directories_of_key, url_key
from partition.map.key_ranges import KeyRanges
from partition.map.url_texts import keys_of
from sessions.url import site_of

TEXT = st.text("aé/?@z", max_size=6)
URLS = st.builds(
    "http{}://{}{}/{}".format,
    st.sampled_from(["", "s"]),
    st.sampled_from(["", "u@", "u:p@"]),
    st.text("aé:z", min_size=1),
    TEXT,
)


def fnv_1a(text: str) -> int:
    """As http://www.isthe.com/chongo/tech/comp/fnv/ has it."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def group_of(text: str) -> int:
    return fnv_1a(text) * 0x9E3779B97F4A7C15 % 2**64 >> 32


@given(st.lists(URLS, max_size=10))
def test_keys(urls: list[str]) -> None:
    expected = list(map(url_key, urls))
    found = keys_of(pa.array(urls, pa.large_string()))
    found.validate(full=True)
    assert found.to_pylist() == expected
    assert keys_of(pa.array(["http://x/", *urls], pa.large_string())[1:]).to_pylist() == expected


@given(st.lists(URLS, max_size=10), st.sets(TEXT.filter(bool), max_size=5))
def test_shards_and_groups(urls: list[str], firsts: set[str]) -> None:
    ranges = KeyRanges(["", *sorted(firsts)])
    keys = list(map(url_key, urls))
    for given_urls in (urls, pa.array(urls, pa.large_string()), pa.array(["http://x/", *urls])[1:]):
        shards, sites, directories = ranges.shards_and_groups(given_urls)
        assert shards.tolist() == [bisect_right(ranges.firsts, key) - 1 for key in keys]
        assert sites.tolist() == [group_of(site_of(url)) for url in urls]
        paths = [key.partition("?")[0] for key in keys]
        assert directories.tolist() == [group_of(path[: path.rindex("/") + 1]) for path in paths]


@given(st.lists(TEXT, max_size=10), st.sets(TEXT.filter(bool), max_size=5), TEXT)
def test_keys_that_begin_so_lie_in_the_shards_below(keys: list[str], firsts: set[str], prefix: str) -> None:
    ranges = KeyRanges(["", *sorted(firsts)])
    shards = ranges.shards_below(prefix)
    assert all(ranges.shard_of(prefix + key) in shards for key in keys)


@given(st.sets(TEXT.filter(bool), max_size=5))
def test_a_directory_is_open_in_the_shards_around_each_key_in_it(firsts: set[str]) -> None:
    ranges = KeyRanges(["", *sorted(firsts)])
    for shard, first in enumerate(ranges.firsts):
        for directory in directories_of_key(first):
            assert directory in ranges.open_directories(shard)
            assert directory in ranges.open_directories(shard - 1)

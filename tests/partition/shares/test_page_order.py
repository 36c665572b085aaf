"""The order in which pages are given to ranks."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from partition.communication.ranks import Ranks
from partition.shares.page_order import are_stand_ins, order_keys, stretches

LABELS = st.lists(st.sampled_from(["a", "b", "a-b", "example", "org"]), min_size=1, max_size=4).map(".".join)
PORTS = st.sampled_from(["", ":8080"])
PATHS = st.text("a/-?z", max_size=6)
URLS = st.builds("http{}://{}{}/{}".format, st.sampled_from(["", "s"]), LABELS, PORTS, PATHS)


def rows(urls: list[str]) -> pa.Array:
    return pa.array(urls, pa.large_string())


@given(st.lists(URLS, max_size=12))
def test_pages_are_in_order_of_reversed_host_and_path(urls: list[str]) -> None:
    def by_definition(url: str) -> tuple[list[str], str]:
        host, _, path = url.partition("://")[2].partition("/")
        return host.split(".")[::-1], path

    keys = order_keys(rows(urls), has_urls=True).to_pylist()
    by_key = sorted(range(len(urls)), key=lambda page: (keys[page].encode(), page))
    assert by_key == sorted(range(len(urls)), key=lambda page: (*by_definition(urls[page]), page))


@given(st.lists(st.integers(0, 10**15), max_size=12))
def test_pages_without_urls_are_in_order_of_their_numbers(numbers: list[int]) -> None:
    urls = rows([f"http://pages.invalid/{number}" for number in numbers])
    assert are_stand_ins(urls)
    keys = order_keys(urls, has_urls=False).to_pylist()
    assert sorted(numbers) == [number for _, number in sorted(zip(keys, numbers, strict=True))]
    assert not are_stand_ins(rows([*urls.to_pylist(), "http://a.example/"]))


def test_one_rank_has_the_whole_stretch() -> None:
    assert stretches(Ranks(), rows(["b", "a", "c"]), np.array([1, 5, 1])).tolist() == [0, 0, 0]
    assert stretches(Ranks(), rows([]), np.empty(0, np.int64)).dtype == np.int64

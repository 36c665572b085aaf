"""Rows on disk come back as they were, and a sample of them does not depend on how they came."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.assignment.url_prefixes import url_key
from partition.communication.ranks import Ranks
from partition.map.key_sample import KeySample
from partition.map.spilled_rows import NO_ROWS, Rows, SpilledRows
from sessions.url import url_hashes

PIECES = st.lists(st.tuples(st.integers(0, 2), st.lists(st.text("aé/"), max_size=5)), max_size=8)


def rows_of(urls: list[str]) -> Rows:
    return Rows(pa.array(urls, pa.large_string()), url_hashes(urls), np.arange(len(urls), dtype=np.uint16))


@given(PIECES)
def test_each_group_is_read_by_itself(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[int, list[str]]]
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows"
    with SpilledRows(path) as spilled:
        for group, urls in pieces:
            spilled.append(rows_of(["left out", *urls]).slice(1, 1 + len(urls)), group)
        for group in range(3):
            expected = [urls for its, urls in pieces if its == group]
            assert [rows.urls.to_pylist() for rows in spilled.read(group)] == expected
            found = spilled.all(group)
            assert found.urls.to_pylist() == [url for urls in expected for url in urls]
            assert found.hashes.tolist() == [each for urls in expected for each in url_hashes(urls).tolist()]
            assert found.parts.tolist() == [number + 1 for urls in expected for number in range(len(urls))]
    assert not path.exists()


@given(st.permutations(range(60)), st.integers(1, 60), st.integers(1, 9))
def test_shards_begin_at_the_same_keys_in_whatever_order_rows_come(order: list[int], size: int, shards: int) -> None:
    urls = [f"http://a.example/{number:02}" for number in range(60)]
    sample = KeySample(most=20)
    for begin in range(0, 60, size):
        sample.add(rows_of([urls[number] for number in order[begin : begin + size]]))
    chosen = sorted(map(url_key, sorted(urls, key=lambda url: int(url_hashes([url])[0]))[:20]))
    assert sample.firsts(shards, Ranks()) == ["", *(chosen[20 * shard // shards] for shard in range(1, shards))]


def test_of_no_rows_there_is_one_shard() -> None:
    sample = KeySample()
    sample.add(NO_ROWS)
    assert sample.firsts(3, Ranks()) == [""]

"""Batches on the wire: known URLs as numbers, the others as text."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.exchange.wire_format import Wire, encode_numbered
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.batch_columns import BatchColumns
from crawler.urls.front_coding import encode
from partition.map.partition_map import PartitionMap
from sessions.url import url_hash
from tests.crawler.support.batches import batch_of, bounds_of, rows_of
from tests.crawler.support.url_strategies import BATCHES
from tests.partition.map.support.maps import URLS, make_map

COLUMNS = st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, 7))
KNOWN_ROWS = st.lists(st.tuples(st.sampled_from(URLS), COLUMNS), max_size=30)


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    folder = tmp_path_factory.mktemp("maps") / "map"
    make_map(folder, shard_urls=60)
    return Wire(PartitionMap.open(folder))


@given(BATCHES, KNOWN_ROWS, st.randoms(use_true_random=False))
def test_known_and_unknown_urls_arrive_together(wire: Wire, strangers: UrlBatch, known, random) -> None:  # type: ignore[no-untyped-def]
    rows = [(url, url_hash(url), *columns) for url, columns in known] + rows_of(strangers)
    random.shuffle(rows)
    batch = batch_of(*([row[column] for row in rows] for column in (0, 2, 3, 4)))
    data, numbers = wire.encode(batch)
    assert numbers == len(known)
    decoded = wire.decode(memoryview(bytearray(data)))
    assert sorted(rows_of(decoded)) == sorted(rows)
    for column in ("hashes", "depths", "hops", "flags"):
        assert getattr(decoded, column).dtype == getattr(batch, column).dtype


@given(st.lists(st.tuples(BATCHES, KNOWN_ROWS), max_size=4))
def test_of_many_batches_each_is_encoded_as_if_alone(wire: Wire, drawn) -> None:  # type: ignore[no-untyped-def]
    batches = []
    for strangers, known in drawn:
        rows = rows_of(strangers) + [(url, url_hash(url), *columns) for url, columns in known]
        batches.append(batch_of(*([row[column] for row in rows] for column in (0, 2, 3, 4))))
    encoded = wire.encode_all(joined(batches), bounds_of(batches))
    assert encoded == [wire.encode(batch) for batch in batches]
    weights, arranged = wire.weigh_and_arrange(joined(batches), bounds_of(batches))
    assert list(zip(*(column.tolist() for column in weights), strict=True)) == [
        (len(payload), numbers) for payload, numbers in encoded
    ]
    assert rows_of(arranged) == [row for payload, _ in encoded for row in rows_of(wire.decode(payload))]
    assert Wire().encode_all(joined(batches), bounds_of(batches)) == [(encode(batch), 0) for batch in batches]


def test_nothing_is_no_bytes(wire: Wire) -> None:
    assert wire.encode(batch_of([])) == (b"", 0)
    assert len(wire.decode(b"")) == 0


@given(BATCHES)
def test_without_a_map_all_is_text(batch: UrlBatch) -> None:
    data, numbers = Wire().encode(batch)
    assert (data, numbers) == (encode(batch), 0)
    assert rows_of(Wire().decode(data)) == rows_of(batch)


def test_a_number_takes_a_few_bytes_where_text_takes_tens(wire: Wire) -> None:
    batch = batch_of(sorted(URLS))
    data, numbers = wire.encode(batch)
    assert numbers == len(URLS)
    assert len(data) < 2 * len(URLS) + 64
    assert len(data) < len(encode(batch)) / 2
    mixed = batch_of(sorted([*URLS, "http://new.example/"]))
    assert len(wire.encode(mixed)[0]) < len(data) + 100


MIXED = batch_of([*URLS[:20], "http://new.example/1", "http://new.example/2"], list(range(22)))


@pytest.mark.parametrize("count", [1_000, 30_000])
def test_of_a_table_of_a_million_a_known_url_takes_three_bytes_at_most(count: int) -> None:
    dice = np.random.default_rng(1)
    numbers = np.sort(dice.choice(1_000_000, count, replace=False))
    flags, hops = ((dice.random(count) < share).astype(np.uint8) for share in (0.03, 0.02))
    depths = dice.poisson(4, count).astype(np.uint16)
    batch = UrlBatch([""] * count, numbers.astype(np.uint64), depths, hops, flags)
    [(data, known)] = encode_numbered(BatchColumns.of(batch), numbers)
    assert known == count
    assert len(data) <= 3 * count


def test_cut_data_is_refused(wire: Wire) -> None:
    data, _ = wire.encode(MIXED)
    numbered_only = len(wire.encode(batch_of(URLS[:20], list(range(20))))[0])
    for length in range(1, len(data)):
        if length != numbered_only:  # there a batch of numbers ends in good order
            with pytest.raises(ValueError, match="damaged batch"):
                wire.decode(data[:length])


def test_flipped_bits_are_noticed(wire: Wire) -> None:
    data, _ = wire.encode(MIXED)
    for position in range(4, len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[position] ^= 1 << bit
            with pytest.raises(ValueError, match="damaged batch"):
                wire.decode(bytes(damaged))


@given(st.binary(min_size=1, max_size=100))
def test_other_bytes_are_refused(wire: Wire, data: bytes) -> None:
    if data[:4] != bytes(4) or len(data) > 4:
        with pytest.raises(ValueError, match="damaged batch"):
            wire.decode(data)


def test_numbers_that_no_url_has_are_refused(wire: Wire, tmp_path: Path) -> None:
    """Two ranks with different maps would get here, if the crawl had not refused them."""
    more = [*URLS, *(f"http://more.example/{number}" for number in range(300))]
    make_map(tmp_path / "larger", more)
    larger = Wire(PartitionMap.open(tmp_path / "larger"))
    data, numbers = larger.encode(batch_of(more))
    assert numbers == len(more)
    with pytest.raises(ValueError, match="damaged batch of numbered URLs"):
        wire.decode(data)


def test_columns_keep_their_values(wire: Wire) -> None:
    count = len(URLS)
    numbers = np.arange(count)
    batch = batch_of(URLS, (numbers * 300).tolist(), (numbers % 256).tolist(), (numbers % 8).tolist())
    decoded = wire.decode(wire.encode(batch)[0])
    assert sorted(rows_of(decoded)) == sorted(rows_of(batch))

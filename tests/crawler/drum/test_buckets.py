"""Buckets: what is added is read again, by leading bits, in order of arrival."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.aux_file import encoded
from crawler.drum.buckets import Buckets
from crawler.drum.chunk_file import Meter
from crawler.drum.disk_files import OwnFiles
from crawler.drum.shape import Shape
from crawler.drum.staging import Staging
from sessions.session import SessionError
from tests.crawler.drum.support.oracle import KINDS, Operation, columns, operations

KIND = KINDS["seen"]
SHAPES = [
    Shape(buckets=1, buffer=64, bucket=8, block=64, batch=8, table=0),
    Shape(buckets=4, buffer=200, bucket=8, block=64, batch=8, table=0),
    Shape(buckets=8, buffer=5000, bucket=8, block=64, batch=8, table=0),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("buckets")


def filled(own: OwnFiles, shape: Shape, batches: list[list[Operation]]) -> Buckets:
    buckets = Buckets(own, KIND, shape, Meter(), 0)
    for batch in batches:
        staging = Staging(KIND, 100, 10**6)
        keys, codes, values, notes, aux = columns(KIND, batch)
        staging.add(keys, codes, values, notes, aux if any(aux) else None)
        buckets.add(*staging.take())
    return buckets


def read(buckets: Buckets, bucket: int) -> tuple[Any, bytes]:
    records = buckets.read(bucket)
    return list(
        zip(*(records[name].tolist() for name in ("key", "operation", "value", "notes")), strict=True)
    ), b"".join(buckets.read_aux(bucket))


@settings(max_examples=50)
@given(st.sampled_from(SHAPES), st.lists(operations(KIND), max_size=5), st.integers(0, 5))
def test_a_bucket_has_its_records_in_order_of_arrival(
    folder: Path, shape: Shape, batches: list[list[Operation]], written_after: int
) -> None:
    own = OwnFiles(folder, "x")
    buckets = filled(own, shape, batches[:written_after])
    buckets.write_out()
    for batch in batches[written_after:]:
        staging = Staging(KIND, 100, 10**6)
        staging.add(*columns(KIND, batch))
        buckets.add(*staging.take())
    buckets.write_out()
    everything = [one for batch in batches for one in batch]
    assert buckets.counts.sum() == len(everything)
    for bucket in range(shape.buckets):
        own_ones = [one for one in everything if one.key >> (64 - shape.prefix_bits) == bucket]
        records, aux = read(buckets, bucket)
        assert records == [one[:1] + one[1:4] for one in own_ones]
        assert aux == encoded([one.aux for one in own_ones])
    assert sorted(buckets.paths) == sorted(folder.glob("x.000000.*"))


def test_what_is_missing_is_noticed(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path, "x")
    buckets = filled(own, SHAPES[0], [[Operation(5, 1, (1, 1), (1, 1), "a")] * 3])
    buckets.write_out()
    buckets.counts += 1
    with pytest.raises(SessionError, match=r"x\.000000\.0000\.records: 57 bytes of records, but 76 were written"):
        buckets.read(0)
    (tmp_path / "x.000000.0000.aux").unlink()
    with pytest.raises(SessionError, match=r"x\.000000\.0000\.aux"):
        list(buckets.read_aux(0))


def test_buffers_keep_small_batches_off_the_disk(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path / "sub", "x")
    buckets = filled(own, SHAPES[2], [[Operation(5, 1, (1, 1), (1, 1), "a")] * 50])
    assert not (tmp_path / "sub").exists()
    buckets.write_out()
    assert len(list((tmp_path / "sub").iterdir())) == 2
    assert np.array_equal(buckets.read(0)["key"], np.full(50, 5))

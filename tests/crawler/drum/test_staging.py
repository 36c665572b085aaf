"""Records that wait to be distributed."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.aux_file import encoded_lengths
from crawler.drum.kind import CHECK
from crawler.drum.staging import Staging
from tests.crawler.drum.support.oracle import KINDS, columns, operations


@settings(max_examples=50)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_records_come_out_as_they_went_in(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    staging = Staging(kind, 100, 10**6)
    batches = data.draw(st.lists(st.tuples(operations(kind, most=12), st.booleans()), max_size=4))
    for batch, has_aux in batches:
        keys, codes, values, notes, aux = columns(kind, batch)
        staging.add(keys, codes, values, notes, aux if has_aux else None)
    expected = [one if has_aux else one._replace(aux="") for batch, has_aux in batches for one in batch]
    assert len(staging) == len(expected)
    assert staging.room == 100 - len(expected)
    records, strings = staging.take()
    keys, codes, values, notes, aux = columns(kind, expected)
    for column, put in zip(("key", "operation", "value", "notes"), (keys, codes, values, notes), strict=True):
        assert records[column].tolist() == put.tolist()
    assert records["aux"].tolist() == encoded_lengths(aux)
    assert strings == aux or not (strings or any(aux))
    assert len(staging) == 0
    assert staging.room == 100


def add(staging: Staging, kind: Any, count: int, aux: list[str] | None) -> None:
    zeros = np.zeros(count, np.uint64)
    staging.add(zeros, np.full(count, CHECK, np.uint8), np.zeros(count, kind.value), np.zeros(count, kind.note), aux)


def test_heavy_strings_leave_no_room() -> None:
    kind = KINDS["set"]
    staging = Staging(kind, 100, 1000)
    add(staging, kind, 3, ["x", "y", "z"])
    assert staging.room == 97
    add(staging, kind, 1, ["x" * 1000])
    assert staging.room == 0
    staging.take()
    assert staging.room == 100

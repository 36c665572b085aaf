"""Merging a batch with the sorted file, against a dict."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.drum.batch import Batch
from crawler.drum.chunk_file import Meter
from crawler.drum.merging import merge_sorted
from crawler.drum.sorted_file import SortedReader, SortedWriter
from tests.crawler.drum.support.oracle import KINDS, POOL, Oracle, columns, operations, rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("merging")


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 300), st.data())
def test_the_next_generation_has_what_a_dict_has(folder: Path, name: str, block: int, data: st.DataObject) -> None:
    kind = KINDS[name]
    content: dict[int, Any] = data.draw(st.dictionaries(st.sampled_from(POOL), rows(kind.value), max_size=30))
    played = data.draw(operations(kind).filter(len))
    oracle = Oracle(kind, content)
    oracle.play(played)
    blocks = []
    ascending = sorted(content.items())
    for start in range(0, len(ascending), 4):
        piece = ascending[start : start + 4]
        blocks.append((np.array([key for key, _ in piece], np.uint64), np.array([row for _, row in piece], kind.value)))
    keys, codes, values, _, _ = columns(kind, played)
    (folder / "x").unlink(missing_ok=True)
    new = SortedWriter(folder / "x", kind, 1, block, Meter())
    merge_sorted(Batch(kind, keys, codes, values), iter(blocks), new)
    reader = SortedReader(folder / "x", kind, 1, new.close(), Meter())
    got = [
        pair
        for some_keys, some_values in reader.below(1 << 64)
        for pair in zip(some_keys.tolist(), some_values.tolist(), strict=True)
    ]
    assert got == sorted(oracle.values.items())

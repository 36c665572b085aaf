"""Columns as text, against Python's own formatting."""

import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.export import fast_text as module
from partition.export.fast_text import blocks, write_joined, write_tsv

ROWS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.text(max_size=5)), max_size=8)


@given(ROWS, st.text(max_size=3), st.integers(0, 3))
def test_rows_are_their_cells_joined(rows: list[tuple[int, str]], between: str, skipped: int) -> None:
    numbers = pa.array([number for number, _ in rows], pa.int64())[skipped:]
    strings = pa.array([string for _, string in rows], pa.large_string())[skipped:]
    file = io.BytesIO()
    write_joined(file, [numbers, between, strings, "\n"])
    assert file.getvalue().decode() == "".join(f"{number}{between}{string}\n" for number, string in rows[skipped:])


@pytest.mark.parametrize("rows", [0, 1, 6, 7])
def test_tables_are_written_block_by_block(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROWS_PER_BLOCK", 3)
    chunks = pa.chunked_array([["a"] * (rows // 2), ["b"] * (rows - rows // 2)], pa.string())
    table = pa.table({"number": np.arange(rows), "letter": chunks})
    assert [len(block) for block in blocks(table)] == {0: [], 1: [1], 6: [3, 3], 7: [3, 3, 1]}[rows]
    file = io.BytesIO()
    write_tsv(file, table)
    assert file.getvalue().decode() == "".join(f"{at}\t{'ab'[at >= rows // 2]}\n" for at in range(rows))

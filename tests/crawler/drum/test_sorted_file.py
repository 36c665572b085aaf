"""Generations of the sorted file."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.drum.chunk_file import ChunkWriter, Meter
from crawler.drum.kind import Kind
from crawler.drum.sorted_file import SortedReader, SortedWriter, header_of, read_blocks
from sessions.session import SessionError
from tests.crawler.drum.support.oracle import KINDS, POOL, rows

ALL = 1 << 64


def contents(kind: Kind) -> st.SearchStrategy[dict[int, Any]]:
    return st.dictionaries(st.sampled_from(POOL), rows(kind.value), max_size=30).map(lambda d: dict(sorted(d.items())))


def arrays(kind: Kind, content: dict[int, Any]) -> tuple[Any, Any]:
    return np.array(list(content), np.uint64), np.array(list(content.values()), kind.value)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sorted") / "x.sorted"


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 200), st.data())
def test_keys_are_read_range_by_range(path: Path, name: str, block: int, data: st.DataObject) -> None:
    kind = KINDS[name]
    content = data.draw(contents(kind))
    keys, values = arrays(kind, content)
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(keys)), max_size=4))), len(keys)]
    path.unlink(missing_ok=True)
    writer = SortedWriter(path, kind, 3, block, Meter())
    for start, end in pairwise(cuts):
        writer.write(keys[start:end], values[start:end])
    end = writer.close()
    assert writer.count == len(content)
    reader = SortedReader(path, kind, 3, end, Meter())
    bounds = sorted(data.draw(st.lists(st.sampled_from([*POOL, 5, ALL]), max_size=4)))
    got: dict[int, Any] = {}
    for bound in [*bounds, ALL]:
        for some_keys, some_values in reader.below(bound):
            got |= zip(some_keys.tolist(), some_values.tolist(), strict=True)
            some_keys[:] = 0
        assert list(got) == [key for key in content if key < bound]
    assert got == content


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 200), st.data())
def test_the_blocks_that_may_have_some_keys_are_read_and_hardly_more(
    path: Path, name: str, block: int, data: st.DataObject
) -> None:
    kind = KINDS[name]
    content = data.draw(contents(kind))
    path.unlink(missing_ok=True)
    writer = SortedWriter(path, kind, 3, block, Meter())
    writer.write(*arrays(kind, content))
    writer.close()
    asked = np.array(sorted(data.draw(st.lists(st.sampled_from([*POOL, 5]), max_size=6))), np.uint64)
    blocks = list(read_blocks(path, kind, 3, writer.index.spans(asked), Meter()))
    assert len(blocks) <= len(asked)
    got = {key: row for keys, rows in blocks for key, row in zip(keys.tolist(), rows.tolist(), strict=True)}
    assert list(got) == sorted(got)
    assert got.items() <= content.items()
    assert set(asked.tolist()) & set(content) <= set(got)


def test_a_file_without_its_count_is_damaged(tmp_path: Path) -> None:
    kind = Kind()
    path = tmp_path / "x.sorted"
    writer = ChunkWriter(path, header_of(kind, 0), Meter())
    writer.append(np.array([1, 7], np.uint64).tobytes())
    with pytest.raises(SessionError, match=r"x\.sorted: .*the number of keys is missing"):
        list(SortedReader(path, kind, 0, writer.end, Meter()).below(ALL))
    writer.append(np.array([2**64 - 1, 2], np.uint64).tobytes())
    with pytest.raises(SessionError, match=r"x\.sorted: .*1 keys, but 2 were written"):
        list(SortedReader(path, kind, 0, writer.end, Meter()).below(ALL))


def test_another_generation_is_not_taken_for_it(tmp_path: Path) -> None:
    writer = SortedWriter(tmp_path / "x", Kind(), 3, 100, Meter())
    end = writer.close()
    with pytest.raises(SessionError, match=r"sorted generation 3 .* not sorted generation 4"):
        SortedReader(tmp_path / "x", Kind(), 4, end, Meter())

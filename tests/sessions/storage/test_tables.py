"""Tables written and read back."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64

from sessions.schema import PAGES, TABLES, Page
from sessions.storage.tables import ROWS_PER_GROUP, TableFile, TableWriter, read_batches, read_table

VALUES = {
    pa.string(): st.text(max_size=8),
    pa.uint8(): st.integers(0, 2**8 - 1),
    pa.uint16(): st.integers(0, 2**16 - 1),
    pa.uint32(): st.integers(0, 2**32 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.list_(pa.field("element", pa.string())): st.lists(st.text(max_size=8), max_size=3),
    pa.binary(20): st.binary(min_size=20, max_size=20),
    pa.binary(): st.binary(max_size=8),
    pa.timestamp("us", tz="UTC"): st.integers(0, 2**50),
}


def rows_of(table: str) -> st.SearchStrategy[list[list[list[object]]]]:
    """Batches of rows of a table, each as a list of columns."""

    def columns(count: int) -> st.SearchStrategy[list[list[object]]]:
        cells = [st.one_of(st.none(), VALUES[field.type]) for field in TABLES[table]]
        return st.tuples(*(st.lists(cell, min_size=count, max_size=count) for cell in cells)).map(list)

    return st.lists(st.integers(0, 4).flatmap(columns), max_size=4)


@pytest.mark.parametrize("table", TABLES)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=30, deadline=None
)
@given(data=st.data())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, table: str, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("tables")
    epochs = data.draw(st.lists(rows_of(table), min_size=1, max_size=3))
    writer = TableWriter(folder, table, "run")
    files: list[TableFile] = []
    expected: list[list[object]] = [[] for _ in TABLES[table]]
    for number, batches in enumerate(epochs, start=1):
        rows = 0
        for batch in batches:
            writer.append(batch)
            rows += len(batch[0])
            for column, more in zip(expected, batch, strict=True):
                column += more
        finished = writer.close_epoch(number)
        assert (finished is None) == (rows == 0)
        if finished is not None:
            assert finished.rows == rows
            files.append(finished)
    read = read_table(table, [folder / file.name for file in files])
    assert read.schema == TABLES[table]
    for field, column in zip(TABLES[table], expected, strict=True):
        assert read[field.name].equals(pa.chunked_array([pa.array(column, field.type)])), field.name
    assert sorted(path.name for path in folder.iterdir()) == sorted(file.name for file in files)


def append_urls(writer: TableWriter, count: int) -> None:
    hashes = np.arange(count, dtype=np.uint64)
    urls = [f"http://a.example/{number}" for number in range(count)]
    writer.append([hashes, urls, np.zeros(count, np.uint16), np.zeros(count, np.uint8)])


def test_a_file_says_its_length_and_checksum(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path, "urls", "run")
    append_urls(writer, 1000)
    file = writer.close_epoch(7)
    assert file is not None
    data = (tmp_path / file.name).read_bytes()
    assert file == ("urls-000007-run.parquet", len(data), 1000, xxh3_64(data).hexdigest())


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path, "urls", "run")
    append_urls(writer, ROWS_PER_GROUP)
    assert [path.name for path in tmp_path.iterdir()] == [".urls-run.partial"]
    writer.close_epoch(1)
    assert [path.name for path in tmp_path.iterdir()] == ["urls-000001-run.parquet"]


def test_row_groups_are_bounded(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path, "urls", "run")
    append_urls(writer, ROWS_PER_GROUP + 5)
    append_urls(writer, ROWS_PER_GROUP - 10)
    file = writer.close_epoch(1)
    assert file is not None
    metadata = pq.read_metadata(tmp_path / file.name)
    assert metadata.num_rows == file.rows == 2 * ROWS_PER_GROUP - 5
    assert max(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)) <= ROWS_PER_GROUP


def test_row_groups_are_bounded_by_the_memory_of_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions.storage.tables._BYTES_PER_GROUP", 1000)
    writer = TableWriter(tmp_path, "urls", "run")
    for rows in (3, 1000, 1000, 3):
        append_urls(writer, rows)
    file = writer.close_epoch(1)
    assert file is not None
    metadata = pq.read_metadata(tmp_path / file.name)
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [1003, 1000, 3]


def test_memory_that_a_row_group_took_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given_back = []
    monkeypatch.setattr("sessions.storage.tables.release_memory", lambda: given_back.append(len(given_back)))
    writer = TableWriter(tmp_path, "links", "run-a")
    for number in range(5):
        rows = np.arange(ROWS_PER_GROUP // 2, dtype=np.uint64)
        writer.append([rows, rows + number, np.zeros(len(rows), np.uint8)])
    assert len(given_back) == 2
    writer.close_epoch(1)
    assert len(given_back) == 3


def test_batches_are_all_rows_and_those_that_were_read_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.storage.tables.ROWS_PER_GROUP", 5_000)
    writer = TableWriter(tmp_path, "links", "run")
    hashes = np.arange(500_000, dtype=np.uint64)
    writer.append([hashes, hashes[::-1], np.zeros(len(hashes), np.uint8)])
    finished = writer.close_epoch(1)
    assert finished is not None
    before, first, most = pa.total_allocated_bytes(), 0, 0
    for batch in read_batches("links", [tmp_path / finished.name], ["source", "target"], 2_000):
        assert batch["source"].to_numpy().tolist() == list(range(first, first + batch.num_rows))
        assert batch.num_rows <= 2_000
        first += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert first == len(hashes)
    assert most < hashes.nbytes / 4


def test_an_epoch_without_rows_has_no_file(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path, "urls", "run")
    assert writer.close_epoch(1) is None
    append_urls(writer, 0)
    assert writer.close_epoch(2) is None
    assert list(tmp_path.iterdir()) == []


def test_wrong_columns_are_refused(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path, "urls", "run")
    with pytest.raises(ValueError, match="zip"):
        writer.append([np.zeros(1, np.uint64)])
    with pytest.raises((pa.ArrowInvalid, OverflowError)):
        writer.append([[-1], ["http://a.example/"], [0], [0]])


def test_missing_columns_read_as_nulls(tmp_path: Path) -> None:
    pq.write_table(pa.table({"hash": pa.array([1, 2], pa.uint64()), "more": ["x", "y"]}), tmp_path / "old.parquet")
    read = read_table("urls", [tmp_path / "old.parquet"])
    assert read.to_pylist() == [{"hash": number, "url": None, "depth": None, "hops": None} for number in (1, 2)]


def test_some_columns_can_be_read(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path, "urls", "run")
    append_urls(writer, 3)
    file = writer.close_epoch(1)
    assert file is not None
    read = read_table("urls", [tmp_path / file.name], ["url"])
    assert read.column_names == ["url"]
    assert len(read) == 3


def test_no_files_are_an_empty_table() -> None:
    assert read_table("links", []).schema == TABLES["links"]


def test_page_rows_have_the_columns_of_the_table() -> None:
    assert list(Page._fields) == PAGES.names

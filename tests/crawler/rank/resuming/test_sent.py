"""Which targets were delivered, and on what ways, against plain loops over links and pages."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.rank.resuming.rows import Rows
from crawler.rank.resuming.sent import delivered
from sessions.schema import NOFOLLOW, REDIRECT, TABLES, UNFOLLOWED
from sessions.session import CommittedTable

PAGES = st.dictionaries(st.integers(1, 6), st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1)
LINKS = st.lists(
    st.tuples(st.integers(1, 8), st.integers(10, 20), st.sampled_from([0, NOFOLLOW, REDIRECT, UNFOLLOWED]))
)
Files = list[CommittedTable]


class FilesOnly(Rows):
    """Rows of files that are in no session."""

    def __init__(self, files: Files) -> None:
        self._all = files

    def files(self, table: str) -> Files:
        return [file for file in self._all if file.table == table]


def written(folder: Path, epoch: int, table: str, rows: Sequence[dict[str, Any]]) -> CommittedTable:
    path = folder / f"{table}-{epoch}"
    names = list(rows[0]) if rows else TABLES[table].names
    schema = pa.schema([TABLES[table].field(name) for name in names])
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), path)
    return CommittedTable(path, table, 0, "run", epoch, epoch, 0, len(rows), "")


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(st.tuples(PAGES, LINKS), max_size=3), st.sampled_from([UNFOLLOWED, UNFOLLOWED | NOFOLLOW]))
def test_targets_of_links_were_delivered_on_the_ways_of_their_pages(
    epochs: list[tuple[dict[int, tuple[int, int]], list[tuple[int, int, int]]]], unfollowed: int
) -> None:
    expected = []
    with TemporaryDirectory() as name:
        files: Files = []
        for epoch, (pages, links) in enumerate(epochs, 1):
            rows = [{"hash": page, "depth": depth, "hops": hops} for page, (depth, hops) in pages.items()]
            files.append(written(Path(name), epoch, "pages", rows))
            of_links = [{"source": source, "target": target, "flags": flags} for source, target, flags in links]
            files.append(written(Path(name), epoch, "links", of_links))
            for source, target, flags in links:
                if source in pages and not flags & unfollowed:
                    depth, hops = pages[source]
                    expected.append((target, depth, hops + 1) if flags & REDIRECT else (target, depth + 1, 0))
        found = [
            way
            for told in delivered(FilesOnly(files), unfollowed)
            for way in zip(told.hashes.tolist(), told.depths.tolist(), told.hops.tolist(), strict=True)
        ]
    assert found == expected

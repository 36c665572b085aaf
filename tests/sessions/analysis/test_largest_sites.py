"""Sites by their pages, against a count in Python."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.analysis.largest_sites import SiteFigures, _counted, largest_sites
from sessions.session import Session

PAGES = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from([200, 204, 301, 304, 404, 410, 503]), st.integers(0, 9)),
    max_size=40,
)


class Pages:
    """Stands for a session: its pages in batches of some rows."""

    def __init__(self, pages: list[tuple[str, int, int]], rows: int) -> None:
        self._batches = [pages[start : start + rows] for start in range(0, len(pages), rows)]

    def batches(self, _table: str, names: list[str]) -> list[pa.RecordBatch]:
        types = [pa.string(), pa.uint16(), pa.uint64()]
        return [
            pa.record_batch(
                [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)], names
            )
            for rows in self._batches
        ]


@settings(derandomize=True, deadline=None)
@given(pages=PAGES, rows=st.integers(1, 9), most=st.integers(1, 5))
def test_sites_are_counted(pages: list[tuple[str, int, int]], rows: int, most: int) -> None:
    of_site: dict[str, Counter[int]] = {}
    sizes: Counter[str] = Counter()
    for site, status, size in pages:
        of_site.setdefault(site, Counter())[status // 100] += 1
        sizes[site] += size
    expected = [
        SiteFigures(site, kinds.total(), kinds[2], kinds[3], kinds[4] + kinds[5], sizes[site])
        for site, kinds in sorted(of_site.items(), key=lambda item: (-item[1].total(), item[0]))
    ]
    assert largest_sites(Pages(pages, rows), most) == expected[:most]  # type: ignore[arg-type]


def test_of_a_session(good_session: Path) -> None:
    session = Session.open(good_session)
    sites = largest_sites(session, 1000)
    assert sum(site.pages for site in sites) == len(session.read("pages", ["hash"]))
    assert {site.site for site in sites} == set(session.read("pages", ["site"])["site"].to_pylist())


@pytest.mark.parametrize("status", [0, 199, 600])
def test_other_statuses_are_pages_all_the_same(status: int) -> None:
    batch = pa.record_batch(
        [pa.array(["a"]), pa.array([status], pa.uint16()), pa.array([1], pa.uint64())], ["site", "status", "bytes"]
    )
    assert _counted(batch).to_pylist() == [
        {"site": "a", "pages": 1, "good": 0, "redirects": 0, "errors": 0, "bytes": 1}
    ]

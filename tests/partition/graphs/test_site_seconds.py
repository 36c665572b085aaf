"""Tables of the seconds that sites take: what is made of them, and what is wrong with some."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.graphs.link_graph import GraphError
from partition.graphs.site_seconds import with_seconds
from sessions.url import site_of
from tests.partition.quality.support.webs import SmallWeb, ring, webs

SITE = "site0.example"  # one of the ring's


def written(path: Path, table: dict[str, float], kind: str) -> Path:
    if kind == "parquet":
        pq.write_table(pa.table({"seconds": list(table.values()), "site": list(table)}), path)
    else:
        rows = [f"{seconds}\tnote\t{site}" for site, seconds in table.items()]
        path.write_text("\n".join(["seconds\tnote\tsite", *rows]) + "\n")
    return path


@settings(max_examples=40)
@given(webs(), st.data())
def test_pages_take_what_their_sites_do_and_the_others_the_mean(
    tmp_path_factory: pytest.TempPathFactory, web: SmallWeb, data: st.DataObject
) -> None:
    sites = sorted({site_of(page) for page in web.sizes})
    known = data.draw(st.lists(st.sampled_from(sites), min_size=1, unique=True))
    table = {site: data.draw(st.integers(0, 10**6)) / 1000 for site in [*known, "elsewhere.example"]}
    kind = data.draw(st.sampled_from(["parquet", "text"]))
    path = written(tmp_path_factory.mktemp("seconds") / "table", table, kind)
    of_pages = [table.get(site_of(page)) for page in web.sizes]
    told = [seconds for seconds in of_pages if seconds is not None]
    wanted = [sum(told) / len(told) if seconds is None else seconds for seconds in of_pages]
    found = with_seconds(web.graph(), path).microseconds
    assert found is not None
    assert found.dtype == np.int64
    assert found.tolist() == pytest.approx([1e6 * seconds for seconds in wanted], abs=0.51)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no rows"),
        ("site\tseconds\n", "has no rows"),
        ("host\tseconds\na\t1\n", "has no column 'site', only 'host, seconds'; it needs site and seconds"),
        (f"site\tseconds\n{SITE}\tlong\n", "line 2: 'long' is not a number of seconds"),
        (f"site\tseconds\n{SITE}\t-1\n", f"line 2: {SITE} takes -1 seconds; it must be from 0 to 86,400"),
        (f"site\tseconds\n{SITE}\tnan\n", f"line 2: {SITE} takes nan seconds"),
        (f"site\tseconds\n{SITE}\t1e9\n", f"line 2: {SITE} takes 1e\\+09 seconds"),
        (f"site\tseconds\n{SITE}\n", "line 2: has 1 columns, and the first line 2"),
        (f"site\tseconds\n{SITE}\t1\n{SITE}\t2\n", f"line 3: {SITE} has a row already"),
        ("site\tseconds\nelsewhere.example\t1\n", "has none of the session's sites, such as site"),
        ("PAR1 is no Parquet", "cannot be read as Parquet"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_in_a_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(GraphError, match=told) as raised:
        with_seconds(ring().graph(), path)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


def test_a_table_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="none: No such file"):
        with_seconds(ring().graph(), tmp_path / "none")
    with pytest.raises(GraphError, match="is a folder, not a file"):
        with_seconds(ring().graph(), tmp_path)
    for name, columns in (("null", {"site": [SITE, None], "seconds": [1.0, 2.0]}), ("none", {"site": [SITE]})):
        pq.write_table(pa.table(columns), tmp_path / name)
    with pytest.raises(GraphError, match="null: row 2: site is missing"):
        with_seconds(ring().graph(), tmp_path / "null")
    with pytest.raises(GraphError, match="none: has no column 'seconds'"):
        with_seconds(ring().graph(), tmp_path / "none")


def test_sites_need_urls(tmp_path: Path) -> None:
    web = SmallWeb({"http://pages.invalid/0": 1}, (), ())
    with pytest.raises(GraphError, match="has the seconds of sites, and this session was imported without URLs"):
        with_seconds(web.graph(), tmp_path / "table")

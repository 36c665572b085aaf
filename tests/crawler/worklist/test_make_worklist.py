"""Worklists of made-up sessions have just the URLs, figures and priorities that follow from the definition."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.worklist.make_worklist import WorklistSettings, make_worklist, opened, warnings_of
from crawler.worklist.manifest import WorklistError
from crawler.worklist.rows import KINDS
from crawler.worklist.worklist import open_worklist
from partition.communication.ranks import Ranks
from sessions.session import SessionError
from sessions.url import url_hash
from tests.crawler.support.ranked_sessions import (
    SECONDS,
    Crawled,
    Expected,
    Fetch,
    day,
    expected_of,
    fetches_of,
    links_of,
    url_of,
    visits_of,
    write_session,
)

NOW = day(100)
URLS = 7
numbers = st.integers(0, URLS - 1)
links = st.lists(st.tuples(numbers, st.sampled_from([0, 0, 0, 1, 2, 8])), max_size=6, unique_by=lambda link: link[0])
fetches = st.builds(
    Fetch,
    url=numbers,
    day=st.integers(0, 80).map(lambda number: number / 2),
    status=st.sampled_from([200, 200, 200, 304, 404, 410, 301, 500]),
    content=st.sampled_from([None, 0, 1]),
    links=links.map(tuple),
    rank=st.integers(0, 1),
    was_asked_for=st.booleans(),
)
some = st.frozensets(numbers, max_size=3)
crawls = st.builds(
    Crawled,
    began=st.integers(0, 1000).map(float),
    fetches=st.lists(fetches, max_size=8, unique_by=lambda fetch: (fetch.url, fetch.rank)).map(tuple),
    discovered=some,
    filtered=some,
    failed=some,
)
series = st.lists(crawls, min_size=1, max_size=3, unique_by=lambda crawl: crawl.began)
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def written(sessions: Sequence[Crawled]) -> Iterator[list[Path]]:
    """The sessions on disk, the last one first."""
    with TemporaryDirectory() as above:
        paths = [Path(above) / f"session-{number}" for number in range(len(sessions))]
        for number, (path, session) in enumerate(zip(paths, sessions, strict=True)):
            write_session(path, session, f"20260101T00000{number}-abcdef")
        yield paths[::-1]


def ranked(paths: Sequence[Path], **options: Any) -> list[dict[str, Any]]:
    asked = {"now": NOW, "crawl_seconds": SECONDS, "memory": 16 << 20} | options
    out = paths[0].parent / "worklist"
    try:
        make_worklist(Ranks(), paths, out, WorklistSettings(**asked))
        worklist = open_worklist(out)
        worklist.check()
        return [row for kind in KINDS for placed in worklist.rows(kind) for row in placed.batch.to_pylist()]
    finally:
        shutil.rmtree(out, ignore_errors=True)


def number_of(row: dict[str, Any]) -> int:
    return int(row["url"].rpartition("/")[2])


def check_rows(rows: list[dict[str, Any]], expected: dict[int, Expected], of_old: Callable[[Expected], float]) -> None:
    assert {number_of(row): row["kind"] for row in rows} == {number: url.kind for number, url in expected.items()}
    for row in rows:
        url = expected[number_of(row)]
        assert (row["url"], row["hash"]) == (url_of(number_of(row)), url_hash(row["url"]))
        told = [row[name] for name in ("in_degree", "out_degree", "visits", "last", "part")]
        assert told == [url.in_degree, url.out_degree, url.visits, url.last, None]
        if url.kind == "new":
            assert (row["change"], row["age"], row["priority"]) == (None, None, url.in_degree)
        else:
            assert [row["change"], row["age"]] == pytest.approx([url.change, url.age], rel=1e-12)
            assert row["priority"] == pytest.approx(of_old(url), rel=1e-12)


def anansi(url: Expected) -> float:
    assert url.change is not None
    assert url.age is not None
    assert url.out_degree is not None
    return url.change * url.age * (url.in_degree + url.out_degree)


@given(series, st.integers(1, 3))
@MANY
def test_rows_follow_from_the_definition(sessions: list[Crawled], gone: int) -> None:
    with written(sessions) as paths:
        rows = ranked(paths, gone=gone)
        check_rows(rows, expected_of(sessions, NOW, gone), anansi)
        by_links = ranked(paths, gone=gone, by="backlinks")
    check_rows(by_links, expected_of(sessions, NOW, gone), lambda url: float(url.in_degree))


@given(series)
@settings(MANY, max_examples=15)
def test_page_rank_is_that_of_networkx(sessions: list[Crawled]) -> None:
    """The graph has all URLs that were visited, and the new ones."""
    with written(sessions) as paths:
        rows = ranked(paths, by="pagerank")
    graph = nx.DiGraph()
    listed = expected_of(sessions, NOW, gone=1000)
    graph.add_nodes_from(listed)
    for number, its in fetches_of(sessions).items():
        if visits := visits_of(its):
            graph.add_edges_from((number, target) for target in links_of(visits[-1]) if target in listed)
    ranks = nx.pagerank(graph, tol=1e-12, max_iter=1000) if listed else {}
    assert {number_of(row): row["priority"] for row in rows} == pytest.approx(
        {number_of(row): ranks[number_of(row)] for row in rows}, abs=1e-8
    )


def test_a_worked_example(tmp_path: Path) -> None:
    """0 links to 1, 2 and 3, then to 2, 3 and 4: C = 1/2, O = 3, and 1 links to it: I = 1."""
    before = Crawled(1.0, (Fetch(0, 10.0, links=((1, 0), (2, 0), (3, 0))), Fetch(1, 10.0, links=((0, 0),))))
    after = Crawled(20.0, (Fetch(0, 30.0, links=((2, 0), (3, 0), (4, 0), (5, 2))),), frozenset([2, 4]))
    write_session(tmp_path / "1", before, "20260101T000000-abcdef")
    write_session(tmp_path / "2", after, "20260101T000000-bbbbbb", seeds=[url_of(0)])
    rows = ranked([tmp_path / "1", tmp_path / "2"], crawl_seconds=35 * 86400.0, now=day(65))
    two, four, zero, one = (next(row for row in rows if number_of(row) == number) for number in (2, 4, 0, 1))
    assert (two["priority"], four["priority"]) == (1.0, 1.0)
    assert (zero["in_degree"], zero["out_degree"], zero["change"], zero["age"], zero["visits"]) == (1, 3, 0.5, 1.0, 2)
    assert zero["priority"] == 0.5 * 1.0 * (1 + 3)
    assert one["change"] == 1.0, "it was visited once, so all its links are new"
    assert one["priority"] == pytest.approx(1.0 * 55 / 35 * (0 + 1))
    assert [number_of(row) for row in rows if row["kind"] == "old"] == [0, 1]


def test_the_limit_keeps_the_first_of_each_kind(tmp_path: Path) -> None:
    crawled = Crawled(1.0, tuple(Fetch(n, 10.0 + n, links=((n + 1, 0),)) for n in range(6)), frozenset(range(6, 15)))
    write_session(tmp_path / "1", crawled, "20260101T000000-abcdef")
    rows = ranked([tmp_path / "1"])
    of_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in KINDS}
    assert ranked([tmp_path / "1"], limit=4) == of_kind["new"][:4] + of_kind["old"][:4]


def sessions_of(folder: Path) -> list[Path]:
    for number, began in enumerate((5.0, 1.0)):
        crawled = Crawled(began, (Fetch(0, 10.0, links=((1, 0),)),), frozenset([1]))
        write_session(folder / f"s{number}", crawled, f"2026010{number}T000000-abcdef", seeds=[url_of(number)])
    return [folder / "s0", folder / "s1"]


def test_the_last_session_is_the_one_that_began_last(tmp_path: Path) -> None:
    make_worklist(Ranks(), sessions_of(tmp_path), tmp_path / "w", WorklistSettings(NOW))
    worklist = open_worklist(tmp_path / "w")
    assert worklist.last_session.path == str(tmp_path / "s0")
    assert worklist.seeds == (url_of(0),)


def test_what_is_wrong_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    first, second = sessions_of(tmp_path)
    shutil.copytree(first, tmp_path / "copy")
    there = sorted(tmp_path.iterdir())

    def refused(paths: list[Path], **options: Any) -> str:
        with pytest.raises((SessionError, WorklistError)) as raised:
            make_worklist(Ranks(), paths, tmp_path / "w", WorklistSettings(**{"now": NOW} | options))
        assert sorted(tmp_path.iterdir()) == there
        return str(raised.value)

    assert refused([first, second, first]) == f"{first}: is named twice; name each session once"
    assert refused([first, tmp_path / "copy"]).startswith(f"{tmp_path / 'copy'}: is the same session as {first}")
    assert refused([tmp_path / "none"]).startswith(f"{tmp_path / 'none' / 'session.json'}: no such file")
    assert "is before the last fetch" in refused([first], now=day(10.0) - timedelta(seconds=1))
    make_worklist(Ranks(), [first], tmp_path / "w", WorklistSettings(day(10.0)))


@pytest.mark.parametrize("table", ["pages", "links", "urls"])
def test_damaged_tables_are_named_with_their_row(tmp_path: Path, table: str) -> None:
    path = sessions_of(tmp_path)[0]
    (file,) = (path / "rank-0000").glob(f"{table}-*.parquet")
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 0x55
    file.write_bytes(content)
    with pytest.raises(SessionError, match=r"row \d+") as raised:
        make_worklist(Ranks(), [path], tmp_path / "w", WorklistSettings(NOW))
    assert str(raised.value).startswith(f"{file}: row 0 ")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "w").exists()


def test_scopes_that_differ_are_warned_of(tmp_path: Path) -> None:
    paths = sessions_of(tmp_path)
    assert list(warnings_of(opened(paths))) == []
    write_session(tmp_path / "s2", Crawled(9.0), "20260103T000000-abcdef", scope="sites", seeds=[url_of(0)])
    (warning,) = warnings_of(opened([*paths, tmp_path / "s2"]))
    assert warning.startswith(f"{tmp_path / 's1'} and {tmp_path / 's2'} have different scopes (all, sites)")


def test_parts_are_those_of_the_map(tmp_path: Path) -> None:
    from partition.map.manifest import Origin
    from partition.map.write_map import write_map

    path = sessions_of(tmp_path)[0]
    urls = [url_of(0), url_of(1)]
    hashes = np.array([url_hash(url) for url in urls], np.uint64)
    write_map(
        tmp_path / "map", Origin("page"), k=3, urls=urls, hashes=hashes, parts=[2, 1], prefixes=[], prefix_parts=[]
    )
    rows = ranked([path], partition=tmp_path / "map")
    assert {number_of(row): row["part"] for row in rows} == {0: 2, 1: 1}

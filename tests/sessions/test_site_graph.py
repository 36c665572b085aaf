"""The graph of sites, against one made from the graph of pages."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.session import Session
from sessions.site_graph import site_digraph
from sessions.url import site_of, url_hash
from tests.sessions.support.builder import small_session

URLS = [f"http://{site}.example/{page}" for site in "abc" for page in range(3)]


class Made:
    """Stands for a session: its tables."""

    def __init__(self, pages: list[tuple[str, int | None]], seen: set[str], links: list[tuple[str, str]]) -> None:
        self._tables = {
            "pages": [{"url": url, "hash": url_hash(url), "site": site_of(url), "bytes": size} for url, size in pages],
            "urls": [{"url": url, "hash": url_hash(url)} for url in sorted(seen)],
            "links": [{"source": url_hash(source), "target": url_hash(target)} for source, target in links],
        }

    def read(self, table: str, columns: list[str] | None = None) -> pa.Table:
        kinds = {"url": pa.string(), "site": pa.string(), "bytes": pa.int64()}
        rows = self._tables[table]
        return pa.table(
            {name: pa.array([row[name] for row in rows], kinds.get(name, pa.uint64())) for name in columns or []}
        )


@settings(derandomize=True, deadline=None)
@given(
    pages=st.lists(st.tuples(st.sampled_from(URLS), st.none() | st.integers(0, 9)), max_size=12),
    seen=st.sets(st.sampled_from(URLS)),
    links=st.lists(st.tuples(st.sampled_from(URLS), st.sampled_from(URLS)), max_size=40),
    known=st.booleans(),
)
def test_sites_and_links_are_those_of_the_pages(
    pages: list[tuple[str, int | None]], seen: set[str], links: list[tuple[str, str]], known: bool
) -> None:
    graph = site_digraph(Made(pages, seen, links), known=known)
    fetched: dict[str, int | None] = {}
    for url, size in pages:
        fetched.setdefault(url, size)
    targets = {*fetched, *seen} if known else {*fetched}
    expected: dict[str, Any] = {site_of(url): {"pages": 0, "bytes": 0} for url in targets}
    for url, size in fetched.items():
        expected[site_of(url)]["pages"] += 1
        expected[site_of(url)]["bytes"] += size or 0
    assert dict(graph.nodes(data=True)) == expected
    joined = Counter(
        (site_of(source), site_of(target))
        for source, target in set(links)
        if source in fetched and target in targets and source != target
    )
    assert {(source, target): links for source, target, links in graph.edges(data="links")} == joined


def test_of_a_session_as_pandas_and_as_a_graph(tmp_path: Path) -> None:
    small_session(tmp_path / "crawl")
    session = Session.open(tmp_path / "crawl")
    pages = session.to_pandas("pages", ["hash", "site", "redirect"])
    assert len(pages) == len(session.read("pages", ["hash"]))
    assert str(pages["hash"].dtype) == "uint64[pyarrow]"
    assert pages["redirect"].isna().any()
    graph = session.site_graph()
    assert sum(pages for _, pages in graph.nodes(data="pages")) == pages["hash"].nunique()
    assert set(graph) == set(pages["site"])
    assert set(session.site_graph(known=True)) >= set(graph)


def test_where_there_is_no_pandas_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_session(tmp_path / "crawl")
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="needs pandas: pip install pandas"):
        Session.open(tmp_path / "crawl").to_pandas("pages")

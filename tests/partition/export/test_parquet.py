"""Parquet files, read back by DuckDB."""

from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings

from partition.export.parquet import write_edge_table, write_vertex_table
from sessions.url import site_of
from tests.partition.export.support.listings import listed
from tests.partition.graphs.support.webs import FILLED_WEBS, Web, by_site

QUERY = """select a.{name}, b.{name}, edge.* exclude (source, target) from '{edges}' edge
join '{vertices}' a on a.vertex = source join '{vertices}' b on b.vertex = target"""


def written(web: Web, kind: str, folder: Path) -> tuple[list[tuple], list[tuple]]:
    """The rows of vertices, and those of edges with names in place of numbers."""
    edges, vertices = folder / "edges.parquet", folder / "vertices.parquet"
    with listed(web, kind) as listing:
        write_edge_table(listing, edges)
        write_vertex_table(listing, vertices)
    name = {"page": "url", "site": "site"}[kind]
    with duckdb.connect() as database:
        rows = database.execute(f"select * from '{vertices}' order by vertex").fetchall()
        return rows, database.execute(QUERY.format(name=name, edges=edges, vertices=vertices)).fetchall()


@settings(max_examples=15)
@given(web=FILLED_WEBS)
def test_pages(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    pages, links = written(web, "page", tmp_path_factory.getbasetemp())
    expected = [(url, site_of(url), size, 1, None, None) for url, size in web.sizes.items()]
    assert pages == [(number, *page) for number, page in enumerate(expected)]
    assert len(links) == len(web.links)
    assert {(source, target): cost for source, target, cost in links} == web.links


@settings(max_examples=15)
@given(web=FILLED_WEBS)
def test_sites(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    sites, edges = written(web, "site", tmp_path_factory.getbasetemp())
    weights, expected = by_site(web)
    assert {site: [size, requests] for _, site, size, requests in sites} == weights
    assert len(edges) == len(expected)
    assert {frozenset((one, other)): rest for one, other, *rest in edges} == expected

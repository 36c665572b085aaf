"""What is read from a session as its graph, against the definitions."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

from partition.graphs.link_graph import GraphError, link_graph
from sessions.importing.edges import import_edges
from sessions.session import Session
from sessions.url import site_of, url_hash, url_hashes
from tests.partition.graphs.support.webs import (
    FILLED_WEBS,
    URLS,
    WEBS,
    Fetch,
    Web,
    forget_columns,
    graph_of,
    record,
    recorded,
)
from tests.sessions.support.builder import Crawl


def entries(matrix: csr_array, sources: list[str], targets: list[str]) -> dict[tuple[str, str], int]:
    """A matrix by the URLs of its rows and columns."""
    cells = matrix.copy().tocoo()  # scipy wants starts and columns of one type here
    return {
        (sources[row], targets[column]): value
        for row, column, value in zip(cells.row.tolist(), cells.col.tolist(), cells.data.tolist(), strict=True)
    }


def check_matrix(matrix: csr_array) -> None:
    """Whole numbers of 64 bits, columns sorted and distinct."""
    assert (matrix.data.dtype, matrix.indices.dtype, matrix.indptr.dtype) == (np.int64, np.int32, np.int64)
    for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        assert (np.diff(matrix.indices[begin:end]) > 0).all()


@settings(max_examples=40)
@given(FILLED_WEBS)
def test_pages_links_and_weights_are_those_of_the_definition(web: Web) -> None:
    graph = graph_of(web)
    urls, known = graph.urls.to_pylist(), graph.known_urls.to_pylist()
    assert urls == list(web.sizes)
    assert len(graph) == len(urls)
    assert graph.hashes.tolist() == url_hashes(urls).tolist()
    assert graph.bytes.tolist() == list(web.sizes.values())
    assert graph.weights.tolist() == [[size, 1] for size in web.sizes.values()]
    assert [graph.site_names[site] for site in graph.sites] == [site_of(url) for url in urls]
    assert len(set(graph.site_names)) == len(graph.site_names)
    assert graph.url_bytes.tolist() == [len(url) for url in urls]
    assert entries(graph.links, urls, urls) == web.links
    assert entries(graph.known_links, urls, known) == web.known_links
    linked = {target for _, target in web.known_links}
    assert known == [url for url in dict.fromkeys(web.seen) if url in linked]
    assert graph.known_hashes.tolist() == [url_hash(url) for url in known]
    assert [urls[source] for source in graph.sources] == [source for source, _ in sorted_by_number(web)]


def sorted_by_number(web: Web) -> list[tuple[str, str]]:
    number = {url: place for place, url in enumerate(web.sizes)}
    return sorted(web.links, key=lambda link: (number[link[0]], number[link[1]]))


@settings(max_examples=20)
@given(FILLED_WEBS)
def test_matrices_are_fit_for_metis(web: Web) -> None:
    graph = graph_of(web)
    for matrix, width in ((graph.links, len(graph)), (graph.known_links, len(graph.known_hashes))):
        check_matrix(matrix)
        assert matrix.shape == (len(graph), width)
    assert graph.links.diagonal().sum() == 0
    assert (graph.bytes.dtype, graph.sites.dtype, graph.weights.dtype) == (np.int64,) * 3


@settings(max_examples=10)
@given(WEBS)
def test_columns_that_older_sessions_lack_do_not_matter(web: Web) -> None:
    with recorded(web) as session:
        if not web.fetches:
            with pytest.raises(GraphError):
                link_graph(session)
            return
        whole = link_graph(session)
        forget_columns(session, "pages", ["site", "bytes"])
        forget_columns(session, "links", ["flags"])
        older = link_graph(session)
    assert older.bytes.tolist() == [0] * len(whole)
    assert older.site_names == whole.site_names
    assert older.sites.tolist() == whole.sites.tolist()
    assert (older.links != whole.links).nnz == 0


def test_a_session_without_pages_has_no_graph(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    crawl = Crawl(tmp_path / "empty")
    crawl.ranks[0].discover(URLS[:2])
    crawl.commit("complete")
    crawl.close()
    for name in ("new", "empty"):
        with pytest.raises(GraphError, match=rf"{name}: no pages were downloaded") as refused:
            link_graph(Session.open(tmp_path / name))
        assert "\n" not in str(refused.value)


def test_one_page(tmp_path: Path) -> None:
    graph = link_graph(record(tmp_path / "session", Web((Fetch(0, URLS[1], 7, (URLS[1], URLS[2])),), ())))
    assert (len(graph), graph.links.shape, graph.links.nnz) == (1, (1, 1), 0)
    assert graph.known_links.shape == (1, 0)
    check_matrix(graph.links)
    check_matrix(graph.known_links)
    assert graph.has_urls


def test_a_page_fetched_by_two_ranks_is_one_vertex_with_the_links_of_both(tmp_path: Path) -> None:
    first, second = Fetch(0, URLS[0], 5, (URLS[1],)), Fetch(1, URLS[0], 9, (URLS[1], URLS[2]))
    others = Fetch(0, URLS[1], 1, ()), Fetch(1, URLS[2], 1, ())
    graph = link_graph(record(tmp_path / "session", Web((first, others[0], second, others[1]), ())))
    assert graph.urls.to_pylist() == URLS[:3]
    assert graph.bytes.tolist() == [9, 1, 1]
    assert graph.links.toarray().tolist() == [[0, len(URLS[1]), len(URLS[2])], [0, 0, 0], [0, 0, 0]]


def test_urls_of_pages_imported_as_numbers_mean_nothing(tmp_path: Path) -> None:
    links, urls = tmp_path / "links", tmp_path / "urls"
    links.write_text("0 1\n1 2\n")
    urls.write_text("".join(f"{url}\n" for url in URLS[:3]))
    import_edges(links, tmp_path / "numbered")
    import_edges(links, tmp_path / "named", urls=urls)
    assert not link_graph(Session.open(tmp_path / "numbered")).has_urls
    assert link_graph(Session.open(tmp_path / "named")).has_urls


@settings(max_examples=10)
@given(FILLED_WEBS)
def test_a_session_on_disk_gives_the_same_graph(web: Web) -> None:
    """Other tests read sessions in memory."""
    with recorded(web) as session:
        read = link_graph(session)
    expected = graph_of(web)
    assert read.urls.equals(expected.urls)
    assert read.known_urls.equals(expected.known_urls)
    assert (read.bytes.tolist(), read.site_names) == (expected.bytes.tolist(), expected.site_names)
    assert (read.links != expected.links).nnz == (read.known_links != expected.known_links).nnz == 0

"""Numbered graphs become sessions: equal pages one, links distinct."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing import edge_list
from sessions.importing import edges as edges_module
from sessions.importing import graph as graph_module
from sessions.importing.edges import import_edges
from sessions.importing.graph import GraphSession, make_session
from sessions.importing.page_list import UNKNOWN
from sessions.importing.source import SourceError
from sessions.session import SessionError
from sessions.storage import sorted_keys
from tests.sessions.importing.support.graphs import graph_of
from tests.sessions.importing.support.reading import links, opened, sizes

NAMES = [f"http://{name}.example/" for name in "abcd"]


def made(urls: list[str], weights: list[int], pairs: list[tuple[int, int]], out: Path, batch: int = 8) -> GraphSession:
    return make_session(lambda _: graph_of(urls, weights, pairs, batch), out, "edges", {"edges": "x"})


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(UNKNOWN, 9)), min_size=1, max_size=12),
    st.data(),
    st.sampled_from([1, 3, 1 << 16]),
)
def test_a_graph_is_what_a_plain_count_says(
    tmp_path_factory: pytest.TempPathFactory, pages: list[tuple[str, int]], data: st.DataObject, batch: int
) -> None:
    number = st.integers(0, len(pages) - 1)
    pairs = data.draw(st.lists(st.tuples(number, number), max_size=40))
    urls = [url for url, _ in pages]
    out = tmp_path_factory.mktemp("any") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_module, "_LINKS_PER_BATCH", batch)
        patch.setattr(sorted_keys, "_KEYS_IN_MEMORY", batch)
        counts = made(urls, [size for _, size in pages], pairs, out, batch)
    session = opened(out)
    named = [(urls[source], urls[target]) for source, target in pairs]
    away = [(source, target) for source, target in named if source != target]
    weights = {url: next((size for name, size in pages if name == url and size >= 0), 1) for url in urls}
    assert sizes(session) == weights
    assert list(sizes(session)) == list(dict.fromkeys(urls))
    assert links(session) == set(away)
    assert counts == GraphSession(
        pages=len(weights),
        links=len(set(away)),
        bytes=sum(weights.values()),
        merged=len(urls) - len(weights),
        self_links=len(named) - len(away),
        repeated=len(away) - len(set(away)),
    )


def test_what_a_session_says_of_its_pages(tmp_path: Path) -> None:
    made(NAMES[:2], [5, UNKNOWN], [(0, 1)], tmp_path / "out")
    session = opened(tmp_path / "out")
    first, second = session.read("pages").to_pylist()
    assert (first["site"], first["status"], first["bytes"], first["decoded_bytes"]) == ("a.example", 200, 5, 5)
    assert (second["bytes"], second["content_type"], second["warc_file"]) == (1, None, None)
    assert first["run"] == session.header["run"]
    assert session.header["assignment"] == "imported"
    assert session.header["configuration"] == {"import": "edges", "edges": "x"}
    assert session.read("links")["flags"].to_pylist() == [0]
    (report,) = session.rank_reports()
    assert (report["fetched"], report["links"], report["bytes"], report["statuses"]) == (2, 1, 6, {"200": 2})


def test_no_pages(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"^x: no pages$"):
        made([], [], [], tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("large", [11, 1000000000000])
def test_edges_without_pages_have_those_that_occur(tmp_path: Path, large: int) -> None:
    path = tmp_path / "links"
    path.write_text(f"# from 7 to 3\n7 3\n{large} 7\n3 3\n7 3\n")
    counts = import_edges(path, tmp_path / "out")
    assert (counts.pages, counts.links, counts.self_links, counts.repeated) == (3, 2, 1, 1)
    session = opened(tmp_path / "out")
    page = "http://pages.invalid/{}".format
    assert sizes(session) == {page(3): 1, page(7): 1, page(large): 1}
    assert links(session) == {(page(7), page(3)), (page(large), page(7))}


def test_numbers_with_gaps_whatever_the_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("_PAIRS_PER_BATCH", 7), ("_LEAST_PENDING", 9)):
        monkeypatch.setattr(edges_module, name, size)
    monkeypatch.setattr(edge_list, "_BLOCK_BYTES", 50)
    monkeypatch.setattr(sorted_keys, "_KEYS_IN_MEMORY", 10)
    choice = random.Random(2)
    pairs = [(choice.randrange(30) * 5, choice.randrange(30) ** 9) for _ in range(200)]
    (tmp_path / "links").write_text("".join(f"{source} {target}\n" for source, target in pairs))
    counts = import_edges(tmp_path / "links", tmp_path / "out")
    away = {(source, target) for source, target in pairs if source != target}
    page = "http://pages.invalid/{}".format
    session = opened(tmp_path / "out")
    assert links(session) == {(page(source), page(target)) for source, target in away}
    assert list(sizes(session)) == [page(number) for number in sorted({end for pair in pairs for end in pair})]
    assert counts.repeated == len(pairs) - counts.self_links - len(away)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["epochs", "rank-0000", "session.json"]


def test_edges_between_named_pages(tmp_path: Path) -> None:
    path, urls, weights = tmp_path / "links", tmp_path / "urls", tmp_path / "bytes"
    path.write_text("0 1\n1 2\n2 3\n3 0\n")
    urls.write_text(
        "url\tlength\nhttp://a.example/\t\nhttp://a.example/#x\t4\nhttp://b.example/\t5\nhttp://c.example/\n"
    )
    counts = import_edges(path, tmp_path / "out", urls=urls)
    assert (counts.pages, counts.merged, counts.self_links, counts.links, counts.bytes) == (3, 1, 1, 3, 10)
    session = opened(tmp_path / "out")
    assert sizes(session) == {"http://a.example/": 4, "http://b.example/": 5, "http://c.example/": 1}
    assert session.header["configuration"] == {
        "import": "edges",
        "edges": str(path),
        "urls": str(urls),
        "bytes": None,
    }
    weights.write_text("10\n20\n30\n40\n")
    assert import_edges(path, tmp_path / "other", urls=urls, sizes=weights).bytes == 80
    numbered = import_edges(path, tmp_path / "numbered", sizes=weights)
    assert (numbered.pages, numbered.bytes, numbered.links) == (4, 100, 4)
    weights.write_text("10\n20\n30\n")
    with pytest.raises(SourceError, match=f"^{path}: line 3: '2 3' has a number that is no page's; pages are 0 to 2$"):
        import_edges(path, tmp_path / "third", sizes=weights)
    with pytest.raises(SourceError, match="has the bytes of 3 pages"):
        import_edges(path, tmp_path / "third", urls=urls, sizes=weights)
    assert not (tmp_path / "third").exists()


def test_a_folder_that_is_taken_is_said_so_first(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    with pytest.raises(SessionError, match="not empty"):
        import_edges(tmp_path / "none", tmp_path / "out")

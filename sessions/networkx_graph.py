"""A session's pages and links as a networkx graph, for sessions that fit in a Python dict."""

from typing import TYPE_CHECKING

from sessions.table_reader import TableReader
from sessions.url import site_of

if TYPE_CHECKING:
    from networkx import DiGraph

_OF_PAGE = ("site", "bytes", "status", "depth")


def digraph(session: TableReader, *, known: bool = False) -> "DiGraph[str]":
    """The directed graph of a session; some kB of memory a page.

    Nodes are canonical URLs with the attributes ``site``, ``bytes`` (of the body as received), ``status`` and
    ``depth``.  What is not known is left out; a page fetched more than once has what its last fetch gave.  Edges are
    links with the attribute ``flags`` (`sessions.schema`), those of a link recorded more than once together.

    With ``known``, URLs that were discovered and not fetched are nodes as well: ``status`` in their attributes is
    missing.  Pages come first, in the session's order.
    """
    # Every rank of a crawl imports sessions, and networkx takes longer than all the rest of it.
    from networkx import DiGraph

    graph = DiGraph()
    url_of: dict[int, str] = {}
    for page in session.read("pages", ["url", "hash", *_OF_PAGE]).to_pylist():
        url = url_of.setdefault(page["hash"], page["url"])
        facts = {name: page[name] for name in _OF_PAGE if page[name] is not None}
        graph.add_node(url, **{"site": site_of(url)} | facts)
    if known:
        for row in session.read("urls").to_pylist():
            if row["hash"] not in url_of:
                url_of[row["hash"]] = row["url"]
                graph.add_node(row["url"], site=site_of(row["url"]))
    for link in session.read("links").to_pylist():
        source, target = url_of.get(link["source"]), url_of.get(link["target"])
        if source is not None and target is not None and source != target:
            before = graph.edges[source, target]["flags"] if graph.has_edge(source, target) else 0
            graph.add_edge(source, target, flags=before | (link["flags"] or 0))
    return graph

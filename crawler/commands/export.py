"""`cutweb export`: a session's graph as files for other programs."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.config.suggestions import OneOf
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import counted
from crawler.process.terminal import tell
from partition.choices import MOST_PARTS

if TYPE_CHECKING:
    from partition.export.session_graph import SessionGraph
    from partition.export.vertex_edge_tables import Listing

_PLURALS = {"page": "pages", "site": "sites", "prefix": "prefixes", "external": "sites"}


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--graph",
    "kind",
    type=OneOf(list(_PLURALS)),
    default="page",
    show_default=True,
    help="What the vertices are; external: sites, joined by the links that lead out of the crawl's scope.",
)
@click.option(
    "--parts",
    metavar="K",
    type=click.IntRange(1, MOST_PARTS),
    default=8,
    show_default=True,
    help="With --graph prefix: how many parts the prefixes must be fine enough for.",
)
@click.option(
    "--format",
    "form",
    type=OneOf(["metis", "graphml", "gexf", "edges", "parquet"]),
    required=True,
    help="METIS's graph file; GraphML; Gephi's GEXF; text, an edge a line; or two Parquet files in a folder.",
)
@click.option(
    "--out",
    metavar="FILE|DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="The file to write; for parquet, the folder to make.  May not exist.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.pass_context
def export(context: click.Context, session: Path, kind: str, parts: int, form: str, out: Path, force: bool) -> None:
    """Write the graph of a session's pages, sites or URL prefixes as files for other programs.

    Pages are joined by directed links, except in METIS's format, which has one edge where either page links to the
    other; sites and prefixes are joined by undirected edges.  A link costs the bytes of its target's URL, an edge the
    sum of its links.  Links to what was not downloaded are left out; how many is said.  graphml and gexf have the URL
    or name as label, graphml, gexf and parquet the pages' status and depth.  metis and edges write a list of the
    vertices beside FILE: FILE.pages.tsv, FILE.sites.tsv or FILE.prefixes.tsv.  Exits with 2,
    leaving nothing, if something is wrong.

    \b
    Examples:
      cutweb export crawl-1 --format metis --out crawl-1.graph && gpmetis crawl-1.graph 16
      cutweb export crawl-1 --format graphml --graph site --out sites.graphml
      cutweb export crawl-1 --format metis --graph prefix --parts 16 --out prefixes.graph
      cutweb export crawl-1 --format gexf --out crawl-1.gexf
      cutweb export crawl-1 --format edges --out links.tsv
      cutweb import edges links.tsv --urls links.tsv.pages.tsv --out crawl-1-again
      cutweb export crawl-1 --format parquet --out crawl-1-graph
    """
    began = perf_counter()
    with leaving_on_signals():
        contents, left_out = _written(context, session, kind, parts, form, out, force)
    tell(f"{out}: {contents} written as {form} in {perf_counter() - began:.1f} s")
    if left_out:
        tell(left_out)


def _written(
    context: click.Context, session: Path, kind: str, parts: int, form: str, out: Path, force: bool
) -> tuple[str, str]:
    """Write the files and say how much is in them, and what is not."""
    from partition.export.formats import FORMATS
    from partition.export.output_files import PlaceError
    from partition.graphs.link_graph import GraphError
    from sessions.session import SessionError
    from sessions.storage.temporary_folder import scratch_folder

    chosen = FORMATS[form]
    place = chosen.place(out, _PLURALS[kind])

    def write() -> tuple[str, str]:
        place.check(replace=force)  # before the work, not after it
        with scratch_folder(".cutweb-export-", place.beside) as folder:
            listing, left_out = _read(session, kind, parts, folder)
            chosen.write(listing, place, replace=force)
            return chosen.contents(listing), left_out

    return or_refuse(context, out, (PlaceError, SessionError, GraphError), write)


def _read(session: Path, kind: str, parts: int, folder: Path) -> "tuple[Listing, str]":
    """The graph of a session, and what is left out of it; what has to be sorted is in ``folder``.

    Raises SessionError if there is no session that can be read, GraphError if it has no such graph.
    """
    from partition.export.session_graph import session_graph
    from partition.export.vertex_edge_tables import LISTINGS
    from partition.graphs.link_graph import GraphError
    from sessions.session import Session

    graph = session_graph(Session.open(session), folder)
    try:
        listing = LISTINGS[kind](graph, parts, folder)
    except GraphError as error:
        raise GraphError(f"{session}: --graph {kind}: {error}") from error
    return listing, "" if kind == "external" else _left_out(graph)


def _left_out(graph: "SessionGraph") -> str:
    links, urls = graph.links_left_out, graph.urls_left_out
    if not links:
        return ""
    lead = "link leads" if links == 1 else "links lead"
    return f"left out: {links:,} {lead} to {counted(urls, 'URL')} that {'was' if urls == 1 else 'were'} not downloaded"

"""`cutweb export`: a session's graph as files for other programs."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from partition.graphs.export.listing import Listing


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--graph",
    "kind",
    type=click.Choice(["page", "site"]),
    default="page",
    show_default=True,
    help="What the vertices are.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["metis", "graphml", "edges", "parquet"]),
    required=True,
    help="METIS's graph file; GraphML; text, an edge a line; or two Parquet files in a folder.",
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
def export(context: click.Context, session: Path, kind: str, form: str, out: Path, force: bool) -> None:
    """Write the graph of a session's pages, or of their sites, as files for other programs.

    Pages are joined by directed links, except in METIS's format, which has one edge where either page links to the
    other; sites are joined by undirected edges.  A link costs the bytes of its target's URL, an edge the sum of its
    links.  metis and edges write a list of the vertices beside FILE: FILE.pages.tsv, or FILE.sites.tsv.  Exits with 2,
    leaving nothing, if something is wrong.

    \b
    Examples:
      cutweb export crawl-1 --format metis --out crawl-1.graph && gpmetis crawl-1.graph 16
      cutweb export crawl-1 --format graphml --graph site --out sites.graphml
      cutweb export crawl-1 --format edges --out links.tsv
      cutweb import edges links.tsv --urls links.tsv.pages.tsv --out crawl-1-again
      cutweb export crawl-1 --format parquet --out crawl-1-graph
    """
    from partition.graphs.export.formats import FORMATS
    from partition.graphs.export.place import PlaceError
    from partition.graphs.link_graph import GraphError
    from sessions.session import SessionError

    def refuse(text: object) -> NoReturn:
        click.echo(f"error: {text}", err=True)
        context.exit(2)

    began = perf_counter()
    chosen = FORMATS[form]
    place = chosen.place(out, f"{kind}s")
    try:
        place.check(replace=force)  # before the work, not after it
        listing = _read(session, kind)
        chosen.write(listing, place, replace=force)
    except (PlaceError, SessionError, GraphError) as error:
        refuse(error)
    except OSError as error:
        refuse(f"{out}: {error.strerror or error}")
    except MemoryError:
        refuse(f"{session}: not enough memory for its graph")
    click.echo(f"{out}: {chosen.contents(listing)} written as {form} in {perf_counter() - began:.1f} s")


def _read(session: Path, kind: str) -> "Listing":
    """The graph of a session.  Raises SessionError if there is none that can be read, GraphError if it has none."""
    from pyarrow import ArrowException

    from partition.graphs.export.listing import LISTINGS
    from partition.graphs.link_graph import GraphError, link_graph
    from sessions.session import Session, SessionError

    opened = Session.open(session)
    try:
        graph = link_graph(opened)
    except MemoryError:  # Arrow's is an ArrowException as well
        raise
    except (KeyError, TypeError, ValueError, OSError, ArrowException) as error:
        raise SessionError(f"{session} is damaged ({error}); cutweb check tells more") from error
    try:
        return LISTINGS[kind](graph)
    except GraphError as error:
        raise GraphError(f"{session}: --graph {kind}: {error}") from error

"""`cutweb import`: sessions from lists of links, WebGraph files and WARC files."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.config.suggestions import CommandGroup
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from sessions.importing.graph import GraphSession

_PATH = click.Path(path_type=Path)
_OUT = click.option("--out", metavar="SESSION", type=_PATH, required=True, help="The folder to make; new, or empty.")
_URLS = click.option(
    "--urls",
    metavar="FILE",
    type=_PATH,
    help="URLs of the pages: line i, counted from 0, is page i; or lines url<TAB>bytes, with or without a heading.",
)
_BYTES = click.option(
    "--bytes",
    "sizes",
    metavar="FILE",
    type=_PATH,
    help="Bytes of the pages: line i, counted from 0, is page i.  [default: those in --urls, else 1 each]",
)


@click.group("import", cls=CommandGroup)
def import_() -> None:
    """Make a session from a list of links, a WebGraph file or WARC files.

    It has one rank and no bodies, and can be partitioned and reported on like one that was crawled.  Text and WARC
    files may be compressed with gzip.  Exits with 0 if the session was made; with 2, leaving nothing, if something is
    wrong.

    \b
    Examples:
      cutweb import edges links.txt.gz --urls pages.tsv --out web-graph
      cutweb import webgraph cnr-2000 --out cnr-2000-session
      cutweb import warc CC-MAIN-*.warc.gz --out common-crawl
    """


@import_.command("edges", short_help="From a list of links, with or without URLs.")
@click.argument("file", metavar="FILE", type=_PATH)
@_URLS
@_BYTES
@_OUT
@click.pass_context
def edges_command(context: click.Context, file: Path, urls: Path | None, sizes: Path | None, out: Path) -> None:
    """Make a session from a list of links: lines of two page numbers, with tabs or spaces between.

    Lines that begin with # are comments.  Page i is called http://pages.invalid/i unless --urls names it; without
    --urls and --bytes, the numbers that occur are the pages.  Pages with the same URL (but for the fragment) are made
    one, links to the page itself dropped, repeated links counted once.

    \b
    Example:
      cutweb import edges web-Google.txt.gz --out google
      cutweb import edges links.tsv --urls urls.txt --bytes sizes.txt --out crawl-0
    """

    def make(line: ProgressLine) -> str:
        from sessions.importing.edges import import_edges

        return _of_graph(import_edges(file, out, urls=urls, sizes=sizes, progress=line))

    _import(context, out, make)


@import_.command("webgraph", short_help="From a graph in WebGraph's BV format.")
@click.argument("basename", metavar="BASENAME", type=_PATH)
@_URLS
@_BYTES
@_OUT
@click.pass_context
def webgraph_command(context: click.Context, basename: Path, urls: Path | None, sizes: Path | None, out: Path) -> None:
    """Make a session from a graph in WebGraph's BV format: BASENAME.graph and BASENAME.properties.

    Node i is called http://pages.invalid/i unless --urls names it.  No .offsets file is needed.

    \b
    Example:
      cutweb import webgraph cnr-2000 --out cnr-2000-session
      cutweb import webgraph uk-2002 --urls uk-2002.urls.gz --out uk-2002-session
    """

    def make(line: ProgressLine) -> str:
        from sessions.importing.webgraph import import_webgraph

        return _of_graph(import_webgraph(basename, out, urls=urls, sizes=sizes, progress=line))

    _import(context, out, make)


@import_.command("warc", short_help="From WARC files, those of Common Crawl among them.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_PATH)
@_OUT
@click.pass_context
def warc_command(context: click.Context, files: tuple[Path, ...], out: Path) -> None:
    """Make a session from WARC files: pages, links and sizes, as a crawl would have recorded them.

    Response records of http and https URLs become pages, the first one of each URL; all other records are skipped.
    What pages link to and the files do not have is left in the frontier.  Bodies stay where they are.

    \b
    Example:
      cutweb import warc CC-MAIN-20250101000000-00000.warc.gz --out common-crawl
      cutweb import warc crawl-1/rank-*/*.warc.gz --out crawl-1-again
    """
    _import(context, out, lambda line: _of_warcs(files, out, line))


def _import(context: click.Context, out: Path, make: Callable[[ProgressLine], str]) -> None:
    """Run an import and print what it made, or what is wrong."""
    began = perf_counter()
    with leaving_on_signals():
        made = _made(context, out, make)
    tell(f"{out}: {made} in {perf_counter() - began:.1f} s")


def _made(context: click.Context, out: Path, make: Callable[[ProgressLine], str]) -> str:
    from sessions.importing.source import SourceError
    from sessions.session import SessionError

    def work() -> str:
        with ProgressLine() as line:
            return make(line)

    return or_refuse(context, out, (SourceError, SessionError), work)


def _of_graph(made: "GraphSession") -> str:
    return (
        f"{made.pages:,} pages, {made.links:,} links, {made.bytes:,} bytes; {made.merged:,} pages merged with others "
        f"of their URL, {made.self_links:,} links to the page itself and {made.repeated:,} repeated ones dropped"
    )


def _of_warcs(files: tuple[Path, ...], out: Path, line: ProgressLine) -> str:
    from crawler.pages.warc_import import import_warcs

    made = import_warcs(files, out, line, line.warn)
    return (
        f"{made.pages:,} pages, {made.links:,} links, {made.bytes:,} bytes; {made.queued:,} URLs linked to and not "
        f"imported, {made.repeated:,} repeated pages merged, {made.foreign:,} responses without an http(s) URL, "
        f"{made.unreadable:,} unreadable ones and {made.robots:,} of robots.txt files left out"
    )

"""`cutweb web`: a web on this machine, to crawl in demos, tests and benchmarks."""

import shlex
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from crawler.config.refusing import or_refuse, refuse_if_any
from crawler.config.suggestions import CommandGroup
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import counted
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from sessions.localweb.serve.server import LocalWeb

F = TypeVar("F", bound=Callable[..., Any])

_INVENTING = ("sites", "pages", "links", "page_kb", "gzip", "https", "robots")
_RATES = ("births", "deaths", "edits", "link_edits", "new_sites", "site_deaths")
_EVOLVING = ("days", *_RATES)
_PORT = click.IntRange(0, 65535)
_WARCS = click.argument("warcs", metavar="FILE.warc.gz...", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group(cls=CommandGroup)
def web() -> None:
    """Make, serve and export a web on this machine.

    \b
    Examples:
      cutweb web make --sites 40 --pages 5000 --seed 1 --out web.warc.gz
      cutweb web make --evolve-from web.warc.gz --days 7 --out web-7.warc.gz
      cutweb web serve web.warc.gz --port 8080
      cutweb web export web.warc.gz --out web-nginx --port 8080
    """


def _rate(name: str, per: str, default: float) -> Callable[[F], F]:
    text = f"{per} and day, with --evolve-from.  [default: {default:g}]"
    return click.option(f"--{name}", type=float, help=text)


@web.command()
@click.option("--sites", type=int, default=40, show_default=True, help="Number of sites (hosts).")
@click.option("--pages", type=int, default=5000, show_default=True, help="Number of pages; redirects come on top.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same web.")
@click.option("--links", type=float, default=30.0, show_default=True, help="Mean number of links of a page.")
@click.option("--page-kb", type=float, default=15.0, show_default=True, help="Mean size of a page in kB, decoded.")
@click.option("--gzip/--no-gzip", default=False, help="Whether the server sends bodies compressed.  [default: no]")
@click.option("--https", is_flag=True, help="Give all pages https URLs.")
@click.option("--robots", type=float, default=0.0, show_default=True, help="Share of sites with a robots.txt, 0 to 1.")
@click.option(
    "--evolve-from",
    "source",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Do not invent a web, but let that of a WARC file grow older.",
)
@click.option("--days", type=int, help="By how many days, with --evolve-from.")
@_rate("births", "Pages born, per page", 0.0114)
@_rate("deaths", "Pages that die, per page", 0.0114)
@_rate("edits", "Mean number of edits, per page", 0.25)
@_rate("link-edits", "Links replaced in edits, per link", 0.042)
@_rate("new-sites", "Sites born, per site", 0.0007)
@_rate("site-deaths", "Sites that die, per site", 0.0007)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The WARC file to write (must not exist).")
@click.pass_context
def make(context: click.Context, /, source: Path | None, out: Path, **options: Any) -> None:
    """Invent a web and write it into one WARC file, with its seeds beside it.

    Sizes of sites and pages and in-degrees are heavy-tailed; every page can be reached from the seeds, the root pages
    of the sites.  There are redirects, missing pages, duplicates, slow pages, framesets, odd character sets.

    With --evolve-from, the web of FILE some days later: pages are born, edited and die, links change, sites come and
    go, at the rates of the real web (docs/evolving-web.md).  FILE may itself be such a web, or any WARC file.

    \b
    Example:
      cutweb web make --sites 40 --pages 5000 --seed 1 --out web.warc.gz
    A web to benchmark with:
      cutweb web make --sites 200 --pages 20000 --links 60 --page-kb 22 --gzip --out bench.warc.gz
    The same web after one week, and after two:
      cutweb web make --evolve-from web.warc.gz --days 7 --out web-7.warc.gz
      cutweb web make --evolve-from web-7.warc.gz --days 7 --out web-14.warc.gz
    """
    refuse_if_any(context, _strangers(context, _EVOLVING if source is None else _INVENTING, source))

    def write() -> None:
        if source is None:
            _invent(out, **{name: options[name] for name in (*_INVENTING, "seed")})
        else:
            rates = {name: options[name] for name in _RATES if options[name] is not None}
            _evolve(source, out, options["days"], options["seed"], rates)

    with leaving_on_signals():
        or_refuse(context, out, (ValueError,), write)


def _strangers(context: click.Context, strangers: tuple[str, ...], source: Path | None) -> Iterator[str]:
    """The problem with each option that is given and would do nothing, or is missing."""
    for name in strangers:
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = f"--{name.replace('_', '-')}"
            yield f"{option} {'only goes' if source is None else 'does not go'} with --evolve-from"
    if source is not None and context.params["days"] is None:
        yield "--evolve-from needs --days, the number of days to let pass"


def _invent(out: Path, **numbers: Any) -> None:
    from sessions.localweb.generate.make import make_web

    made = make_web(out, **numbers)
    tell(f"file: {made.path}")
    tell(f"sites: {made.sites:,} in {made.domains:,} domains")
    tell(f"pages: {made.pages:,} and {made.redirects:,} redirects, {made.robots:,} robots.txt")
    tell(f"links: {made.links:,}, {made.links_inside / max(made.links, 1):.0%} of them within a site")
    tell(f"bytes: {made.html_bytes:,} of HTML, {made.body_bytes:,} as sent, {out.stat().st_size:,} in the file")
    tell(f"seeds: {made.seeds_path}")


def _evolve(source: Path, out: Path, days: int, seed: int, rates: dict[str, float]) -> None:
    from sessions.localweb.evolve.evolve import evolve_web
    from sessions.localweb.evolve.rates import Rates

    with ProgressLine() as progress:
        new = evolve_web(source, out, days=days, seed=seed, rates=Rates(**rates), progress=progress)
    for warning in new.warnings:
        tell(f"warning: {warning}", err=True)
    date = datetime.fromtimestamp(new.date, UTC).date()
    tell(f"file: {new.path}, {days} days after {source.name}, as of {date}")
    tell(f"sites: {new.sites:,}; {new.new_sites:,} new, {new.gone_sites:,} gone")
    tell(f"pages: {new.pages:,}; {new.born:,} born, {new.gone:,} gone")
    tell(f"edited: {new.edited:,} pages, {new.relinked:,} of them only for links that others need")
    tell(f"links: {new.links_added:,} added and {new.links_removed:,} removed in edited pages")
    tell(f"links: {new.links_born:,} came with pages born, {new.links_gone:,} went with pages gone")
    tell(f"unchanged: {new.copied:,} records, redirects and other files among them")
    tell(f"unreachable from the seeds: {new.unreached:,} pages, before {new.unreached_before:,}")
    tell(f"seeds: {new.seeds_path}")


@web.command()
@_WARCS
@click.option("--port", type=_PORT, default=0, help="Port to listen on; 0, the default, takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--seeds-out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the sites' root pages to FILE; of a site without one, its shortest URL.",
)
@click.option(
    "--ca-cert-out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the certificate that makes our https trustworthy to FILE; it is good as long as we run.",
)
@click.pass_context
def serve(
    context: click.Context,
    /,
    warcs: tuple[Path, ...],
    port: int,
    host: str,
    seeds_out: Path | None,
    ca_cert_out: Path | None,
) -> None:
    """Serve the pages of any WARC files, http and https on one port, until SIGTERM or Ctrl-C.

    Pages are found by Host header; the second line printed has the options that bring curl or cutweb here.  A crawl of
    them dates them today: `cutweb import warc` keeps the dates of the files.

    \b
    Example:
      cutweb web serve web.warc.gz --port 8080
      curl --connect-to ::127.0.0.1:8080 http://www.d1.example/
    Pages of others, for a crawl in another terminal:
      cutweb web serve others.warc.gz --port 8080 --seeds-out others.txt --ca-cert-out others.pem
      cutweb crawl --seeds others.txt --ca-cert others.pem --connect-to ::127.0.0.1:8080 --delay 0 --server-delay 0 \\
        --ranks 4 --assign page-hash --scope domains --out local
    """
    from crawler.process.file_limits import raise_limit
    from partition.export.output_files import PlaceError, place_of_file, replace_text
    from sessions.localweb.serve.server import LocalWeb, serve_until_signal

    def run() -> None:
        local = LocalWeb(warcs, host=host, port=port, keep_log=False)
        for warning in local.index.warnings:
            tell(f"warning: {warning}", err=True)
        for site, url in local.index.rootless().items() if seeds_out is not None else ():
            tell(f"warning: {site} has no root page here; its seed is {url}", err=True)
        if seeds_out is not None:
            replace_text(seeds_out, "".join(f"{url}\n" for url in local.index.seeds()))
        if ca_cert_out is not None:
            place_of_file(ca_cert_out).check(replace=True)  # before others find us ready
        raise_limit()
        serve_until_signal(local, lambda: _announce(local, ca_cert_out))

    or_refuse(context, warcs[0], (PlaceError, ValueError), run)


@web.command()
@_WARCS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to make (must not exist).")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True, help="Port nginx is to use.")
@click.option("--tls-port", type=click.IntRange(1, 65535), help="Port for https.  [default: https is left out]")
@click.option("--http-for-https", is_flag=True, help="Serve pages recorded with https on plain http.")
@click.pass_context
def export(
    context: click.Context, /, warcs: tuple[Path, ...], out: Path, port: int, tls_port: int | None, http_for_https: bool
) -> None:
    """Write the pages of WARC files as a folder that nginx can serve, and print how to start it.

    https is served at a port of its own (--tls-port), by HTTP/1.1 and HTTP/2, with certificates that are made here.

    \b
    Example:
      cutweb web export web.warc.gz --out web-nginx --port 8080
      nginx -p web-nginx -e web-nginx/error.log -c web-nginx/nginx.conf
    """
    from sessions.localweb.serve.nginx_export import export_web

    exported = or_refuse(
        context,
        out,
        (ValueError,),
        lambda: export_web(warcs, out, port=port, tls_port=tls_port, http_for_https=http_for_https),
    )
    for warning in exported.warnings:
        tell(f"warning: {warning}", err=True)
    for reason, count in exported.left_out.items():
        tell(f"warning: {count} pages left out: {reason}", err=True)
    if exported.delayed:
        tell(f"warning: {exported.delayed} slow pages will answer at once", err=True)
    tell(f"exported {exported.pages} pages to {out}")
    tell(f"start: {exported.start_command}")
    tell(f"stop:  {exported.stop_command}")
    tell(f"use: {shlex.join(exported.crawl_options)}")


def _announce(local: "LocalWeb", ca_cert_out: Path | None) -> None:
    """Say where we are, when the certificate lies where it is wanted."""
    from partition.export.output_files import replace_text

    if ca_cert_out is not None:
        replace_text(ca_cert_out, local.ca_cert.read_text())
    pages, sites = counted(len(local.index.entries), "page"), counted(len(local.index.sites()), "site")
    tell(f"serving {pages} of {sites} on http(s)://{local.address}")
    tell(f"use: --connect-to {local.connect_to} --ca-cert {ca_cert_out or local.ca_cert}")

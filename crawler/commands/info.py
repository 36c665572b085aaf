"""`cutweb info`: what a session amounts to, in all and by rank."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sessions.summary import Figures, Summary

_PLAIN_WIDTH = 1000
_NAME_WIDTH = 13


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def info(context: click.Context, session: Path, as_json: bool) -> None:
    """Sum up a session: pages, links, bytes, exchange and time, in all and by rank.

    A session that still runs, or was killed, is summed up as far as it is committed.

    \b
    Example:
      cutweb info crawl-1
    """
    from pyarrow import ArrowException

    from sessions.session import Session, SessionError
    from sessions.summary import summarise

    try:
        summary = summarise(Session.open(session))
    except SessionError as error:
        click.echo(f"error: {error}", err=True)
        context.exit(2)
    except (KeyError, TypeError, ValueError, OSError, ArrowException) as error:
        click.echo(f"error: {session} is damaged ({error}); cutweb check tells more", err=True)
        context.exit(2)
    if as_json:
        click.echo(json.dumps(summary.as_dict(), indent=1))
    else:
        _print(summary)


def _print(summary: "Summary") -> None:
    from rich.console import Console

    click.echo(f"{click.style(summary.session, bold=True)}: {_standing(summary)}")
    for name, fact in _facts(summary).items():
        click.echo(f"  {name:<{_NAME_WIDTH}}{fact}")
    if summary.ranks:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = _PLAIN_WIDTH  # nothing is to be cut or wrapped in a pipe
        click.echo()
        console.print(_by_rank(summary, console))


def _standing(summary: "Summary") -> str:
    epochs = f"{summary.epochs:,} epoch{'s' if summary.epochs != 1 else ''}"
    if summary.ended is not None:
        return f"ended ({summary.ended['reason']}) after {summary.ended['seconds']:,.1f} s, {epochs}"
    if summary.committed is None:
        return "not ended (killed, or still running), nothing committed"
    return f"not ended (killed, or still running), {epochs} committed until {summary.committed}"


def _facts(summary: "Summary") -> dict[str, str]:
    total = summary.total
    facts = {
        "started": f"{summary.started}, run {summary.run}, {summary.software}",
        "ranks": f"{summary.k:,}, assignment {summary.assignment}",
    }
    if summary.previous is not None:
        facts["previous"] = f"session {summary.previous}"
    if not summary.ranks:
        return facts
    return facts | {
        "discovered": f"{total.discovered:,} URLs",
        "fetched": f"{total.fetched:,} pages of {total.sites:,} sites{_counts(total.status_classes)}",
        **_overlap(summary),
        **{state: f"{getattr(total, state):,}{_counts(total.reasons[state])}" for state in total.reasons},
        "links": f"{total.links:,}, {_number(total.links_per_page)} a page, {total.links_nofollow:,} not followed "
        f"(nofollow); {total.links_out_of_scope:,} out of scope, {total.links_over_limit:,} over a page's limit",
        "robots": f"{total.robots_fetched:,} requests for a robots.txt",
        "bodies": f"{_size(total.bytes)} as received, {_size(total.decoded_bytes)} decoded",
        "seen before": f"{total.duplicates:,} documents, {total.near_duplicates:,} nearly; {total.unchanged:,} pages "
        "unchanged since the previous session",
        "errors": f"{sum(total.errors.values()):,} attempts without a useful response{_counts(total.errors)}",
        "defects": f"{sum(total.defects.values()):,} pages not whole, or not read to the end{_counts(total.defects)}",
        "exchange": f"{total.sent_urls:,} URLs sent ({_number(total.sent_per_page)} a page, "
        f"{_number(total.sent_per_link)} a link), {total.resent:,} of them again, {total.sent_numbers:,} as numbers; "
        f"{_size(total.sent_bytes)} of URLs, {_size(total.wire_bytes)} on the wire in {total.messages:,} messages; "
        f"{total.letters:,} letters about who may visit which site",
        "time": f"{total.seconds:,.1f} s, {total.supersteps:,} supersteps, {_number(total.pages_per_second)} pages/s",
        "CPU": f"{_number(sum(total.cpu_ms_per_page.values()))} ms a page{_milliseconds(total.cpu_ms_per_page)}",
        "peak memory": f"{_size(total.peak_rss)} on the largest rank",
    }


def _overlap(summary: "Summary") -> dict[str, str]:
    """Pages fetched more than once, where that can be, and for each distinct page (Cho and Garcia-Molina's overlap)."""
    if summary.overlap is None:
        return {}
    distinct = summary.total.fetched - summary.overlap
    share = _number(summary.overlap / distinct if distinct else None)
    return {"overlap": f"{summary.overlap:,} pages fetched more than once, {share} for each distinct page"}


_COLUMNS: dict[str, Callable[["Figures"], str]] = {
    "discovered": lambda rank: f"{rank.discovered:,}",
    "fetched": lambda rank: f"{rank.fetched:,}",
    "failed": lambda rank: f"{rank.failed:,}",
    "filtered": lambda rank: f"{rank.filtered:,}",
    "queued": lambda rank: f"{rank.queued:,}",
    "sites": lambda rank: f"{rank.sites:,}",
    "links": lambda rank: f"{rank.links:,}",
    "received": lambda rank: _size(rank.bytes),
    "sent URLs": lambda rank: f"{rank.sent_urls:,}",
    "on the wire": lambda rank: _size(rank.wire_bytes),
    "pages/s": lambda rank: _number(rank.pages_per_second),
    "CPU ms/page": lambda rank: _number(sum(rank.cpu_ms_per_page.values())),
    "peak memory": lambda rank: _size(rank.peak_rss),
}


def _by_rank(summary: "Summary", console: "Console") -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="bold")
    for column in ("rank", *_COLUMNS):
        table.add_column(column, justify="right")
    for rank, figures in enumerate(summary.ranks):
        table.add_row(f"{rank:,}", *(column(figures) for column in _COLUMNS.values()))
    table.add_row("all", *(column(summary.total) for column in _COLUMNS.values()), style="bold")
    return table


def _counts(counts: Mapping[str, int]) -> str:
    """Counts by name, the largest first, as an appendix."""
    largest_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ": " + ", ".join(f"{count:,} {name}" for name, count in largest_first) if counts else ""


def _milliseconds(stages: Mapping[str, float]) -> str:
    return ": " + ", ".join(f"{stage} {spent:.3f}" for stage, spent in stages.items()) if stages else ""


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _size(count: int) -> str:
    """A number of bytes in decimal units."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}" if unit != "B" else f"{count} B"
        size /= 1000
    return f"{size:,.3g} TB"

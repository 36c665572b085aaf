"""`cutweb info`: what a session amounts to, in all and by rank."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.process.printing import counted, empty_table, number, printer, size
from crawler.process.terminal import tell, tell_json, tell_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sessions.analysis.largest_sites import SiteFigures
    from sessions.analysis.summary import Figures, Summary

_NAME_WIDTH = 13


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--watch", is_flag=True, help="Follow a crawl that is still running, rank by rank, until it ends.")
@click.option("--sites", metavar="N", type=click.IntRange(1), help="Tell of the N sites with most pages, too.")
@click.pass_context
def info(context: click.Context, session: Path, as_json: bool, watch: bool, sites: int | None) -> None:
    """Sum up a session: pages, links, bytes, exchange and time, in all and by rank.

    A session that still runs, or was killed, is summed up as far as it is committed.

    \b
    Examples:
      cutweb info crawl-1
      cutweb info --sites 20 crawl-1
      cutweb info --watch crawl-2
    """
    if watch:
        _watch(context, session, as_json)
        return
    from crawler.launch.closing_message import idle_ranks
    from sessions.analysis.largest_sites import largest_sites
    from sessions.analysis.summary import summarise
    from sessions.session import Session, SessionError, damage_told

    def work() -> "tuple[Summary, str, list[SiteFigures]]":
        with damage_told(session):
            opened = Session.open(session)
            return summarise(opened), idle_ranks(opened), largest_sites(opened, sites) if sites else []

    summary, idle, largest = or_refuse(context, session, (SessionError,), work)
    if as_json:
        told = {"largest_sites": [site._asdict() for site in largest]} if sites else {}
        tell_json(summary.as_dict() | told)
        return
    _print(summary, idle)
    if largest:
        console = printer()
        tell("")
        console.print(_by_site(largest, console))


def _watch(context: click.Context, session: Path, as_json: bool) -> None:
    if as_json:
        raise click.UsageError("--watch and --json contradict each other: leave one of the two out")
    from crawler.commands.follow import follow
    from sessions.session import SessionError

    try:
        or_refuse(context, session, (SessionError, ValueError), lambda: follow(session, printer()))
    except KeyboardInterrupt:  # how one stops looking
        return


def _print(summary: "Summary", idle: str) -> None:
    tell_of(summary.session, f": {_standing(summary)}")
    for name, fact in _facts(summary).items():
        tell(f"  {name:<{_NAME_WIDTH}}{fact}")
    if summary.ranks:
        console = printer()
        tell("")
        console.print(_by_rank(summary, console))
    if idle:
        tell(idle)


def _standing(summary: "Summary") -> str:
    epochs = counted(summary.epochs, "epoch")
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
    if len(summary.runs) > 1:
        facts["runs"] = f"{len(summary.runs):,}: {_listed(summary)}"
    if summary.previous is not None:
        facts["previous"] = f"session {summary.previous}"
    if not summary.ranks:
        return facts
    facts |= {
        "discovered": counted(total["discovered"], "URL"),
        "fetched": f"{counted(total['fetched'], 'page')} of {counted(total.sites, 'site')}"
        f"{_counts(total.status_classes)}",
        **_overlap(summary),
        **{state: f"{total[state]:,}{_counts(reasons)}" for state, reasons in total["reasons"].items()},
        "links": f"{total['links']:,}, {number(total.links_per_page)} a page",
        "bodies": f"{size(total['bytes'])} as received, {size(total['decoded_bytes'])} decoded",
        "dropped": _dropped(summary),
        "exchange": _exchange(total) if summary.k > 1 or total["sent_urls"] else "",
    }
    for line, told in _others(total).items():
        facts[line] = _told(facts.get(line, ""), *told)
    facts |= {
        "time": f"{total['seconds']:,.1f} s, {counted(total['supersteps'], 'superstep')}, "
        f"{number(total.pages_per_second)} pages/s",
        "CPU": f"{number(sum(total.cpu_ms_per_page.values()))} ms a page{_milliseconds(total.cpu_ms_per_page)}",
        "peak memory": f"{size(total['peak_rss'])} on the largest rank",
    }
    return {name: fact for name, fact in facts.items() if fact}


def _dropped(summary: "Summary") -> str:
    return "; ".join(
        f"the bodies of {counted(note['pages'], 'page')} fetched before {note['before']}, on {note['at']}"
        for note in summary.dropped
    )


def _exchange(total: "Figures") -> str:
    return _told(
        f"{counted(total['sent_urls'], 'URL')} sent ({number(total.sent_per_page)} a page, "
        f"{number(total.sent_per_link)} a link)",
        f"{size(total['sent_bytes'])} of URLs",
        f"{size(total['wire_bytes'])} on the wire in {counted(total['messages'], 'message')}",
    )


def _others(total: "Figures") -> dict[str, list[str]]:
    """What the counters tell that have a line and words for it, by line."""
    from sessions.counters import COUNTERS, Form

    told: dict[str, list[str]] = {}
    for name, counter in COUNTERS.items():
        if counter.line and total[name]:
            value = total[name]
            if counter.form is Form.SECONDS:
                text = f"{number(value)} {counter.words}"
            else:
                text = _all_of(value, counter.words) if isinstance(value, dict) else _some(value, counter.words)
            told.setdefault(counter.line, []).append(text)
    return told


def _listed(summary: "Summary") -> str:
    return ", ".join(f"{counted(run['ranks'], 'rank')} from epoch {run['first_epoch']:,}" for run in summary.runs)


def _overlap(summary: "Summary") -> dict[str, str]:
    """Pages fetched more than once, where that can be, and for each distinct page (Cho and Garcia-Molina's overlap)."""
    if summary.overlap is None:
        return {}
    distinct = summary.total["fetched"] - summary.overlap
    share = number(summary.overlap / distinct if distinct else None)
    return {"overlap": f"{counted(summary.overlap, 'page')} fetched more than once, {share} for each distinct page"}


_COLUMNS: dict[str, Callable[["Figures"], str]] = {
    "discovered": lambda rank: f"{rank['discovered']:,}",
    "fetched": lambda rank: f"{rank['fetched']:,}",
    "failed": lambda rank: f"{rank['failed']:,}",
    "filtered": lambda rank: f"{rank['filtered']:,}",
    "queued": lambda rank: f"{rank['queued']:,}",
    "sites": lambda rank: f"{rank.sites:,}",
    "links": lambda rank: f"{rank['links']:,}",
    "received": lambda rank: size(rank["bytes"]),
    "sent URLs": lambda rank: f"{rank['sent_urls']:,}",
    "on the wire": lambda rank: size(rank["wire_bytes"]),
    "pages/s": lambda rank: number(rank.pages_per_second),
    "CPU ms/page": lambda rank: number(sum(rank.cpu_ms_per_page.values())),
    "peak memory": lambda rank: size(rank["peak_rss"]),
}


def _by_rank(summary: "Summary", console: "Console") -> "Table":
    table = empty_table(console)
    for column in ("rank", *_COLUMNS):
        table.add_column(column, justify="right")
    unknown = {"queued"} if summary.has_moved else set()
    for rank, figures in enumerate(summary.ranks):
        columns = ("-" if name in unknown else column(figures) for name, column in _COLUMNS.items())
        table.add_row(f"{rank:,}", *columns)
    table.add_row("all", *(column(summary.total) for column in _COLUMNS.values()), style="bold")
    return table


def _by_site(sites: "list[SiteFigures]", console: "Console") -> "Table":
    table = empty_table(console)
    table.add_column("site")
    for column in ("pages", "2xx", "3xx", "4xx and 5xx", "received"):
        table.add_column(column, justify="right")
    for site in sites:
        counts = (f"{count:,}" for count in (site.pages, site.good, site.redirects, site.errors))
        table.add_row(site.site, *counts, size(site.bytes))
    return table


def _counts(counts: Mapping[str, int]) -> str:
    """Counts by name, the largest first, as an appendix."""
    largest_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ": " + ", ".join(f"{count:,} {name}" for name, count in largest_first) if counts else ""


def _told(*parts: str) -> str:
    """What there is to tell, in a row."""
    return ", ".join(filter(None, parts))


def _some(count: int, what: str) -> str:
    """A number of things that are not told of where there are none."""
    return f"{count:,} {what}" if count else ""


def _all_of(counts: Mapping[str, int], what: str) -> str:
    told = _some(sum(counts.values()), what)
    return told and told + _counts(counts)


def _milliseconds(stages: Mapping[str, float]) -> str:
    return ": " + ", ".join(f"{stage} {spent:.3f}" for stage, spent in stages.items()) if stages else ""

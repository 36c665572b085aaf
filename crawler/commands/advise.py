"""`cutweb advise`: how the next crawl's ranks should share the URLs."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.config.option_groups import OWNERS, GroupedCommand, GroupedOption
from crawler.config.partition_options import effort_option, objective_option
from crawler.config.refusing import or_refuse
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import empty_table, printer, size
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell, tell_json
from partition.choices import MOST_PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.replay.advice import Advice, Option
    from crawler.replay.costs import Band


@click.command(cls=GroupedCommand)
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--ranks",
    cls=GroupedOption,
    group=OWNERS,
    metavar="K",
    type=click.IntRange(1, MOST_PARTS),
    required=True,
    help="Ranks of the next crawl.",
)
@click.option(
    "--network",
    "network_mbit",
    cls=GroupedOption,
    group=OWNERS,
    metavar="MBIT/S",
    type=click.FloatRange(0, min_open=True),
    default=1000.0,
    show_default=True,
    help="What the network of a rank carries: bodies that come in and URLs that ranks send each other take their time.",
)
@objective_option
@effort_option
@click.option("--json", "as_json", is_flag=True, help="Print everything that was tried, as JSON.")
@click.pass_context
def advise(
    context: click.Context,
    session: Path,
    ranks: int,
    network_mbit: float,
    objective: str,
    effort: str,
    as_json: bool,
) -> None:
    """Recommend a model and a rule for unknown URLs for the next crawl of a finished SESSION's web, with reasons.

    Each way of sharing URLs has a cost: how long the slowest rank is busy, and what goes between ranks.  Five times a
    fifth of the pages, whole directories, is held out from partitions and stands for pages that will be new; with more
    of them, and with others gone, that gives each cost a band.  The simplest way is recommended whose expected cost is
    within the band of the cheapest (page-hash, site-hash, prefix, page, url-range, site).  Without URLs, as in an
    imported graph, single pages are held out, and new ones go by their hash.

    \b
    Examples:
      cutweb advise crawl-1 --ranks 64
      cutweb advise crawl-1 --ranks 8 --network 100 --objective links
      cutweb advise crawl-1 --ranks 8 --json | jq .recommended
    """
    with leaving_on_signals():
        advice = _advice(context, session, ranks, network_mbit, {"objective": objective, "effort": effort})
    if advice.incomplete is not None:
        tell(f"warning: {advice.incomplete}", err=True)
    if as_json:
        tell_json(_as_dict(advice))
    else:
        _print(advice)


def _advice(
    context: click.Context, session: Path, ranks: int, network_mbit: float, cutting: dict[str, Any]
) -> "Advice":
    from crawler.replay.advice import advise as advise_on
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.models.partition_pages import Settings
    from sessions.session import SessionError

    def work() -> "Advice":
        with ProgressLine() as line:
            return advise_on(session, ranks, network_mbit=network_mbit, cutting=Settings(**cutting), progress=line.say)

    return or_refuse(context, session, (GraphError, MapError, SessionError), work)


def _print(advice: "Advice") -> None:
    console = printer()
    chosen = advice.chosen.candidate
    rule = "" if chosen.rule is None else f", unknown URLs by {chosen.rule}"
    console.print(f"recommended for {advice.ranks:,} ranks: {chosen.model}{rule}", markup=False)
    table = empty_table(console)
    for column in ("", "slowest rank, ms a page", "imbalance of requests, %", "of storage, %", "on the wire, B a page"):
        table.add_column(column, justify="right" if column else "left")
    table.add_column("map", justify="right")
    for option in advice.shown:
        table.add_row(
            f"{option.candidate.way}{' (recommended)' if option == advice.chosen else ''}",
            _band(option.page_ms, "{:.3f}"),
            _band(option.requests_imbalance, "{:.0f}", 100),
            _band(option.storage_imbalance, "{:.0f}", 100),
            _band(option.wire_bytes, "{:.1f}"),
            size(option.map_bytes) if option.map_bytes else "none",
        )
    console.print(table)
    for reason in _reasons(advice):
        console.print(f"- {reason}", markup=False)
    console.print("run:")
    for command in advice.commands:
        console.print(f"  {command}", markup=False, soft_wrap=True)


def _band(band: "Band", form: str, factor: float = 1.0) -> str:
    """What is expected, and in brackets the least and the most."""
    low, middle, high = (form.format(factor * value) for value in (band.low, band.middle, band.high))
    return f"{middle} ({low} to {high})"


def _reasons(advice: "Advice") -> "Iterator[str]":
    chosen, cheapest, base = advice.chosen, advice.cheapest, advice.base

    def seconds(band: "Band") -> str:
        least, most = (f"{advice.seconds(value):,.1f}" for value in (band.low, band.high))
        return f"{advice.seconds(band.middle):,.1f} s ({least} to {most})"

    yield (
        f"with as many pages as here, {advice.pages:,}, the slowest rank would be busy for {seconds(chosen.page_ms)} "
        f"and {size(round(chosen.wire_bytes.middle * advice.pages))} would go between ranks"
    )
    if cheapest == chosen:
        yield "nothing is expected to cost less"
    else:
        yield (
            f"{cheapest.candidate.way} is expected to cost {_difference(cheapest, chosen)}, but may cost up to "
            f"{cheapest.page_ms.high:.3f} ms: this is simpler, and within what is not known"
        )
    if base not in (chosen, cheapest):
        yield f"{base.candidate.way} is expected to cost {_difference(base, chosen)}"
    yield (
        f"expected, not sure: five times about {advice.held_out:,} of the {advice.pages:,} pages were held out from "
        "partitions and stand for new ones, or for half of these, while others are gone, or sites grow and shrink; in "
        "brackets least and most"
    )
    if not advice.has_urls:
        yield (
            "the pages have no URLs: single ones were held out, by their hash; nothing can be said of new directories "
            "and sites, nor of the rules for unknown URLs that go by them"
        )
        yield "the URLs that are sent have no length of their own: what is sent tells one way from another, no more"
    yield from advice.prices.lines()
    if chosen.map_bytes:
        yield f"each rank maps about {size(chosen.map_bytes)} of the partition, shared by the ranks of a machine"
    else:
        yield "it needs no map, and no partition to be made"
    for left in advice.left_out:
        yield f"{left.what} left out: {left.reason}"


def _difference(option: "Option", chosen: "Option") -> str:
    """How much more or less one option is expected to cost than another."""
    ratio = option.page_ms.middle / chosen.page_ms.middle - 1 if chosen.page_ms.middle else 0.0
    return f"{abs(ratio):.1%} {'more' if ratio >= 0 else 'less'}"


def _as_dict(advice: "Advice") -> dict[str, Any]:
    return {
        "session": str(advice.session),
        "ranks": advice.ranks,
        "pages": advice.pages,
        "held_out": advice.held_out,
        "incomplete": advice.incomplete,
        "prices": asdict(advice.prices),
        "recommended": _option_as_dict(advice.chosen),
        "cheapest": _option_as_dict(advice.cheapest),
        "reasons": list(_reasons(advice)),
        "commands": advice.commands,
        "options": [_option_as_dict(option) for option in advice.options],
        "left_out": [asdict(left) for left in advice.left_out],
    }


def _option_as_dict(option: "Option") -> dict[str, Any]:
    candidate = option.candidate
    bands = ("page_ms", "requests_imbalance", "storage_imbalance", "wire_bytes")
    return {
        "model": candidate.model,
        "unknown_rule": candidate.rule,
        "bands": {name: asdict(getattr(option, name)) for name in bands},
        "figures": option.figures,
        "map_bytes": option.map_bytes,
    }

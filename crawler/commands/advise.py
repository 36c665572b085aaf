"""`cutweb advise`: how the next crawl's ranks should share the URLs."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.commands.cuttingoptions import MOST_PARTS, effort_option, objective_option
from crawler.commands.leaving import leaving_on_signals
from crawler.commands.printing import empty_table, number, printer, size
from crawler.commands.progressline import ProgressLine
from crawler.commands.refusing import or_refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.replay.advice import Advice, Option


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--ranks", metavar="K", type=click.IntRange(1, MOST_PARTS), required=True, help="Ranks of the next crawl."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 10),
    default=0.1,
    show_default=True,
    help="The expected imbalance of storage and of requests that is acceptable: 0.1 is 10%.",
)
@objective_option
@effort_option
@click.option("--json", "as_json", is_flag=True, help="Print everything that was tried, as JSON.")
@click.pass_context
def advise(
    context: click.Context, session: Path, ranks: int, tolerance: float, objective: str, effort: str, as_json: bool
) -> None:
    """Recommend a model and a rule for unknown URLs for the next crawl of a finished SESSION's web, with reasons.

    Partitions are made from four fifths of the pages and the replay of all of them is estimated under each: the last
    fifth, whole directories, stands for pages that will be new.  Of what fetches no page twice and stays within the
    tolerance, that is recommended which sends least, or something simpler that sends nearly as little.  Without URLs,
    as in an imported graph, single pages are held out, and new ones go by their hash.

    \b
    Examples:
      cutweb advise crawl-1 --ranks 64
      cutweb advise crawl-1 --ranks 8 --tolerance 0.2 --objective links
      cutweb advise crawl-1 --ranks 8 --json | jq .recommended
    """
    with leaving_on_signals():
        advice = _advice(context, session, ranks, tolerance, {"objective": objective, "effort": effort})
    if as_json:
        click.echo(json.dumps(_as_dict(advice), indent=1))
    else:
        _print(advice)


def _advice(context: click.Context, session: Path, ranks: int, tolerance: float, cutting: dict[str, Any]) -> "Advice":
    from crawler.replay.advice import advise as advise_on
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.models.partitioning import Settings
    from sessions.session import SessionError

    settings = Settings(**cutting, tolerance=min(tolerance, Settings.tolerance))  # what is cut tighter lasts longer

    def work() -> "Advice":
        with ProgressLine() as line:
            return advise_on(session, ranks, tolerance=tolerance, cutting=settings, progress=line.say)

    return or_refuse(context, session, (GraphError, MapError, SessionError), work)


def _print(advice: "Advice") -> None:
    console = printer()
    chosen = advice.chosen.candidate
    rule = "" if chosen.rule is None else f", unknown URLs by {chosen.rule}"
    console.print(f"recommended for {advice.ranks:,} ranks: {chosen.model}{rule}", markup=False)
    table = empty_table(console)
    for column in ("", "imbalance of storage", "of requests", "sent a page", "on the wire a page", "overlap", "map"):
        table.add_column(column, justify="right" if column else "left")
    for name, option in _compared(advice):
        figures = option.figures
        table.add_row(
            name,
            f"{figures['storage_imbalance']:.1%}",
            f"{figures['requests_imbalance']:.1%}",
            f"{number(figures['bytes_per_page'])} B",
            f"{number(option.wire_bytes)} B",
            f"{option.overlap:.1%}",
            size(option.map_bytes) if option.map_bytes else "none",
        )
    console.print(table)
    for reason in _reasons(advice):
        console.print(f"- {reason}", markup=False)
    console.print("run:")
    for command in advice.commands:
        console.print(f"  {command}", markup=False, soft_wrap=True)


def _compared(advice: "Advice") -> "Iterator[tuple[str, Option]]":
    """The recommended option and those that it is compared with, each once."""
    shown = {"recommended": advice.chosen, "sends least": advice.least, "less even": advice.beyond, "hash": advice.base}
    seen = []
    for name, option in shown.items():
        if option is not None and option not in seen:
            seen.append(option)
            yield f"{option.candidate.way} ({name})" if name != "hash" else option.candidate.way, option


def _reasons(advice: "Advice") -> "Iterator[str]":
    chosen, base, within = advice.chosen, advice.base, f"{advice.tolerance:.0%}"
    worse = "; a site that grows by itself may do worse" if advice.has_urls else ""
    yield (
        f"expected, not sure: partitions were made without {advice.held_out:,} of the {advice.pages:,} pages, which "
        f"stand for those that will be new{worse}"
    )
    if not advice.has_urls:
        yield (
            "the pages have no URLs: single ones were held out, by their hash; nothing can be said of new directories "
            "and sites, nor of the rules for unknown URLs that go by them"
        )
        yield "the URLs that are sent have no length of their own: what is sent tells one way from another, no more"
    if advice.least is None:
        yield f"nothing without overlap stays within {within}: this has the least imbalance, {chosen.imbalance:.1%}"
    elif advice.least == chosen:
        yield f"of what fetches no page twice and stays within {within}, this sends least"
    else:
        yield (
            f"{advice.least.candidate.way} sends least within {within}, {number(advice.least.wire_bytes)} B a page; "
            "this is simpler and sends nearly as little"
        )
    if base != chosen and base.wire_bytes:
        yield f"on the wire it takes {chosen.wire_bytes / base.wire_bytes:.1%} of what {base.candidate.way} does"
    if (beyond := advice.beyond) is not None and chosen.wire_bytes:
        yield (
            f"{beyond.candidate.way} would send {beyond.wire_bytes / chosen.wire_bytes:.1%} of that, with an imbalance "
            f"of {beyond.imbalance:.1%}: --tolerance {_above(beyond.imbalance)} would allow it"
        )
    if chosen.map_bytes:
        yield f"each rank maps about {size(chosen.map_bytes)} of the partition, shared by the ranks of a machine"
    else:
        yield "it needs no map, and no partition to be made"
    for left in advice.left_out:
        yield f"{left.what} left out: {left.reason}"


def _above(imbalance: float) -> str:
    """A tolerance that is not below, with two digits after the point."""
    from math import ceil

    return f"{ceil(100 * imbalance) / 100:.2f}"


def _as_dict(advice: "Advice") -> dict[str, Any]:
    return {
        "session": str(advice.session),
        "ranks": advice.ranks,
        "tolerance": advice.tolerance,
        "pages": advice.pages,
        "held_out": advice.held_out,
        "recommended": _option_as_dict(advice.chosen),
        "is_within_tolerance": advice.least is not None,
        "reasons": list(_reasons(advice)),
        "commands": advice.commands,
        "options": [_option_as_dict(option) for option in advice.options],
        "left_out": [asdict(left) for left in advice.left_out],
    }


def _option_as_dict(option: "Option") -> dict[str, Any]:
    candidate = option.candidate
    return {
        "model": candidate.model,
        "unknown_rule": candidate.rule,
        "figures": option.figures,
        "map_bytes": option.map_bytes,
    }

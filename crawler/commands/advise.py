"""`cutweb advise`: how the next crawl's ranks should share the URLs."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.config.option_groups import OWNERS, GroupedCommand, grouped_option
from crawler.config.partition_options import effort_option, models_option, objective_option
from crawler.config.refusing import or_refuse
from crawler.process.answer_lines import print_answer
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import empty_table, headed, printer, size, which_way_is_good
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell, tell_json
from partition.choices import MOST_PARTS, all_models

if TYPE_CHECKING:
    from crawler.replay.advice import Advice, Option


@click.command(cls=GroupedCommand)
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@grouped_option(
    OWNERS,
    "--ranks",
    metavar="K",
    type=click.IntRange(1, MOST_PARTS),
    required=True,
    help="Ranks of the next crawl.",
)
@grouped_option(
    OWNERS,
    "--network",
    "network_mbit",
    metavar="MBIT/S",
    type=click.FloatRange(0, min_open=True),
    default=1000.0,
    show_default=True,
    help="What the network of a rank carries: bodies that come in and URLs that ranks send each other take their time.",
)
@models_option(f"What to try, and page-hash; of {', '.join(all_models())}, or all.")
@objective_option
@effort_option
@click.option("--json", "as_json", is_flag=True, help="Print everything that was tried, as JSON.")
@click.option(
    "--html", "page", metavar="FILE", type=click.Path(path_type=Path), help="Write a page of it all to FILE as well."
)
@click.pass_context
def advise(
    context: click.Context,
    session: Path,
    ranks: int,
    network_mbit: float,
    models: tuple[str, ...],
    objective: str,
    effort: str,
    as_json: bool,
    page: Path | None,
) -> None:
    """Recommend a model and a rule for unknown URLs (those that the map does not hold) for the next crawl of a
    finished SESSION's web, with reasons.

    Each way of sharing URLs has a cost: how long the slowest rank is busy, and what goes between ranks.  Five times a
    fifth of the pages, whole directories, is held out from partitions and stands for pages that will be new; with more
    of them, and with others gone, that gives each cost a band.  The simplest way is recommended whose expected cost is
    within the band of the cheapest (hashes first, then prefix, page, url-range, site, site-packed).  Without URLs, as
    in an imported graph, single pages are held out, and new ones go by their hash.

    \b
    Examples:
      cutweb advise crawl-1 --ranks 64
      cutweb advise crawl-1 --ranks 8 --network 100 --objective links
      cutweb advise crawl-1 --ranks 8 --html advice.html
      cutweb advise crawl-1 --ranks 8 --json | jq .recommended
    """
    with leaving_on_signals():
        cutting = {"objective": objective, "effort": effort}
        advice = _advice(context, session, ranks, network_mbit, models, cutting, page)
    if advice.incomplete is not None:
        tell(f"warning: {advice.incomplete}", err=True)
    if as_json:
        tell_json(_as_dict(advice))
    else:
        _print(advice)


def _advice(
    context: click.Context,
    session: Path,
    ranks: int,
    network_mbit: float,
    models: tuple[str, ...],
    cutting: dict[str, Any],
    page: Path | None,
) -> "Advice":
    from crawler.replay.advice import advise as advise_on
    from crawler.replay.advice_page import as_html
    from crawler.replay.reporting.report import now_in_utc
    from partition.export.output_files import PlaceError, place_of_file, replace_text
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.models.settings import Settings
    from sessions.session import SessionError

    def work() -> "Advice":
        if page is not None:
            place_of_file(page).check(replace=True)  # before the work, not after it
        with ProgressLine() as line:
            advice = advise_on(
                session,
                ranks,
                network_mbit=network_mbit,
                models=models,
                cutting=Settings(**cutting),
                progress=line.say,
            )
        if page is not None:
            replace_text(page, as_html(advice, now_in_utc()))
        return advice

    return or_refuse(context, session, (GraphError, MapError, PlaceError, SessionError), work)


def _print(advice: "Advice") -> None:
    from crawler.replay.advice_answer import answer_of, reasons
    from crawler.replay.advice_page import COLUMNS, bands

    console = printer()
    print_answer(answer_of(advice), console)
    table = empty_table(console)
    table.add_column("")
    for column in (*COLUMNS, "map"):
        table.add_column(headed(console, column, ""), justify="right")
    for option in advice.shown:
        name = f"{option.candidate.way}{' (recommended)' if option == advice.chosen else ''}"
        table.add_row(name, *bands(option), size(option.map_bytes) if option.map_bytes else "none")
    console.print(table)
    console.print(which_way_is_good(console))
    for reason in reasons(advice):
        console.print(f"- {reason}")


def _as_dict(advice: "Advice") -> dict[str, Any]:
    from crawler.replay.advice_answer import answer_of, reasons

    return {
        "session": str(advice.session),
        "ranks": advice.ranks,
        "pages": advice.pages,
        "held_out": advice.held_out,
        "incomplete": advice.incomplete,
        "prices": asdict(advice.prices),
        "recommended": _option_as_dict(advice.chosen),
        "cheapest": _option_as_dict(advice.cheapest),
        "answer": answer_of(advice).sentence,
        "reasons": list(reasons(advice)),
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

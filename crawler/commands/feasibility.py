"""`cutweb feasibility`: whether a web of so many pages can be had, by what a session's pages cost."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.process.answer_lines import print_answer
from crawler.process.printing import counted, empty_table, number, printer, size
from crawler.process.terminal import tell, tell_json
from partition.choices import MOST_PARTS

if TYPE_CHECKING:
    from crawler.feasibility.reckoning import Reckoning
    from partition.report.answer import Answer


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--pages",
    metavar="N",
    type=click.IntRange(2),
    required=True,
    help="Pages of the web; more than a page of the session has links.",
)
@click.option(
    "--ranks",
    metavar="K",
    type=click.IntRange(1, MOST_PARTS),
    required=True,
    help="Ranks that share them evenly.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def feasibility(context: click.Context, session: Path, pages: int, ranks: int, as_json: bool) -> None:
    """Reckon what N pages take on K ranks of time, memory, disk and network, if a page costs what it did in SESSION.

    How it is reckoned is in docs/feasibility.md.  Exits with 2 if something is wrong.

    \b
    Examples:
      cutweb feasibility crawl-1 --pages 4000000000 --ranks 192
    """
    from crawler.feasibility.page_costs import costs_of
    from crawler.feasibility.reckoning import FeasibilityError, reckon
    from crawler.worklist.table_share import check_tables
    from sessions.session import Session, SessionError, damage_told

    def work() -> "Reckoning":
        with damage_told(session):
            opened = Session.open(session)
            check_tables(opened)
            costs = costs_of(opened)
        return reckon(costs, pages, ranks)

    reckoning = or_refuse(context, session, (SessionError, FeasibilityError), work)
    if as_json:
        tell_json(reckoning.as_dict())
        return
    print_answer(_answer(reckoning))
    _print_tables(reckoning)


def _answer(reckoning: "Reckoning") -> "Answer":
    from crawler.feasibility.reckoning import DAY
    from partition.report.answer import Answer, Bar

    days = {bound: seconds / DAY for bound, seconds in reckoning.seconds.items()}
    share = reckoning.peak.fetched / reckoning.pages
    return Answer(
        f"{counted(reckoning.pages, 'page')} on {counted(reckoning.ranks, 'rank')} take at least "
        f"{number(days[reckoning.longest])} days, bounded by {reckoning.longest}; uplinks are below.  At most "
        f"{number(reckoning.peak.pending)} URLs wait at a time, after {share:.1%} of the pages, if links lead anywhere "
        "with equal chance.",
        "Days, if nothing else took time",
        [Bar(bound, length, f"{number(length)} days") for bound, length in days.items()],
    )


def _print_tables(reckoning: "Reckoning") -> None:
    console = printer()
    costs = reckoning.costs
    measured = {
        "links": number(costs.links),
        "bytes received": number(costs.received),
        "bytes on disk": number(costs.stored),
        "bytes of a URL": number(costs.url_bytes),
        "CPU, ms": number(costs.cpu_ms),
        "bytes between ranks for a URL sent": number(costs.wire),
        "pages/s of a rank": number(costs.rank_rate),
        "new pages with 2xx, share of fetches": f"{costs.new_share:.1%}",
    }
    table = empty_table(console)
    table.add_column(f"a page, in the mean of {costs.pages:,}")
    table.add_column("", justify="right")
    for name, value in measured.items():
        table.add_row(name, value)
    console.print(table)
    needed = empty_table(console)
    needed.add_column("needed")
    needed.add_column("a rank", justify="right")
    needed.add_column("all ranks", justify="right")
    for kind in ("memory", "disk", "network"):
        for name, amount in getattr(reckoning, kind).items():
            needed.add_row(f"{kind}: {name}", size(round(amount / reckoning.ranks)), size(round(amount)))
    tell("")
    console.print(needed)
    for line in reckoning.left_out:
        tell(f"not known: {line}")

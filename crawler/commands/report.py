"""`cutweb report`: sessions of one web as a page to look at."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.partition_options import out_option
from crawler.config.refusing import or_refuse
from crawler.process.answer_lines import print_answer
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from crawler.session_report.make_report import SessionReport


@click.command()
@click.argument("sessions", metavar="SESSION...", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_option
@click.option(
    "--hot",
    metavar="G",
    type=click.IntRange(0),
    help="A page is hot if more than G other pages link to it.  [default: the least G that at most 10% of the pages "
    "exceed]",
)
@click.pass_context
def report(context: click.Context, sessions: tuple[Path, ...], out: Path, hot: int | None) -> None:
    """Show one or several sessions of a web as a page: how they crawled, what they saw, and the graph of its links.

    A session that still runs, or was killed, is shown as far as it is committed.  DIR gets report.html, which needs
    nothing else, report.json, and a CSV file for each figure (docs/reports.md).  Exits with 2, leaving nothing, if
    something is wrong.

    \b
    Examples:
      cutweb report crawl-1 --out crawl-1-report
      cutweb report crawl-1 crawl-2 crawl-3 --out crawls --hot 20
    """
    from crawler.session_report.answer import answer_of
    from crawler.session_report.make_report import PAGE, make_session_report
    from sessions.session import SessionError

    def work() -> "SessionReport":
        with ProgressLine() as line:
            return make_session_report(sessions, out, hot, line.say)

    with leaving_on_signals():
        made = or_refuse(context, out, (SessionError,), work)
    last = made.paths[-1]
    print_answer(answer_of(made.sessions, str(last)))
    tell(f"report: {out / PAGE}")

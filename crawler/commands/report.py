"""`cutweb report`: a session as a page to look at."""

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
    from crawler.session_report.figures import SessionFigures


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@out_option
@click.pass_context
def report(context: click.Context, session: Path, out: Path) -> None:
    """Show a SESSION as a page: its sites, answers, media types, depths, degrees, pages over time, ranks.

    A session that still runs, or was killed, is shown as far as it is committed.  DIR gets index.html, which needs
    nothing else, report.json and sites.csv.  Exits with 2, leaving nothing, if something is wrong.

    \b
    Examples:
      cutweb report crawl-1 --out crawl-1-report
    """
    from crawler.session_report.answer import answer_of
    from crawler.session_report.make_report import PAGE, make_session_report
    from sessions.session import SessionError

    def work() -> "SessionFigures":
        with ProgressLine() as line:
            return make_session_report(session, out, line.say)

    with leaving_on_signals():
        figures = or_refuse(context, out, (SessionError,), work)
    print_answer(answer_of(figures, str(session)))
    tell(f"report: {out / PAGE}")

"""`cutweb check`: is a session what docs/formats.md says it should be?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell, tell_json

if TYPE_CHECKING:
    from sessions.checking.check import Findings, Problem


@click.command()
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option("--most", metavar="N", default=20, show_default=True, help="Show at most this many problems of a kind.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def check(context: click.Context, session: Path, most: int, as_json: bool) -> None:
    """Check a session: every file, row, record and counter, as far as it is committed.

    Exits with 0 if all is well, 1 if something is wrong, 2 if SESSION is no session.

    \b
    Example:
      cutweb check crawl-1
    """
    from sessions.checking.check import check_session
    from sessions.session import SessionError

    def checked() -> "Findings":
        with ProgressLine() as line:
            return check_session(session, most, lambda what, *share: line(f"checking {what}", *share))

    findings = or_refuse(context, session, (SessionError,), checked)
    if as_json:
        tell_json(findings.as_dict())
    else:
        tell(*_as_lines(session, findings))
    context.exit(0 if findings.is_good else 1)


def _as_lines(session: Path, findings: "Findings") -> list[str]:
    lines = [_line(problem) for problems in findings.problems.values() for problem in problems]
    for kind, count in findings.counts.items():
        if count > (shown := len(findings.problems.get(kind, []))):
            lines.append(f"... and {count - shown:,} more of {kind}")
    lines += [f"note: {note}" for note in findings.notes]
    if findings.overlap:
        lines.append(f"overlap: {findings.overlap:,} pages fetched by more than one rank, which the assignment allows")
    checked = findings.checked
    what = ", ".join(
        f"{checked[counter]:,} {name}"
        for counter, name in (("pages", "pages"), ("links", "links"), ("urls", "URLs"), ("records", "WARC records"))
    )
    verdict = "good" if findings.is_good else f"{findings.counts.total():,} problems"
    lines.append(f"{session}: {verdict}; {what} checked in {findings.seconds:.1f} s")
    return lines


def _line(problem: "Problem") -> str:
    if problem.row is None:
        return f"{problem.file}: {problem.text}"
    where = "offset" if problem.file.endswith(".warc.gz") else "row"
    return f"{problem.file}: {where} {problem.row}: {problem.text}"

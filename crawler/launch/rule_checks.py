"""What rank 0 checks of a file of rules before a crawl begins, or goes on, and what it tells all ranks of them."""

from pathlib import Path
from typing import NamedTuple

from crawler.config.command_line import UsageError
from crawler.site_rules.rule_file import RuleFileError, read_rules
from sessions.rule_records import Since, rule_records, rules_held, since_when
from sessions.session import Session


class PlannedRules(NamedTuple):
    """The rules that hold at first: the ``text`` of their file.

    ``since`` says when each rule began to give a key, as far as an earlier run of the session had it already.
    """

    file: Path
    text: str
    since: Since


def planned_rules(path: Path | None, session: Session | None = None) -> PlannedRules | None:
    """The rules that hold at first, None without a file of them.  Raises UsageError if it cannot be used.

    ``session`` is the one that the crawl goes on with, if it does.
    """
    if path is None:
        return None
    try:
        text, _ = read_rules(path)
    except RuleFileError as error:
        is_gone = session is not None and not path.exists()
        hint = "; --rules names another file, as /dev/null, which has no rules" if is_gone else ""
        raise UsageError(*(f"--rules {problem}{hint}" for problem in error.problems)) from error
    records = rule_records(session.path) if session is not None else []
    return PlannedRules(path.resolve(), text, since_when(rules_held(records).values()))

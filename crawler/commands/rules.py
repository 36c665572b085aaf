"""`cutweb rules`: what a file of rules for sites says, would hit, and has said while a session was crawled."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.config.refusing import or_refuse, refuse_if_any
from crawler.config.suggestions import CommandGroup
from crawler.process.printing import counted, empty_table, printer, size
from crawler.process.terminal import tell, tell_json

if TYPE_CHECKING:
    from crawler.site_rules.rule_file import SiteRule
    from crawler.site_rules.rule_hits import RuleHits
    from sessions.rule_records import RuleRecord

_PATH = click.Path(path_type=Path)


@click.group(cls=CommandGroup)
def rules() -> None:
    """Check rules for sites, and see which ones a session was crawled by (docs/rules.md).

    \b
    Examples:
      cutweb rules check rules.toml crawl-1
      cutweb rules history crawl-1
    """


@rules.command()
@click.argument("file", metavar="FILE", type=_PATH)
@click.argument("session", metavar="[SESSION]", type=_PATH, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def check(context: click.Context, file: Path, session: Path | None, as_json: bool) -> None:
    """Check a FILE of rules, and say what each would hit in a SESSION.

    A rule hits a URL if it decides something there: a more specific rule may leave it nothing to say.

    Exits with 0 if the file can be used, 2 if not.

    \b
    Examples:
      cutweb rules check rules.toml
      cutweb rules check rules.toml crawl-1
    """
    from crawler.site_rules.rule_file import RuleFileError, read_rules

    try:
        _, found = read_rules(file)
    except RuleFileError as error:
        refuse_if_any(context, error.problems)
        raise
    hits = _hits(context, session, found) if session is not None else []
    if as_json:
        tell_json({"rules": [_as_plain(rule) for rule in found], "hits": [_counts(hit) for hit in hits]})
        return
    console = printer()
    table = empty_table(console)
    for heading in ("line", "rule", "says"):
        table.add_column(heading)
    for heading in ("sites", "URLs", "queued", "pages", "bytes") if session is not None else ():
        table.add_column(heading, justify="right")
    for place, rule in enumerate(found):
        table.add_row(str(rule.line), str(rule.target), _said(rule), *(_cells(hits[place]) if hits else ()))
    console.print(table)
    idle = sum(1 for hit in hits if not hit.urls)
    tell(f"{file}: {counted(len(found), 'rule')}{f', {idle:,} of which hit nothing in {session}' if idle else ''}")


@rules.command()
@click.argument("session", metavar="SESSION", type=_PATH)
@click.option("--json", "as_json", is_flag=True, help="Print the records as JSON.")
@click.pass_context
def history(context: click.Context, session: Path, as_json: bool) -> None:
    """Tell by which rules a SESSION was crawled, from when on, and in what file they stood.

    \b
    Example:
      cutweb rules history crawl-1
    """
    from sessions.rule_records import rule_records, rules_held
    from sessions.session import Session, SessionError, damage_told

    def read() -> "list[RuleRecord]":
        with damage_told(session):
            return rule_records(Session.open(session).path)

    records = or_refuse(context, session, (SessionError,), read)
    if as_json:
        tell_json({"records": records})
        return
    for record in records:
        where = f"superstep {record['superstep']:,} of run {record['run']}, {record['file']}"
        tell(f"{record['at']}  {counted(record.get('held', len(record['rules'])), 'rule')} from {where}")
    for rule in rules_held(records).values():
        for key, since in rule["since"].items():
            tell(f"  since {since}  {rule['kind']} {rule['name']}  {key} = {json.dumps(rule['values'][key])}")
    if not records:
        tell(f"{session}: crawled without rules")


def _hits(context: click.Context, session: Path, found: "tuple[SiteRule, ...]") -> "list[RuleHits]":
    from crawler.site_rules.rule_hits import hits_of
    from sessions.session import Session, SessionError, damage_told

    def count() -> "list[RuleHits]":
        with damage_told(session):
            return hits_of(Session.open(session), found)

    return or_refuse(context, session, (SessionError,), count)


def _shown(rule: "SiteRule") -> dict[str, Any]:
    from crawler.site_rules.rule_keys import as_recorded

    return as_recorded(rule.values)


def _said(rule: "SiteRule") -> str:
    return ", ".join(f"{key} = {json.dumps(value)}" for key, value in _shown(rule).items())


def _as_plain(rule: "SiteRule") -> dict[str, Any]:
    return {"line": rule.line, rule.target.kind: rule.target.name, **_shown(rule)}


def _counts(hit: "RuleHits") -> dict[str, int]:
    return {name: getattr(hit, name) for name in ("sites", "urls", "queued", "pages", "bytes")}


def _cells(hit: "RuleHits") -> list[str]:
    *counts, received = _counts(hit).values()
    return [*(f"{count:,}" for count in counts), size(received)]

"""What is recorded of an operator's rules is there without a gap, and as docs/formats.md has it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessions.checking.json_shape import misshapen
from sessions.checking.problem import Problem
from sessions.rule_records import RULES, RecordedRule, RuleRecord, Target, take_record


def rules_are_recorded(session: Path) -> Iterator[Problem]:
    """The files of rules are numbered from 1, have the right shape, and say their numbers and how many rules held."""
    rules: dict[Target, RecordedRule] | None = {}
    paths = sorted((session / RULES).glob("*.json"))
    for number, path in enumerate(paths, start=1):
        name = path.relative_to(session).as_posix()
        if path.name != f"{number:06d}.json":
            yield Problem(name, None, f"stands where {number:06d}.json should be")
            return
        try:
            record: Any = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            yield Problem(name, None, f"cannot be read ({error})")
            rules = None
            continue
        problems = list(misshapen(record, RuleRecord))
        yield from (Problem(name, None, text) for text in problems)
        if not problems and record["number"] != number:
            yield Problem(name, None, f"says that it is number {record['number']}")
        if problems:
            rules = None  # nobody knows what held from then on
        elif rules is not None:
            take_record(rules, record)
            if record.get("held", len(rules)) != len(rules):
                told = f"says that {record['held']:,} rules held; by the records up to it it is {len(rules):,}"
                yield Problem(name, None, told)

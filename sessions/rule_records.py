"""What a session records of an operator's rules for sites: a file for each run, and for each time that others came.

SESSION/rules/000001.json and so on; docs/formats.md describes them.  They are made whole and never edited.  The first
has all rules, each other one what is different; those of older versions have all.  What a rule has given without a
break, it has given since then: a switch as long as it stands the same, a number or text whatever it was.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from xxhash import xxh3_64_hexdigest

from sessions.records import Count, Time
from sessions.session import read_json
from sessions.storage.durable_json import create, dumped_by_lines, make_folder

RULES = "rules"

Target = tuple[str, str]
"""What a rule is about: its kind and name."""
Row = tuple[str, str, int, Mapping[str, Any]]
"""A rule to be recorded: kind and name of its target, the line that it begins on, and its values by key."""
Since = dict[tuple[str, str, str, bool | None], str]
"""When a rule began to give a key, in ISO 8601, by kind and name of its target, the key, and how a switch stands."""


class RecordedRule(TypedDict):
    """A rule as it is recorded: what it is about, its values by key, and since when it has given each (ISO 8601)."""

    kind: str
    name: str
    line: Count
    values: dict[str, Any]
    since: dict[str, Time]


class RecordedTarget(TypedDict):
    """What a rule was about that holds no more."""

    kind: str
    name: str


class RuleRecord(TypedDict):
    """The rules that a run of the crawl had from a superstep on, and the file that they stood in.

    ``rules`` are all of them, or if it says which are ``gone``, those that are new or say something else than in the
    record before; ``held`` is how many there were.
    """

    number: Count
    run: str
    superstep: Count
    at: Time
    file: str
    xxh3: str
    held: NotRequired[Count]
    gone: NotRequired[list[RecordedTarget]]
    rules: list[RecordedRule]


class Held(NamedTuple):
    """Which rules hold: how many, from which ``superstep`` on, in what ``file`` they stood, and its ``text``."""

    superstep: int
    file: Path
    text: str
    rules: int
    all_rules: Callable[[], Iterable[Row]]


class RuleLog:
    """Records for a ``run`` which rules hold.  Raises OSError where that cannot be written."""

    def __init__(self, session: Path, run: str) -> None:
        self._session = session
        self._run = run
        self._number = 0
        self._since: Since = {}

    def begin(self, held: Held) -> RuleRecord:
        """Record the rules that hold at first.  Raises SessionError if what is recorded cannot be read."""
        make_folder(self._session / RULES)
        records = rule_records(self._session)
        self._number = len(records)
        if not records:
            return self._record(held, _now())
        before = rules_held(records)
        self._since = since_when(before.values())
        rows = {(kind, name): (kind, name, line, values) for kind, name, line, values in held.all_rules()}
        new = [row for target, row in rows.items() if target not in before or before[target]["values"] != row[3]]
        altered = {row[:2] for row in new}
        gone = [rule for target, rule in before.items() if target not in rows or target in altered]
        return self.change(held, [(rule["kind"], rule["name"], rule["line"], rule["values"]) for rule in gone], new)

    def change(self, held: Held, gone: Sequence[Row], new: Sequence[Row]) -> RuleRecord:
        """Record that other rules hold: those that are ``gone`` or said something else, and those that say it now."""
        at = _now()
        rules = [self._dated(row, at) for row in new]
        for kind, name, _, values in gone:
            for key, value in values.items():
                self._since.pop((kind, name, key, _switch(value)), None)
        self._since |= since_when(rules)
        targets = {row[:2] for row in new}
        others: list[RecordedTarget] = [{"kind": row[0], "name": row[1]} for row in gone if row[:2] not in targets]
        try:
            return self._create(held, at, {"gone": others, "rules": rules})
        except FileExistsError:  # of a run that has lost the session and does not know it yet
            return self._record(held, at)

    def _record(self, held: Held, at: Time) -> RuleRecord:
        """Record all rules, whatever stands in the record before."""
        rules = [self._dated(row, at) for row in held.all_rules()]
        self._since = since_when(rules)
        while True:
            with suppress(FileExistsError):
                return self._create(held, at, {"rules": rules})

    def _create(self, held: Held, at: Time, rules: Mapping[str, Any]) -> RuleRecord:
        self._number += 1
        record = {
            "number": self._number,
            "run": self._run,
            "superstep": held.superstep,
            "at": at,
            "file": str(held.file),
            "xxh3": xxh3_64_hexdigest(held.text.encode()),
            "held": held.rules,
            **rules,
        }
        create(_path(self._session, self._number), dumped_by_lines(record, "rules"), self._run)
        return cast(RuleRecord, record)

    def _dated(self, row: Row, at: Time) -> RecordedRule:
        kind, name, line, values = row
        since = {key: self._since.get((kind, name, key, _switch(value)), at) for key, value in values.items()}
        return {"kind": kind, "name": name, "line": line, "values": dict(values), "since": since}


def rule_records(session: Path) -> list[RuleRecord]:
    """What is recorded of a session's rules, in order.  Raises SessionError if that cannot be read."""
    records: list[RuleRecord] = []
    for number in count(1):
        if not _path(session, number).exists():
            return records
        records.append(cast(RuleRecord, read_json(_path(session, number))))
    raise AssertionError("counting never ends")


def rules_held(records: Iterable[RuleRecord]) -> dict[Target, RecordedRule]:
    """The rules that hold after some records, the first of a session among them."""
    held: dict[Target, RecordedRule] = {}
    for record in records:
        take_record(held, record)
    return held


def take_record(held: dict[Target, RecordedRule], record: RuleRecord) -> None:
    """Make of the rules that held before a record those that hold after it."""
    if "gone" not in record:
        held.clear()
    for target in record.get("gone", ()):
        held.pop((target["kind"], target["name"]), None)
    held.update({(rule["kind"], rule["name"]): rule for rule in record["rules"]})


def since_when(rules: Iterable[RecordedRule]) -> Since:
    """Since when each rule has given each of its keys."""
    return {
        (rule["kind"], rule["name"], key, _switch(rule["values"][key])): since
        for rule in rules
        for key, since in rule["since"].items()
    }


def _now() -> Time:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _path(session: Path, number: int) -> Path:
    return session / RULES / f"{number:06d}.json"


def _switch(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None

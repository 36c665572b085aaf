"""What a session records of an operator's rules for sites: a file for each time that other rules held.

SESSION/rules/000001.json and so on; docs/formats.md describes them.  They are made whole and never edited.  What a rule
has given without a break, it has given since then: a switch as long as it stands the same, a number or text whatever
it was.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, TypedDict, cast

from xxhash import xxh3_64_hexdigest

from sessions.records import Count, Time
from sessions.session import read_json
from sessions.storage.durable_json import create, dumped, make_folder

RULES = "rules"

Values = Mapping[str, Any]
Since = dict[tuple[str, str, str, bool | None], str]
"""When a rule began to give a key, in ISO 8601, by kind and name of its target, the key, and how a switch stands."""


class RecordedRule(TypedDict):
    """A rule as it is recorded: what it is about, its values by key, and since when it has given each (ISO 8601)."""

    kind: str
    name: str
    line: Count
    values: dict[str, Any]
    since: dict[str, Time]


class RuleRecord(TypedDict):
    """The rules that a run of the crawl had from a superstep on, and the file that they stood in."""

    number: Count
    run: str
    superstep: Count
    at: Time
    file: str
    xxh3: str
    rules: list[RecordedRule]


def record_rules(
    session: Path, run: str, superstep: int, file: Path, text: str, rules: Sequence[tuple[str, str, int, Values]]
) -> RuleRecord:
    """Record that rules hold from a superstep on: kind and name of the target, line and values of each.

    ``text`` is that of the ``file``.  Raises OSError if that cannot be written.
    """
    folder = session / RULES
    make_folder(folder)
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    for number in count(len(list(folder.glob("*.json"))) + 1):
        before = since_when(_read(_path(session, number - 1))) if number > 1 else {}
        record: RuleRecord = {
            "number": number,
            "run": run,
            "superstep": superstep,
            "at": at,
            "file": str(file),
            "xxh3": xxh3_64_hexdigest(text.encode()),
            "rules": [
                {
                    "kind": kind,
                    "name": name,
                    "line": line,
                    "values": dict(values),
                    "since": {key: before.get((kind, name, key, _switch(value)), at) for key, value in values.items()},
                }
                for kind, name, line, values in rules
            ],
        }
        with suppress(FileExistsError):  # a run that has lost the session and does not know it yet
            create(_path(session, number), dumped(record), run)
            return record
    raise AssertionError("counting never ends")


def rule_records(session: Path) -> list[RuleRecord]:
    """What is recorded of a session's rules, in order.  Raises SessionError if that cannot be read."""
    records: list[RuleRecord] = []
    for number in count(1):
        if not _path(session, number).exists():
            return records
        records.append(_read(_path(session, number)))
    raise AssertionError("counting never ends")


def _path(session: Path, number: int) -> Path:
    return session / RULES / f"{number:06d}.json"


def _read(path: Path) -> RuleRecord:
    return cast(RuleRecord, read_json(path))


def _switch(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def since_when(record: RuleRecord) -> Since:
    """Since when each rule of a record has given each of its keys."""
    return {
        (rule["kind"], rule["name"], key, _switch(rule["values"][key])): since
        for rule in record["rules"]
        for key, since in rule["since"].items()
    }

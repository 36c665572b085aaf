"""Reading a file of rules: TOML with a table ``[[rule]]`` for each, all that is wrong told at once, by line."""

import difflib
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from crawler.site_rules.rule_keys import KEYS, WHY_NOT_ON
from crawler.site_rules.target import TARGETS, RuleTarget, target_of

TABLE = re.compile(r"^[ \t]*\[\[[ \t]*rule[ \t]*\]\]", re.MULTILINE)
"""Where a rule begins, unless it is text of several lines that looks so."""
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_MOST_TOLD = 10


class RuleFileError(Exception):
    """A file of rules that cannot be used; each argument is one line that names the file and the place in it."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, a line each."""
        return tuple(map(str, self.args))

    def __str__(self) -> str:
        return "; ".join(self.problems)


class SiteRule(NamedTuple):
    """A rule: its ``target``, its ``values`` by key, and the line of the file on which its table begins."""

    target: RuleTarget
    values: Mapping[str, Any]
    line: int


def text_of_rules(path: Path) -> str:
    """The text of a file of rules.  Raises RuleFileError."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleFileError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    except (OSError, ValueError) as error:
        raise RuleFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def read_rules(path: Path) -> tuple[str, tuple[SiteRule, ...]]:
    """The text of a file of rules, and the rules.  Raises RuleFileError."""
    text = text_of_rules(path)
    return text, rules_in(text, str(path))


def rules_in(text: str, name: str) -> tuple[SiteRule, ...]:
    """The rules in the text of a file of this name, in order.  Raises RuleFileError."""
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleFileError(_syntax_error(error, text, name)) from error
    problems = [f"{name}: {problem}" for problem in _strange_keys(content)]
    tables: Any = content.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise RuleFileError(*problems, f"{name}: each rule is a table of its own and begins with [[rule]]")
    places = _Places(text, len(tables))
    rules: dict[RuleTarget, SiteRule] = {}
    for number, table in enumerate(tables):
        line = places.of_table(number)
        try:
            target = _target(table)
            if target in rules:
                raise ValueError(f"{target} has a rule already, on line {rules[target].line}; make one of the two")
        except ValueError as error:
            problems.append(f"{name}:{line}: {error}")
            continue
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key in TARGETS:
                continue
            try:
                values[key] = _value(target, key, value)
            except ValueError as error:
                problems.append(f"{name}:{places.of_key(number, key)}: {error}")
        rules[target] = SiteRule(target, values, line)
    if len(problems) > _MOST_TOLD:
        problems[_MOST_TOLD:] = [f"{name}: {len(problems) - _MOST_TOLD:,} more problems"]
    if problems:
        raise RuleFileError(*problems)
    return tuple(rules.values())


def _syntax_error(error: Exception, text: str, name: str) -> str:
    """What TOML says, with the line in the place where other messages have it."""
    said = str(error)
    place = _PLACE.search(said)
    if place is None:
        return f"{name}: {said}"
    line = place[1] or len(text.splitlines())
    return f"{name}:{line}: {said[: place.start()]}"


def _strange_keys(content: Mapping[str, Any]) -> Iterator[str]:
    for key in content:
        if key != "rule":
            hint = "; put [[rule]] before it, if it belongs to a rule" if key in (*KEYS, *TARGETS) else ""
            yield f"unknown key {key!r} outside of the rules{hint}"


def _target(table: Mapping[str, Any]) -> RuleTarget:
    """What a rule is about.  Raises ValueError unless it names one target."""
    named = [kind for kind in TARGETS if kind in table]
    if len(named) != 1:
        what = f"names {len(named)}: {' and '.join(named)}" if named else "names none"
        raise ValueError(f"a rule has one of {', '.join(TARGETS)}; this one {what}")
    kind = named[0]
    if not isinstance(table[kind], str):
        raise ValueError(f"{kind} wants text")
    try:
        return target_of(kind, table[kind])
    except ValueError as error:
        raise ValueError(f"{kind}: {table[kind]!r} {error}") from error


def _value(target: RuleTarget, key: str, value: Any) -> Any:
    """A value as it is used.  Raises ValueError if there is no such key, or it may not stand here, or is wrong."""
    declared = KEYS.get(key)
    if declared is None:
        close = difflib.get_close_matches(key.replace("_", "-"), (*KEYS, *TARGETS), 1)
        raise ValueError(f"unknown key {key!r}{f'; did you mean {close[0]!r}?' if close else ''}")
    if target.kind not in declared.targets:
        why = WHY_NOT_ON.get((key, target.kind))
        named = " or ".join(declared.targets)
        raise ValueError(f"{key} is for a {named}, not for a {target.kind}{f': {why}' if why else ''}")
    try:
        return declared.read(value)
    except ValueError as error:
        shown = "" if declared.is_secret else f"{_as_toml(value)} "
        raise ValueError(f"{key}: {shown}{error}") from error


def _as_toml(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class _Places:
    """On which lines of a ``text`` the rules stand; all on the first if that cannot be told."""

    def __init__(self, text: str, tables: int) -> None:
        starts = [found.start() for found in TABLE.finditer(text)]
        self._text = text
        self._line_ends = [found.start() for found in re.finditer("\n", text)]
        self._starts = starts if len(starts) == tables else []  # text of several lines may look like a table

    def of_table(self, number: int) -> int:
        """The line on which a rule begins."""
        return self._line(self._starts[number]) if self._starts else 1

    def of_key(self, number: int, key: str) -> int:
        """The line on which a rule has a key, or begins."""
        if not self._starts:
            return 1
        start, end = self._starts[number], (*self._starts, len(self._text))[number + 1]
        named = rf"[\"']?{re.escape(key)}[\"']?[ \t]*"
        pattern = re.compile(rf"^[ \t]*({named}[=.]|\[[ \t]*rule[ \t]*\.[ \t]*{named}[\].])", re.MULTILINE)
        found = pattern.search(self._text, start, end)
        return self._line(found.start() if found is not None else start)

    def _line(self, offset: int) -> int:
        return bisect_left(self._line_ends, offset) + 1

"""Reading a file of rules that was changed: only the tables between the first and the last that differ.

A file of 100,000 rules takes seconds to read, and its operator adds a line.  A table is text of its own: what stands
before and after it says nothing of it.  So tables that begin and end the text as before are the rules that they were,
and what is between is read by itself.  Wherever that may not be so (it has something wrong, a table is not told apart
from text that looks like one, a target comes twice) the whole file is read.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from crawler.site_rules.rule_file import TABLE, RuleFileError, SiteRule, rules_in

_PIECE = 1 << 16
"""So many characters are compared at once."""


class ReadFile(NamedTuple):
    """The text of a file of rules, and the rules in it."""

    text: str
    rules: tuple[SiteRule, ...]


def read_again(before: ReadFile, text: str, name: str) -> ReadFile:
    """Return what a file of this name says, whose text it is now.  Raises RuleFileError."""
    rules = _with_what_differs(before, text, name)
    return ReadFile(text, rules_in(text, name) if rules is None else rules)


class _Changed(NamedTuple):
    """The tables from ``first`` to ``last`` - 1 were changed to ``text``, which is so many ``lines`` longer."""

    first: int
    last: int
    text: str
    lines: int


def _with_what_differs(before: ReadFile, text: str, name: str) -> tuple[SiteRule, ...] | None:
    """The rules, where reading what differs is enough; None if it is not."""
    changed = _changed(before, text)
    if changed is None:
        return None
    try:
        found = rules_in(changed.text, name)
    except RuleFileError:
        return None
    if len(found) != len(TABLE.findall(changed.text)):
        return None
    head, gone, tail = (before.rules[slice(*ends)] for ends in pairwise((0, changed.first, changed.last, None)))
    rules = (*head, *_moved(found, gone[0].line - 1), *_moved(tail, changed.lines))
    return rules if len({rule.target for rule in rules}) == len(rules) else None


def _changed(before: ReadFile, text: str) -> _Changed | None:
    """What differs, in whole tables; None if nothing is sure to be one."""
    starts = [table.start() for table in TABLE.finditer(before.text)]
    if len(starts) != len(before.rules):
        return None
    same = _same_at_start(before.text, text)
    first = bisect_right(starts, same) - 1
    if first >= 0 and not TABLE.match(text, starts[first]):  # what differs is how this table begins
        first -= 1
    if first < 0:
        return None
    same_at_end = min(_same_at_end(before.text, text), len(before.text) - same, len(text) - same)
    last = max(bisect_right(starts, len(before.text) - same_at_end), first + 1)
    ends = (*starts, len(before.text))
    gone, new = before.text[starts[first] : ends[last]], text[starts[first] : len(text) - len(before.text) + ends[last]]
    return _Changed(first, last, new, new.count("\n") - gone.count("\n"))


def _moved(rules: Sequence[SiteRule], lines: int) -> Sequence[SiteRule]:
    """Rules that stand so many lines further down."""
    return [rule._replace(line=rule.line + lines) for rule in rules] if lines else rules


def _same_at_start(text: str, other: str) -> int:
    """How many characters are the same at the start of both."""
    shorter = min(len(text), len(other))
    sizes = range(0, shorter, _PIECE)
    begin = next((size for size in sizes if text[size : size + _PIECE] != other[size : size + _PIECE]), shorter)
    piece = range(min(_PIECE, shorter - begin))
    return begin + bisect_left(
        piece, True, key=lambda size: text[begin : begin + size + 1] != other[begin : begin + size + 1]
    )


def _same_at_end(text: str, other: str) -> int:
    """How many characters are the same at the end of both."""
    return _same_at_start(text[::-1], other[::-1])

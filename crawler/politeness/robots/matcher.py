"""Which of many path patterns decides on a URL, by RFC 9309, section 2.2.2.

Most files have no pattern with `*` or `$`: then the longest pattern that the path begins with decides.  Where there is
one, protego judges.

Left to itself, protego takes liberties: `Allow: /x/index.html` allows `/x/` too, `%3F` is a `?`, octets that are no
UTF-8 are all one, and a `?` is as long as three letters.  So it is given each octet of the canonical forms
(`path_pattern`) as a letter that means nothing to it; all letters are equally long, and none is found across others.
What is left to it is to match, to take the longest, and to break ties.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from protego import Protego

MOST_STEPS = 1 << 22
"""Steps of comparing that a question may take at worst (10 ms); one that might take more is answered with no."""
_STEPS_BESIDE_PATTERN = 8
_BYTES_BESIDE_RULES = 2 << 10
_BYTES_OF_RULE, _BYTES_OF_OCTET, _BYTES_OF_STAR = 768, 8, 96  # measured; what protego holds of 20 octets takes 500-1200
_LETTERS = {octet: chr(0x100 + octet) for octet in range(0x21, 0x7F)}
_OCTETS_OF_LETTER = 6  # as protego writes it: two bytes of UTF-8, percent-encoded
_LETTERS[ord("*")] = "*" * _OCTETS_OF_LETTER  # means the same as one, and is as long as a letter
_END = "$"
_BYTES_BESIDE_PREFIXES, _BYTES_OF_PREFIX = 512, 128

Rule = tuple[str, bool]


class _Judge(Protocol):
    """Says what some rules allow; ``bytes`` is about how much memory it takes."""

    bytes: int

    def allow(self, path: str) -> bool:
        """May this path be fetched?"""
        ...


class PathRules:
    """Rules for paths: pairs of a canonical pattern and whether what it matches is allowed.

    ``bytes`` is about how much memory they take.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        rules = list(rules)
        has_operators = any("*" in pattern or pattern.endswith(_END) for pattern, _ in rules)
        self._judge: _Judge = _Patterns(rules) if has_operators else _Prefixes(rules)
        self.bytes = self._judge.bytes

    def allow(self, path: str) -> bool:
        """May this path, in canonical form, be fetched?  What no rule matches may."""
        return self._judge.allow(path)


class _Prefixes:
    """Patterns without operators, the longest first; of two alike the one that allows."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = sorted(rules, key=lambda rule: (-len(rule[0]), not rule[1]))
        self._all = tuple(pattern for pattern, _ in rules)
        self.bytes = _BYTES_BESIDE_PREFIXES + sum(_BYTES_OF_PREFIX + len(pattern) for pattern in self._all)

    def allow(self, path: str) -> bool:
        if not path.startswith(self._all):
            return True
        return next(is_allowed for pattern, is_allowed in self._rules if path.startswith(pattern))


class _Patterns:
    """Patterns of any kind, of which protego judges."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        lines = ["User-agent: *"]
        self._steps = 0
        self.bytes = _BYTES_BESIDE_RULES
        for pattern, is_allowed in rules:
            lines.append(f"{'Allow' if is_allowed else 'Disallow'}: {_in_letters(pattern)}")
            self.bytes += _BYTES_OF_RULE + _BYTES_OF_OCTET * len(pattern) + _BYTES_OF_STAR * pattern.count("*")
            if "*" in pattern[:-1]:
                self._steps += _STEPS_BESIDE_PATTERN + len(pattern)
        self._judge = Protego.parse("\n".join(lines))

    def allow(self, path: str) -> bool:
        if self._steps * len(path) > MOST_STEPS:
            return False
        return self._judge.can_fetch(_in_letters(path + _END), "*")


def _in_letters(text: str) -> str:
    """A pattern, or a path and the end that a pattern may ask for, in letters behind the slash that protego wants."""
    return "/" + text.translate(_LETTERS)

"""What a robots.txt says to one crawler: the rules, crawl-delay and sitemaps that concern it (RFC 9309, section 2.2).

Of a file that may name ten thousand crawlers only the group for one is kept.  Files are read as they are found: fields
may be misspelt in the usual ways or lack their colon, lines may end in LF, CR or both, bytes may be UTF-8, UTF-16 or
something older.  What makes no sense is passed over.
"""

import codecs
import re
from collections.abc import Set
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote

from crawler.politeness.robots.path_pattern import canonical_pattern
from sessions.url import LONGEST_URL, canonical

ROBOTS_BYTES = 500 << 10
"""How much of a robots.txt is read (RFC 9309, section 2.5)."""
MOST_RULES = 1 << 12
MOST_RULE_OCTETS = 1 << 17
"""How many rules may concern us, and how long they may be together in canonical form, a star counting as four octets.
More would take longer than 50 ms to prepare; they forbid everything."""

_LINE = re.compile(
    rb"^[ \t]*(user[ \t_-]?agent|allow|diss?allow|dissalow|disalow|diasllow|disallaw|crawl[ \t_-]?delay|site-?maps?)"
    rb"[ \t]*([: \t])[ \t]*([^\n#]*)",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = re.compile(rb"\A\xef\xbb?\xbf?")
_SECONDS = re.compile(rb"\d{1,9}(?:\.\d*)?|\.\d+")
_STARS = re.compile(rb"\*+")
_PRODUCT_TOKEN = re.compile(rb"[a-z_-]+")
"""A product token in lower case (RFC 9309, section 2.2.1)."""
_MORE_OF_A_NAME = re.compile(rb"[a-z0-9_-]")
_LONGEST_RULE = 4 * LONGEST_URL  # each character of a URL percent-encoded and after a star: what is longer matches none
_OCTETS_BESIDE_STAR = 3
_NOTHING_ALLOWED = ("/", False)
_BLANKS = b" \t\v\f"
_LONGEST_COMMON = 64  # octets: longer patterns are hardly another site's, too


@dataclass
class Group:
    """What a robots.txt says to one crawler.

    ``rules`` are pairs of a canonical pattern and whether it allows, each once.  ``delay`` is the crawl-delay asked
    for, in seconds, 0 if none; ``sitemaps`` are canonical URLs and belong to no group.  ``is_beyond_bounds`` if there
    were more rules than are kept.
    """

    rules: dict[tuple[str, bool], None] = field(default_factory=dict)
    delay: float = 0.0
    sitemaps: dict[str, None] = field(default_factory=dict)
    is_beyond_bounds: bool = False
    _octets: int = field(default=0, init=False, repr=False)

    def add(self, pattern: str, is_allowed: bool) -> None:
        """Take a rule; where they become too many to be judged in time, one that forbids everything takes their place.

        To drop some would be to allow what they forbid.
        """
        if self.is_beyond_bounds or (pattern, is_allowed) in self.rules:
            return
        self.rules[pattern, is_allowed] = None
        self._octets += len(pattern) + _OCTETS_BESIDE_STAR * pattern.count("*")
        if len(self.rules) > MOST_RULES or self._octets > MOST_RULE_OCTETS:
            self.rules = {_NOTHING_ALLOWED: None}
            self.is_beyond_bounds = True


def group_for(agent: str, body: bytes, *, is_cut: bool = False) -> Group:
    """What the file says to ``agent``, a product token: the groups that name it, else those that name `*`.

    ``is_cut``: the body is the beginning of a longer file.
    """
    reader = _Reader(agent.encode().lower())
    for line in _LINE.finditer(_text(body, is_cut)):
        name, separator, value = line.groups()
        value = value.strip(_BLANKS)
        if separator == b":" or len(value.split()) == 1:  # without a colon, prose looks like a rule
            reader.take(name.lower(), value)
    return reader.group()


def _text(body: bytes, is_cut: bool) -> bytes:
    """The lines that count, in UTF-8 as far as they were Unicode, each ended by LF: a rule cut in half does not."""
    is_cut |= len(body) > ROBOTS_BYTES
    body = body[:ROBOTS_BYTES]
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    body = _MARK.sub(b"", body)
    body = body.replace(b"\0", b"").replace(b"\r", b"\n")  # without its NULs, UTF-16 without a mark reads as ASCII
    return body[: body.rfind(b"\n") + 1] if is_cut else body


class _Reader:
    """Reads the lines of a robots.txt in order; `*` and the crawler's own groups are kept apart until the end."""

    def __init__(self, agent: bytes) -> None:
        self._own = Group()
        self._everybodys = Group()
        self._open: list[Group] = []
        self._agent = agent
        self._is_named = False
        self._has_rules = False

    def take(self, name: bytes, value: bytes) -> None:
        """Take a line's field, in lower case, and value."""
        match name[:1]:
            case b"u":
                self._begin(value.lower())
            case b"s":
                if (url := canonical(value.decode("utf-8", "replace"))) is not None:
                    self._own.sitemaps[url] = None
            case b"c":
                if _SECONDS.fullmatch(value):
                    for group in self._open:
                        group.delay = max(group.delay, float(value))
            case _:
                self._has_rules = True
                self._rule(value, name == b"allow")

    def group(self) -> Group:
        """What was said to the crawler."""
        if not self._is_named:
            self._everybodys.sitemaps = self._own.sitemaps
            return self._everybodys
        return self._own

    def _begin(self, name: bytes) -> None:
        """A group goes on as long as only names have come, whatever other records stand between them."""
        if self._has_rules:
            self._open, self._has_rules = [], False
        for one in name.split(b","):  # the RFC knows no lists, but sites write them
            if self._names_us(one.strip(_BLANKS)):
                self._is_named = True
                self._add(self._own)
            elif one.split()[:1] == [b"*"]:
                self._add(self._everybodys)

    def _names_us(self, name: bytes) -> bool:
        """Is the crawler meant by a name in lower case?

        Its leading letters, `-` and `_` decide, whatever follows (as in Google's parser).  Where our own name has other
        characters the name must begin with all of it, and not go on.
        """
        agent = self._agent
        if _PRODUCT_TOKEN.fullmatch(agent):
            token = _PRODUCT_TOKEN.match(name)
            return token is not None and token[0] == agent
        return bool(agent) and name.startswith(agent) and not _MORE_OF_A_NAME.match(name, len(agent))

    def _add(self, group: Group) -> None:
        if all(group is not other for other in self._open):
            self._open.append(group)

    def _rule(self, value: bytes, is_allowed: bool) -> None:
        groups = [group for group in self._open if not group.is_beyond_bounds]
        value = _STARS.sub(b"*", value)
        if not groups or not 0 < len(value) <= _LONGEST_RULE:
            return
        for pattern in _common_patterns(value) if len(value) <= _LONGEST_COMMON else _patterns(value):
            for group in groups:
                group.add(pattern, is_allowed)


@lru_cache(maxsize=1 << 10)
def _common_patterns(value: bytes) -> Set[str]:
    """As `_patterns`, for those that stand in the files of many sites."""
    return _patterns(value)


def _patterns(value: bytes) -> Set[str]:
    """A pattern in canonical form; in two, where it is no UTF-8: as its bytes are, and as browsers would read them."""
    try:
        return {canonical_pattern(value.decode())}
    except UnicodeDecodeError:
        as_they_are = re.sub(rb"[\x80-\xff]+", lambda octets: quote(octets[0]).encode(), value)
        return {canonical_pattern(as_they_are.decode()), canonical_pattern(value.decode("cp1252", "replace"))}

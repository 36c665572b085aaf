"""What came of asking for a robots.txt, by RFC 9309: the rules, for how long they hold, when to ask again.

Pure logic without clock or network: a site's gatekeeper asks, calls `outcome`, and sends what it says to all ranks.
What the file says to us is read in `parser`; whether its rules allow a path is asked of protego (`matcher`).
"""

import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from isal import isal_zlib

from crawler.politeness.robots.http_freshness import lifetime
from crawler.politeness.robots.matcher import PathRules
from crawler.politeness.robots.parser import ROBOTS_BYTES, group_for
from crawler.politeness.robots.path_pattern import canonical_path

__all__ = ["ALLOW_ALL", "ROBOTS_BYTES", "ROBOTS_REDIRECTS", "Rules", "outcome"]

ROBOTS_REDIRECTS = 5
"""How many redirects in a row are followed to a robots.txt (RFC 9309, section 2.3.1.2)."""
LONGEST_USE = 24 * 3600.0
"""Seconds for which a robots.txt is used at most (RFC 9309, section 2.4), and if it does not say for how long."""
SHORTEST_USE = 300.0
"""Seconds for which one is used at least, whatever it says: one that may not be kept at all would double the requests
to its site."""
FIRST_WAIT = 60.0
"""Seconds until one that could not be had is asked for again, twice as long each time."""
LONGEST_WAIT = 3600.0
LONG_OUTAGE = 30 * LONGEST_USE
"""Seconds after which what cannot be had is no longer waited for (RFC 9309, section 2.3.1.4)."""
_TOO_MANY_REQUESTS = 429
_BYTES_BESIDE_TEXT = 1 << 8


@dataclass(frozen=True, slots=True)
class Rules:
    """What a robots.txt allows this crawler, for so many ``seconds`` from its receipt; then it is asked for again.

    ``packed`` are the rules, compressed: they travel between ranks and are kept for many sites.  ``crawl_delay`` is in
    seconds, 0 if none is asked for.  ``unreachable`` says why there is none to be had (then nothing may be fetched),
    and is empty otherwise.  ``status`` is the HTTP status that decided, 0 if none did.  ``agent`` is the product token
    that they were read for, if a rule of the operator gives the crawler one of its own on the site.
    """

    packed: bytes = b""
    crawl_delay: float = 0.0
    sitemaps: tuple[str, ...] = ()
    unreachable: str = ""
    status: int = 0
    seconds: float = LONGEST_USE
    agent: str = ""

    def allow(self, url: str) -> bool:
        """May this canonical URL be fetched?  The robots.txt itself always may (RFC 9309, section 2.2.2)."""
        if not self.packed and not self.unreachable:
            return True
        path = canonical_path(url)
        if path == "/robots.txt":
            return True
        return not self.unreachable and _path_rules.of(self.packed).allow(path)

    @property
    def bytes(self) -> int:
        """About how much memory this takes, so that who keeps many can bound it."""
        return _BYTES_BESIDE_TEXT + len(self.packed) + sum(map(len, self.sitemaps))

    def without_sitemaps(self) -> "Rules":
        """What the other ranks need of this."""
        return replace(self, sitemaps=()) if self.sitemaps else self


ALLOW_ALL = Rules()


def outcome(
    agent: str,
    *,
    status: int,
    body: bytes = b"",
    error: str = "",
    headers: Mapping[bytes, str] | None = None,
    is_cut: bool = False,
    max_crawl_delay: float = 60.0,
    tries: int = 0,
    outage: float = 0.0,
    retry_after: float = 0.0,
    previous: Rules | None = None,
) -> Rules:
    """What follows for ``agent``, a product token, from the final answer to a request for a robots.txt.

    - 2xx: the file counts.  ``body`` is without its content encoding; ``is_cut`` if more was to come than is read.
      Where an ``error`` kept it from coming whole, nothing is allowed: what is missing might forbid.
    - 3xx: the caller has followed `ROBOTS_REDIRECTS`, or there was nowhere to go: there is none, all is allowed.
    - 4xx: there is none, all is allowed; but 429 asks for less, not for more, and counts as a failure of the server.
    - 5xx and any other status, or 0 with an ``error`` instead: nothing is allowed.  It is asked for again after
      `FIRST_WAIT`, doubled by each of ``tries`` failures before this one, or ``retry_after`` if that is longer.

    When it has been out of reach for `LONG_OUTAGE`, counting ``outage`` seconds since the first failure that the
    caller knows of, the ``previous`` rules hold again, or without any all is allowed.  ``headers``, by name in lower
    case, say for how long an answer is used, between `SHORTEST_USE` and `LONGEST_USE`.  Times are in seconds.
    """
    is_success = 200 <= status < 300
    if is_success and not error:
        group = group_for(agent, body, is_cut=is_cut)
        return Rules(
            _packed(group.rules),
            min(group.delay, max_crawl_delay),
            tuple(group.sitemaps),
            status=status,
            seconds=_use(headers),
        )
    if 300 <= status < 500 and status != _TOO_MANY_REQUESTS:
        return Rules(status=status, seconds=_use(headers))
    wait = min(max(min(FIRST_WAIT * 2.0 ** min(tries, 16), LONGEST_WAIT), retry_after), LONGEST_USE)
    if outage >= LONG_OUTAGE:
        return replace(previous if previous is not None and not previous.unreachable else ALLOW_ALL, seconds=wait)
    if is_success or not status:
        return Rules(unreachable=error or "other", seconds=wait)
    return Rules(unreachable=f"robots-{status}", status=status, seconds=wait)


def _use(headers: Mapping[bytes, str] | None) -> float:
    seconds = lifetime(headers or {})
    return LONGEST_USE if seconds is None else min(max(seconds, SHORTEST_USE), LONGEST_USE)


def _packed(rules: Mapping[tuple[str, bool], None]) -> bytes:
    if not rules:
        return b""
    text = "\n".join(f"{'+' if is_allowed else '-'}{pattern}" for pattern, is_allowed in rules)
    return isal_zlib.compress(text.encode())  # zlib prepares for longer than it takes to compress so short a text


def _unpacked(text: str) -> Iterator[tuple[str, bool]]:
    return ((line[1:], line[0] == "+") for line in text.split("\n"))


class _PathRulesInUse:
    """Rules ready to be matched: they take many times the memory of their text, so few are kept that way.

    Those used last are kept whatever they take.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._kept: OrderedDict[bytes, PathRules] = OrderedDict()
        self._bytes = 0

    def of(self, packed: bytes) -> PathRules:
        """The rules in a packed text."""
        kept = self._kept.get(packed)
        if kept is not None:
            self._kept.move_to_end(packed)
            return kept
        self._kept[packed] = rules = PathRules(_unpacked(zlib.decompress(packed).decode()))
        self._bytes += rules.bytes
        while self._bytes > self.most_bytes and len(self._kept) > 1:
            self._bytes -= self._kept.popitem(last=False)[1].bytes
        return rules


_path_rules = _PathRulesInUse(0)


def keep_matchers(most_bytes: int) -> None:
    """Keep so many bytes of rules ready to be matched in this process, and those of the last site."""
    _path_rules.most_bytes = most_bytes

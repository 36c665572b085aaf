"""What robots.txt allows (RFC 9309); the rules themselves are matched by protego."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

from protego import Protego

ROBOTS_BYTES = 500 << 10
"""How much of a robots.txt is read (RFC 9309, section 2.5)."""
ROBOTS_REDIRECTS = 5
"""How many redirects in a row are followed to a robots.txt (RFC 9309, section 2.3.1.2)."""
_SITES_REMEMBERED = 1 << 16
_PARSED_REMEMBERED = 1 << 11


@dataclass(frozen=True)
class Rules:
    """The rules of one robots.txt for this crawler.

    ``unreachable`` says why there is none to be had (then nothing may be fetched), and is empty otherwise;
    ``status`` is the HTTP status that came instead, 0 if no answer came.
    """

    text: str = ""
    agent: str = ""
    unreachable: str = ""
    status: int = 0

    def allow(self, url: str) -> bool:
        """May this URL be fetched?"""
        if self.unreachable:
            return False
        return not self.text or bool(_parsed(self.text).can_fetch(url, self.agent))

    @property
    def crawl_delay(self) -> float:
        """The delay asked for, in seconds; 0 if none."""
        return float(_parsed(self.text).crawl_delay(self.agent) or 0.0) if self.text else 0.0


@lru_cache(maxsize=_PARSED_REMEMBERED)
def _parsed(text: str) -> Protego:
    """Parsed rules take many times the memory of their text, so that fewer of them are kept."""
    return Protego.parse(text)


ALLOW_ALL = Rules()


class Robots:
    """The rules of the sites that this rank visits, by origin (scheme, host and port); the oldest are forgotten."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._rules: OrderedDict[str, Rules] = OrderedDict()

    def rules_for(self, origin: str) -> Rules | None:
        """The rules of an origin, or None if its robots.txt has to be fetched first."""
        rules = self._rules.get(origin)
        if rules is not None:
            self._rules.move_to_end(origin)
        return rules

    def learn(self, origin: str, status: int, body: bytes) -> Rules:
        """Take note of the final answer to a request for an origin's robots.txt."""
        if 200 <= status < 300:
            return self._remember(origin, Rules(body[:ROBOTS_BYTES].decode("utf-8-sig", "replace"), self._agent))
        if status >= 500:
            return self._remember(origin, Rules(unreachable=f"robots-{status}", status=status))
        return self._remember(origin, ALLOW_ALL)

    def learn_unreachable(self, origin: str, error: str) -> Rules:
        """Take note that no answer came at all."""
        return self._remember(origin, Rules(unreachable=error))

    def _remember(self, origin: str, rules: Rules) -> Rules:
        self._rules[origin] = rules
        if len(self._rules) > _SITES_REMEMBERED:
            self._rules.popitem(last=False)
        return rules

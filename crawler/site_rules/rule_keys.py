"""The keys that a rule may have beside its target, each declared once: name, meaning, which values, on which targets.

To add a key: write a function here that takes the value as TOML has it and returns it as it is used, or raises
ValueError with what is wanted instead; then add a line to `KEYS`.  The reader, ``cutweb rules check``, the record of
the rules in the session and the table of docs/rules.md follow.  Whoever acts on it asks the ruling of a URL for it:
``ruling.values.get("name")`` is None where no rule gives it.  What the session records in its place is what ``shown``
makes of it: of what nobody may see, `REMOVED`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from crawler.network.header_lines import basic_credentials, header_line
from crawler.network.product_token import is_crawlers, product_token
from crawler.network.proxy import DIRECT, REMOVED, Proxy
from crawler.site_rules.target import ADDRESS, DOMAIN, PREFIX, SITE, TARGETS

BLOCK, PAUSE, DELAY = "block", "pause", "delay"
MAX_PAGES, MAX_BYTES = "max-pages", "max-bytes"
USER_AGENT, NOTE = "user-agent", "note"
HEADERS, CREDENTIALS, PROXY = "headers", "credentials", "proxy"

_LONGEST_DELAY_SECONDS = 86_400.0
_LARGEST_COUNT = 1 << 62


def _as_it_is(value: Any) -> Any:
    return value


def _removed(_value: Any) -> str:
    return REMOVED


class RuleKey(NamedTuple):
    """A key: what it ``means``, in words, how its value is ``read``, and on which kinds of ``targets`` it may stand.

    ``shown`` makes of what was read what others may see.
    """

    means: str
    read: Callable[[Any], Any]
    targets: tuple[str, ...] = tuple(TARGETS)
    shown: Callable[[Any], Any] = _as_it_is

    @property
    def is_secret(self) -> bool:
        """May its value not be repeated, whatever is wrong with it?"""
        return self.shown is not _as_it_is


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("wants true or false")
    return value


def _delay(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and math.isfinite(value) and 0 <= value <= _LONGEST_DELAY_SECONDS):
        raise ValueError(f"wants seconds, from 0 to {_LONGEST_DELAY_SECONDS:.0f}")
    return float(value)


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LARGEST_COUNT:
        raise ValueError("wants a whole number of at least 1")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("wants text")
    return value


def _user_agent(value: Any) -> str:
    text = _text(value)
    if not (text.strip() and text.isascii() and text.isprintable()):
        raise ValueError("cannot stand in an HTTP header")
    if not is_crawlers(product_token(text)):
        raise ValueError(f"does not name a crawler: robots.txt files would know it as {product_token(text)!r}")
    return text


def _headers(value: Any) -> tuple[str, ...]:
    """The header lines."""
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError('wants a table of texts, as in {Cookie = "consent=yes"}')
    if len({name.lower() for name in value}) < len(value):
        raise ValueError("names a header twice")
    return tuple(header_line(name, text) for name, text in value.items())


def _credentials(value: Any) -> str:
    """The header line."""
    return basic_credentials(_text(value))


def _proxy(value: Any) -> Proxy:
    return DIRECT if value == DIRECT.shown else Proxy.parse(_text(value))


def _without_password(proxy: Proxy) -> str:
    return proxy.shown


KEYS: dict[str, RuleKey] = {
    BLOCK: RuleKey("No request goes there; its URLs end as filtered, with the reason rule.", _switch),
    PAUSE: RuleKey("No request goes there until this changes; its URLs wait.", _switch, (SITE, DOMAIN, ADDRESS)),
    DELAY: RuleKey("Rest between two requests to a site, in seconds, in place of --delay.", _delay),
    MAX_PAGES: RuleKey("Fetch no more than N pages from then on, over all ranks.", _count),
    MAX_BYTES: RuleKey("Fetch no more once N bytes of bodies have come from then on, over all ranks.", _count),
    USER_AGENT: RuleKey(
        "What the crawler calls itself there, and is known as in robots.txt; the contact follows it.",
        _user_agent,
        (SITE, DOMAIN),
    ),
    HEADERS: RuleKey(
        "Header lines to send there beside the usual ones; nobody sees what they say.",
        _headers,
        (SITE, DOMAIN, PREFIX),
        _removed,
    ),
    CREDENTIALS: RuleKey(
        "USER:PASSWORD to log in with there (Basic, RFC 7617); nobody sees them.",
        _credentials,
        (SITE, DOMAIN, PREFIX),
        _removed,
    ),
    PROXY: RuleKey(
        "The proxy that requests there go through, in place of --proxy; `none`: no proxy.",
        _proxy,
        (SITE, DOMAIN),
        _without_password,
    ),
    NOTE: RuleKey("Why; it stands in the session's record.", _text),
}
"""Every key by name."""


def as_recorded(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a rule as others may see them."""
    return {key: KEYS[key].shown(value) for key, value in values.items()}


WHY_NOT_ON = {
    (HEADERS, ADDRESS): "anybody may have a host there",
    (CREDENTIALS, ADDRESS): "anybody may have a host there",
    (PROXY, PREFIX): "a site is looked up for one way, and its robots.txt comes by it, too",
    (PROXY, ADDRESS): "by which way a site is reached has to be known before its address",
    (PAUSE, PREFIX): "a site's URLs keep their order, so a site waits as a whole",
    (USER_AGENT, PREFIX): "a robots.txt speaks to a crawler by one name",
    (USER_AGENT, ADDRESS): "a robots.txt speaks to a crawler by one name, which is needed before the address counts",
}
"""Why a key may not stand on a target, where that is not plain."""

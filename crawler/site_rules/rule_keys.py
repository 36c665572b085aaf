"""The keys that a rule may have beside its target, each declared once: name, meaning, which values, on which targets.

To add a key: write a function here that takes the value as TOML has it and returns it as it is used, or raises
ValueError with what is wanted instead; then add a line to `KEYS`.  The reader, ``cutweb rules check``, the record of
the rules in the session and the table of docs/rules.md follow.  Whoever acts on it asks the ruling of a URL for it:
``ruling.values.get("name")`` is None where no rule gives it.  If nobody may see the value, it ``is_secret``: then
the session records `REMOVED` in its place.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from crawler.network.header_lines import basic_credentials, header_line
from crawler.network.product_token import is_crawlers, product_token
from crawler.network.proxy import REMOVED
from crawler.site_rules.target import ADDRESS, DOMAIN, PREFIX, SITE, TARGETS

BLOCK, PAUSE, DELAY = "block", "pause", "delay"
MAX_PAGES, MAX_BYTES = "max-pages", "max-bytes"
USER_AGENT, NOTE = "user-agent", "note"
HEADERS, CREDENTIALS = "headers", "credentials"

_LONGEST_DELAY_SECONDS = 86_400.0
_LARGEST_COUNT = 1 << 62


class RuleKey(NamedTuple):
    """A key: what it ``means``, in words, how its value is ``read``, and on which kinds of ``targets`` it may stand."""

    means: str
    read: Callable[[Any], Any]
    targets: tuple[str, ...] = tuple(TARGETS)
    is_secret: bool = False


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
        is_secret=True,
    ),
    CREDENTIALS: RuleKey(
        "USER:PASSWORD to log in with there (Basic, RFC 7617); nobody sees them.",
        _credentials,
        (SITE, DOMAIN, PREFIX),
        is_secret=True,
    ),
    NOTE: RuleKey("Why; it stands in the session's record.", _text),
}
"""Every key by name."""


def as_recorded(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a rule as others may see them."""
    return {key: REMOVED if KEYS[key].is_secret else value for key, value in values.items()}


WHY_NOT_ON = {
    (HEADERS, ADDRESS): "anybody may have a host there",
    (CREDENTIALS, ADDRESS): "anybody may have a host there",
    (PAUSE, PREFIX): "a site's URLs keep their order, so a site waits as a whole",
    (USER_AGENT, PREFIX): "a robots.txt speaks to a crawler by one name",
    (USER_AGENT, ADDRESS): "a robots.txt speaks to a crawler by one name, which is needed before the address counts",
}
"""Why a key may not stand on a target, where that is not plain."""

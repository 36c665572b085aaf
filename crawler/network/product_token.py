"""The name by which a crawler finds itself in a robots.txt: its product token, as its User-Agent tells it."""

import re
from collections.abc import Mapping
from typing import Any

_PRODUCT = re.compile(r"([A-Za-z0-9._-]+)/[^\s;,()]*")
_COMPATIBLE = re.compile(r"\bcompatible;\s*([A-Za-z0-9._-]+)", re.IGNORECASE)
_BROWSERS = {
    *("mozilla", "applewebkit", "khtml", "gecko", "chrome", "headlesschrome", "chromium", "safari", "version"),
    *("firefox", "edg", "edge", "opr", "opera", "mobile", "msie", "trident", "crios", "fxios", "samsungbrowser"),
}
"""What browsers call themselves, in lower case: no crawler is named by these."""


def product_token(user_agent: str, given: str | None = None) -> str:
    """The product token of a crawler: the one ``given``, else what its User-Agent says.

    What stands before the first slash.  One that introduces itself as a browser (``Mozilla/5.0 (compatible;
    MyBot/1.0)``) is named after ``compatible;``, else by its only product that is no browser's.  Where neither can be
    told it is the browser's name, which `is_crawlers` says of no crawler.
    """
    if given is not None:
        return given
    first = _before_the_slash(user_agent)
    if not _is_browser(first):
        return first
    named = [name for name in _COMPATIBLE.findall(user_agent) if not _is_browser(name)]
    products = named[:1] or [name for name in _PRODUCT.findall(user_agent) if not _is_browser(name)]
    return products[0] if len(set(products)) == 1 else first


def is_crawlers(token: str) -> bool:
    """Can a robots.txt speak to a crawler by this name?  Not by a browser's, nor by none."""
    return bool(token) and not _is_browser(token)


def recorded_token(configuration: Mapping[str, Any]) -> str:
    """The product token of a run, from the session's configuration.

    Runs of before there was an option for it took what stands before the slash, a browser's name too.
    """
    user_agent = str(configuration["user_agent"])
    if "robots_token" not in configuration:
        return _before_the_slash(user_agent)
    return product_token(user_agent, configuration["robots_token"])


def _before_the_slash(user_agent: str) -> str:
    return user_agent.partition("/")[0].strip()


def _is_browser(name: str) -> bool:
    return name.lower() in _BROWSERS

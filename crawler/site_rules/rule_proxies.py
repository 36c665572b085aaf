"""What a file of rules that sends sites through proxies can still promise, in words for its operator."""

from collections.abc import Iterable

from crawler.network.proxy import DIRECT, Proxy
from crawler.site_rules.rule_file import SiteRule
from crawler.site_rules.rule_keys import PROXY

_MOST_NAMED = 3


def promises(rules: Iterable[SiteRule]) -> list[str]:
    """Return a line for each proxy that rules name: whose requests take it, and what holds of them."""
    through: dict[Proxy, list[str]] = {}
    for rule in rules:
        if PROXY in rule.values:
            through.setdefault(rule.values[PROXY], []).append(rule.target.name)
    return [_promise(proxy, names) for proxy, names in through.items()]


def _promise(proxy: Proxy, names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    places = ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    if proxy == DIRECT:
        return f"by rule requests to {places} go through no proxy"
    return proxy.promise(f"by rule requests to {places}")

"""What all rules together mean for a site and its URLs: of each key, the most specific rule that gives it counts.

The order is prefix (the longest first), site, domain (the longest first), address (the smallest network first).  So a
rule may say ``block = false`` of a site within a domain that another blocks, and a rule with nothing but a delay takes
nothing back from the one that blocks.

A site costs one look for each label of its name and for each size of network there is; a URL of a site that prefixes
are about costs a binary search among these.
"""

import ipaddress
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from crawler.network.address_guard import connectable
from crawler.network.proxy import Proxy
from crawler.site_rules.rule_file import SiteRule
from crawler.site_rules.rule_keys import BLOCK, CREDENTIALS, DELAY, HEADERS, PAUSE, PROXY, USER_AGENT
from crawler.site_rules.target import ADDRESS, DOMAIN, PREFIX, SITE
from sessions.url import host_of, site_of

_NOWHERE = -1


def _most_specific(applying: Sequence[SiteRule]) -> dict[str, SiteRule]:
    """Of each key the first of the rules that gives it."""
    found: dict[str, SiteRule] = {}
    for rule in applying:
        for key in rule.values:
            found.setdefault(key, rule)
    return found


class Ruling:
    """What rules say of a site, or of its URLs with a prefix.

    ``values`` has what holds of each key that some rule gives, and ``rules`` which rule that is.  The fields beside
    them are those that are asked for again and again: ``delay`` in seconds, None if no rule says one, and
    ``server_delay``, the longest that rules on its address ask for; ``secret_headers`` are lines that nobody may see;
    ``proxy`` is the way out, None if no rule says one; ``has_blocks`` if some of its URLs are blocked.
    """

    __slots__ = (
        "_prefixes",
        "block",
        "delay",
        "has_blocks",
        "pause",
        "proxy",
        "rules",
        "secret_headers",
        "server_delay",
        "user_agent",
        "values",
    )

    def __init__(self, applying: Sequence[SiteRule], prefixes: "_Prefixes | None" = None) -> None:
        self.rules: Mapping[str, SiteRule] = _most_specific(applying)
        self.values: Mapping[str, Any] = {key: rule.values[key] for key, rule in self.rules.items()}
        self.block = bool(self.values.get(BLOCK))
        self.pause = bool(self.values.get(PAUSE))
        self.delay: float | None = self.values.get(DELAY)
        self.user_agent: str | None = self.values.get(USER_AGENT)
        self.proxy: Proxy | None = self.values.get(PROXY)
        credentials = self.values.get(CREDENTIALS)
        self.secret_headers: tuple[str, ...] = self.values.get(HEADERS, ()) + ((credentials,) if credentials else ())
        delays = (rule.values.get(DELAY, 0.0) for rule in applying if rule.target.kind == ADDRESS)
        self.server_delay: float = max(delays, default=0.0)
        self._prefixes = prefixes.under(applying) if prefixes is not None else None
        self.has_blocks = self.block or (prefixes is not None and prefixes.have_blocks)

    def at(self, url: str) -> "Ruling":
        """What holds for a canonical URL of the site: this, or what a prefix of it changes."""
        if self._prefixes is None:
            return self
        return self._prefixes.ruling(url) or self


NOTHING = Ruling(())
"""No rule says anything."""


class RuleBook:
    """All rules.

    ``has_networks`` if the address of a site matters, ``has_blocks`` if anything is blocked, ``has_user_agents`` if the
    crawler has other names on some sites, ``has_proxies`` if it takes another way to some.
    """

    def __init__(self, rules: Iterable[SiteRule] = ()) -> None:
        self.rules = tuple(rules)
        self._sites: dict[str, SiteRule] = {}
        self._domains: dict[str, SiteRule] = {}
        self._on_prefixes: dict[str, list[SiteRule]] = {}
        self._prefixes: dict[str, _Prefixes] = {}
        networks: list[SiteRule] = []
        given: set[str] = set()
        for rule in self.rules:
            kind, name = rule.target
            given.update(rule.values)
            if kind == SITE:
                self._sites[name] = rule
            elif kind == DOMAIN:
                self._domains[name] = rule
            elif kind == PREFIX:
                self._on_prefixes.setdefault(site_of(name), []).append(rule)
            else:
                networks.append(rule)
        self._networks = _Networks(networks)
        self.has_networks = bool(networks)
        self.has_blocks = BLOCK in given and any(rule.values.get(BLOCK) for rule in self.rules)
        self.has_user_agents = USER_AGENT in given
        self.has_proxies = PROXY in given

    def of(self, site: str, ip: str = "") -> Ruling:
        """What rules say of a site that is connected to at this IP address; without one, by its name alone."""
        applying = [*self._by_name(site), *(self._networks.around(ip) if ip and self.has_networks else ())]
        prefixes = self._prefixes_of(site)
        return Ruling(applying, prefixes) if applying or prefixes is not None else NOTHING

    def _prefixes_of(self, site: str) -> "_Prefixes | None":
        """The rules on prefixes of a site, put in order when they are first asked for."""
        if site not in self._on_prefixes:
            return None
        known = self._prefixes.get(site)
        if known is None:
            known = self._prefixes[site] = _Prefixes(self._on_prefixes[site])
        return known

    def _by_name(self, site: str) -> Iterator[SiteRule]:
        if site in self._sites:
            yield self._sites[site]
        if not self._domains:
            return
        name = host_of(site)
        while name:
            if name in self._domains:
                yield self._domains[name]
            name = "" if name.startswith("[") else name.partition(".")[2]


class _Networks:
    """Rules by network."""

    def __init__(self, rules: Iterable[SiteRule]) -> None:
        self._by_size: dict[tuple[int, int], dict[int, SiteRule]] = {}
        for rule in rules:
            network = ipaddress.ip_network(rule.target.name)
            host_bits = network.max_prefixlen - network.prefixlen
            of_size = self._by_size.setdefault((network.version, host_bits), {})
            of_size[int(network.network_address) >> host_bits] = rule
        self._by_size = dict(sorted(self._by_size.items()))

    def __bool__(self) -> bool:
        return bool(self._by_size)

    def around(self, ip: str) -> Iterator[SiteRule]:
        """The rules on the networks that an address is in, the smallest network first."""
        address = connectable(ip)
        if address is None:
            return
        number = int(address)
        for (version, host_bits), rules in self._by_size.items():
            if version == address.version and (rule := rules.get(number >> host_bits)) is not None:
                yield rule


class _Prefixes:
    """The rules on URL prefixes of one site.

    They stand in sorted order, each with the place of the longest other one that it begins with.  The longest prefix
    of a URL is the last that does not come after it, or one that this begins with.
    """

    def __init__(self, rules: Iterable[SiteRule]) -> None:
        self._rules = sorted(rules, key=lambda rule: rule.target.name)
        self._names = [rule.target.name for rule in self._rules]
        self._parents = _parents(self._names)
        self.have_blocks = any(rule.values.get(BLOCK) for rule in self._rules)

    def under(self, applying: Sequence[SiteRule]) -> "_PrefixRulings":
        """What they say together with the rules that apply to the whole site."""
        return _PrefixRulings(self, tuple(applying))

    def longest(self, url: str) -> int:
        """The place of the longest prefix of a URL, `_NOWHERE` if there is none."""
        place = bisect_right(self._names, url) - 1
        while place != _NOWHERE and not url.startswith(self._names[place]):
            place = self._parents[place]
        return place

    def rules_at(self, place: int) -> list[SiteRule]:
        """The rule at a place and those on shorter prefixes of it, the longest first."""
        rules = []
        while place != _NOWHERE:
            rules.append(self._rules[place])
            place = self._parents[place]
        return rules


class _PrefixRulings:
    """What prefixes change of what holds for their site, worked out when it is first asked for."""

    def __init__(self, prefixes: _Prefixes, applying: tuple[SiteRule, ...]) -> None:
        self._prefixes = prefixes
        self._applying = applying
        self._known: dict[int, Ruling] = {}

    def ruling(self, url: str) -> Ruling | None:
        """What holds for a URL; None if no prefix is about it."""
        place = self._prefixes.longest(url)
        if place == _NOWHERE:
            return None
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = Ruling([*self._prefixes.rules_at(place), *self._applying])
        return known


def _parents(names: Sequence[str]) -> list[int]:
    """Of each of these names, in sorted order, the place of the longest other one that it begins with."""
    parents: list[int] = []
    for place, name in enumerate(names):
        parent = place - 1
        while parent != _NOWHERE and not name.startswith(names[parent]):
            parent = parents[parent]
        parents.append(parent)
    return parents

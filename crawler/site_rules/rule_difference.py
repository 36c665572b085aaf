"""What is different about other rules: targets whose rule came, went or says something else, and whom that concerns."""

import ipaddress
from collections.abc import Collection, Iterable, Sequence

from crawler.network.address_guard import connectable
from crawler.site_rules.rule_file import SiteRule
from crawler.site_rules.target import ADDRESS, DOMAIN, PREFIX, SITE
from sessions.url import host_of, site_of

_FEW_DOMAINS = 32


class RuleDifference:
    """``gone`` are the rules that hold no more as they were, ``new`` those that hold from now on, by target."""

    def __init__(self, before: Sequence[SiteRule], after: Sequence[SiteRule]) -> None:
        first, end = _same_ends(before, after)
        gone = {rule.target: rule for rule in before[first : len(before) - end]}
        new = {rule.target: rule for rule in after[first : len(after) - end]}
        self.gone = {target: rule for target, rule in gone.items() if not _says_the_same(rule, new.get(target))}
        self.new = {target: rule for target, rule in new.items() if not _says_the_same(rule, gone.get(target))}
        targets = {**self.gone, **self.new}
        self._sites = {target.name for target in targets if target.kind == SITE}
        self._sites |= {site_of(target.name) for target in targets if target.kind == PREFIX}
        self._domains = {target.name for target in targets if target.kind == DOMAIN}
        self._networks = [ipaddress.ip_network(target.name) for target in targets if target.kind == ADDRESS]
        self._addresses: dict[str, bool] = {}

    @property
    def has_networks(self) -> bool:
        """Is any of the targets a network?"""
        return bool(self._networks)

    def among(self, sites: Collection[str]) -> set[str]:
        """Return those of some sites, by name, that it concerns whatever their address."""
        found = self._sites.intersection(sites)
        if self._domains and len(self._domains) <= _FEW_DOMAINS:
            ends = tuple(self._domains)
            found.update(site for site in sites if (site.endswith(ends) or ":" in site) and self.concerns(site))
        elif self._domains:
            found.update(filter(self.concerns, sites))
        return found

    def concerns(self, site: str) -> bool:
        """Does it concern a site, whatever its address?"""
        if site in self._sites:
            return True
        name = host_of(site) if self._domains else ""
        while name and name not in self._domains:
            name = "" if name.startswith("[") else name.partition(".")[2]
        return bool(name)

    def concerns_address(self, ip: str) -> bool:
        """Does it concern the sites at an address?"""
        known = self._addresses.get(ip)
        if known is None:
            address = connectable(ip)
            known = self._addresses[ip] = address is not None and any(address in one for one in self._networks)
        return known


def _says_the_same(rule: SiteRule, other: SiteRule | None) -> bool:
    return other is not None and rule.values == other.values


def _same_ends(before: Sequence[SiteRule], after: Sequence[SiteRule]) -> tuple[int, int]:
    """How many rules are the same at the start of both, and at the end."""
    shorter = min(len(before), len(after))
    first = _count_same(zip(before, after, strict=False))
    return first, min(_count_same(zip(reversed(before), reversed(after), strict=False)), shorter - first)


def _count_same(pairs: Iterable[tuple[SiteRule, SiteRule]]) -> int:
    count = 0
    for one, other in pairs:
        if one is not other and (one.target != other.target or one.values != other.values):
            break
        count += 1
    return count

"""How many pages of a site, below a URL prefix of it, of a domain, and of an address the cluster may still fetch.

Gatekeepers keep the accounts: all ranks ask them, so the sums hold over all of them, whatever the order in which they
ask.  Which pages come within a cap is a matter of who asked first.
"""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from crawler.network.address_guard import connectable
from crawler.urls.hash_table import HashTable
from sessions.url import site_of, url_hash

SITE_CAP, PREFIX_CAP, DOMAIN_CAP, ADDRESS_CAP = "site-cap", "prefix-cap", "domain-cap", "address-cap"
REACHED = (SITE_CAP, PREFIX_CAP, DOMAIN_CAP, ADDRESS_CAP)
"""Why a page was not fetched, by the cap that was reached."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address


class Account(NamedTuple):
    """What pages are counted under: ``cap`` is one of `REACHED`, ``key`` a site, a prefix, a domain or an address."""

    cap: str
    key: str


class PageCaps(NamedTuple):
    """The caps of a crawl, in pages, None for no such cap.

    A prefix is a site and the first ``segments`` directories of the path, or all if there are fewer.
    """

    per_site: int | None = None
    per_prefix: int | None = None
    per_domain: int | None = None
    per_address: int | None = None
    segments: int = 1

    @property
    def is_everything(self) -> bool:
        """Is nothing capped?"""
        return not (self.by_name or self.by_address)

    @property
    def by_name(self) -> bool:
        """Is something capped that follows from the URL?"""
        return any(most is not None for most in (self.per_site, self.per_prefix, self.per_domain))

    @property
    def by_address(self) -> bool:
        """Are the pages of an address capped?"""
        return self.per_address is not None

    def prefix_of(self, url: str) -> str:
        """The prefix that a canonical URL's page is counted under; empty if prefixes are not capped."""
        return prefix_of(url, self.segments) if self.per_prefix is not None else ""


class Caps:
    """The accounts of one gatekeeper.

    There is an entry for every site, prefix, domain and address that was ever asked for, as long as there is a cap on
    them: 12 bytes at full load, 24 to 48 in practice.
    """

    def __init__(self, caps: PageCaps) -> None:
        most = (caps.per_site, caps.per_prefix, caps.per_domain, caps.per_address)
        self._books = {cap: _Book(pages) for cap, pages in zip(REACHED, most, strict=True) if pages is not None}

    def left(self, account: Account) -> int:
        """How many more pages may be granted under an account."""
        return self._books[account.cap].left(account.key)

    def grant(self, accounts: Iterable[Account], pages: int) -> None:
        """Take pages from all these accounts, no more than the least of them has left."""
        for account in accounts:
            self._books[account.cap].take(account.key, pages)

    def count(self, account: Account, pages: int) -> None:
        """Take note of pages that were fetched by an earlier run, whatever the caps were then."""
        self._books[account.cap].take(account.key, pages)

    def give_back(self, accounts: Iterable[Account], pages: int) -> None:
        """Take pages back that were granted and not fetched: no response came, or robots.txt forbids them.

        Raises ValueError if more come back than were granted.
        """
        for account in accounts:
            self._books[account.cap].take(account.key, -pages)


def prefix_of(url: str, segments: int) -> str:
    """The site of a canonical URL and the first ``segments`` directories of its path, with a slash at the end."""
    path = url.partition("?")[0].split("/", 3)[3]
    directories = path.split("/")[:-1][:segments]
    return "/".join([site_of(url), *directories, ""])


@lru_cache(maxsize=1 << 14)
def network_of(ip: str) -> str:
    """What an IP address is counted under: an IPv4 address as it is, of IPv6 the /64, which one customer has whole.

    An IPv4 address within an IPv6 one, mapped or as NAT64 writes it, is itself; what is no address counts as it is.
    """
    address = connectable(ip)
    if address is None:
        return ip
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address in _NAT64:
        return str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


class _Book:
    """What was taken under each key, of ``most`` that there is."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._table = HashTable({"taken": np.uint32})

    def left(self, key: str) -> int:
        slot = self._table.slot_of(url_hash(key))
        taken = self._table.values["taken"].item(slot) if slot >= 0 else 0
        return max(0, self._most - taken)

    def take(self, key: str, count: int) -> None:
        hashed = url_hash(key)
        if self._table.slot_of(hashed) < 0:
            self._table.insert(np.array([hashed], np.uint64))
        slot = self._table.slot_of(hashed)
        taken = self._table.values["taken"].item(slot) + count
        if taken < 0:
            raise ValueError("more pages come back than were granted")
        self._table.values["taken"][slot] = taken

"""What a rule is about: a site, a domain with all below it, the URLs with a prefix, or the servers in a network."""

import ipaddress
from collections.abc import Callable
from typing import NamedTuple

from sessions.url import canonical, host_of, site_of

SITE, DOMAIN, PREFIX, ADDRESS = "site", "domain", "prefix", "address"


class RuleTarget(NamedTuple):
    """What a rule is about: one of `TARGETS`, and its ``name`` in canonical form."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def target_of(kind: str, text: str) -> RuleTarget:
    """The target that a rule names.  Raises ValueError, which says what is wanted, if it is none."""
    return RuleTarget(kind, TARGETS[kind](text))


def _site(text: str) -> str:
    """The name of a site has no port that its scheme implies, whichever scheme its URLs have."""
    urls = [canonical(f"{scheme}://{text}/") for scheme in ("http", "https")]
    names = [site_of(url) for url in urls if url is not None]
    if not names or _has_more_than_a_host(text):
        raise ValueError("is no site: a host, with its port if that is not the usual one, as in www.example.org")
    return min(names, key=len)


def _domain(text: str) -> str:
    """A domain is known by its name, or its address."""
    url = canonical(f"http://{text}/")
    if url is None or _has_more_than_a_host(text) or text.startswith(".") or host_of(site_of(url)) != site_of(url):
        raise ValueError("is no domain: a name without a port, as in example.org, which stands for all below it, too")
    return site_of(url)


def _prefix(text: str) -> str:
    url = canonical(text)
    if url is None:
        raise ValueError("is no URL prefix: it begins with http:// or https://, as in https://example.org/private/")
    if url.count("/") == len("///") and url.endswith("/"):
        raise ValueError(f'is a whole site: write site = "{site_of(url)}"')
    return url


def _network(text: str) -> str:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        raise ValueError("is no network: ADDRESS/BITS, the bits after which are zero, as in 192.0.2.0/24") from error
    if isinstance(network, ipaddress.IPv6Network) and network.network_address.ipv4_mapped is not None:
        raise ValueError("is a network of IPv4 addresses: write it as one, as in 192.0.2.0/24")
    return str(network)


def _has_more_than_a_host(text: str) -> bool:
    return any(mark in text for mark in "/?#@\\* \t\r\n")


TARGETS: dict[str, Callable[[str], str]] = {PREFIX: _prefix, SITE: _site, DOMAIN: _domain, ADDRESS: _network}
"""Kinds of targets, the most specific first, and what makes a name canonical."""

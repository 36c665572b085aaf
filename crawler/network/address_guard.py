"""No way inside: which IP addresses a crawl may connect to.

What a page says must not lead the crawler to machines that only this network can reach: the crawler's own services,
its neighbours, the metadata service of a cloud.  So an address is connected to only if it is public, that is globally
reachable by the IANA registries of special-purpose addresses (RFC 6890; iana-ipv4-special-registry and
iana-ipv6-special-registry), or if the user has named its network.  Python's ``ipaddress.is_global`` alone would let
pass multicast, IPv4 addresses packed into IPv6 ones, and a metadata service that stands at a public address.
"""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache

IPv4 = ipaddress.IPv4Address
IPv6 = ipaddress.IPv6Address
Address = IPv4 | IPv6

_NOT_PUBLIC_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this host (RFC 791)
            "10.0.0.0/8",  # private (RFC 1918)
            "100.64.0.0/10",  # shared with carriers (RFC 6598); Alibaba's metadata at 100.100.100.200
            "127.0.0.0/8",  # loopback (RFC 1122)
            "168.63.129.16/32",  # Azure's wire server, which every machine there reaches
            "169.254.0.0/16",  # link-local (RFC 3927); most clouds' metadata at 169.254.169.254
            "172.16.0.0/12",  # private (RFC 1918)
            "192.0.0.0/24",  # protocol assignments (RFC 6890); Oracle's metadata at 192.0.0.192
            "192.0.2.0/24",  # documentation (RFC 5737)
            "192.88.99.0/24",  # relays of 6to4, given up (RFC 7526)
            "192.168.0.0/16",  # private (RFC 1918)
            "198.18.0.0/15",  # benchmarks (RFC 2544)
            "198.51.100.0/24",  # documentation (RFC 5737)
            "203.0.113.0/24",  # documentation (RFC 5737)
            "224.0.0.0/4",  # multicast (RFC 5771)
            "240.0.0.0/4",  # reserved (RFC 1112), limited broadcast (RFC 919)
        ),
    )
)
_UNICAST_V6 = ipaddress.IPv6Network("2000::/3")  # all that IANA has given out so far (RFC 4291, RFC 3587)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052; 64:ff9b:1::/48 is for local use (RFC 8215)
_6TO4 = ipaddress.IPv6Network("2002::/16")  # RFC 3056
_TEREDO = ipaddress.IPv6Network("2001::/32")  # RFC 4380
_PROTOCOL_ASSIGNMENTS_V6 = ipaddress.IPv6Network("2001::/23")  # RFC 2928: benchmarks, ORCHID and others
_DOCUMENTATION_V6 = (ipaddress.IPv6Network("2001:db8::/32"), ipaddress.IPv6Network("3fff::/20"))  # RFC 3849, RFC 9637
_ISATAP_MARKS = (0x00005EFE, 0x02005EFE)  # upper half of the interface identifier (RFC 5214, section 6.1)


def literal(host: str) -> Address | None:
    """The address that a URL's host is, if it is one and no name: IPv4 in four parts, or IPv6 in brackets."""
    if host.startswith("[") and host.endswith("]"):
        return connectable(host[1:-1])
    return connectable(host) if ":" not in host else None


def bracketed(ip: str) -> str:
    """An IP address as it stands before a port."""
    return f"[{ip}]" if ":" in ip else ip


@lru_cache(maxsize=4096)  # asked at each request
def connectable(ip: str) -> Address | None:
    """An address as it would be connected to: IPv4 if it is mapped into IPv6; None if it is none, or has a zone."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return None
    if isinstance(address, IPv4):
        return address
    if address.scope_id is not None:
        return None
    return address.ipv4_mapped or address


def is_public(address: Address) -> bool:
    """Whether an address belongs to the internet at large, with every address that is packed into it."""
    if isinstance(address, IPv4):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    return _is_global(address) and all(map(is_public, _packed(address)))


def _is_global(address: IPv6) -> bool:
    if address in _NAT64 or address in _TEREDO:
        return True
    if address not in _UNICAST_V6 or address in _PROTOCOL_ASSIGNMENTS_V6:
        return False
    return not any(address in network for network in _DOCUMENTATION_V6)


def _packed(address: IPv6) -> list[IPv4]:
    """The IPv4 addresses that a tunnel or translator would find in an address and send the packets to."""
    number = int(address)
    found = []
    if address in _NAT64:
        found.append(IPv4(number & 0xFFFFFFFF))
    if address in _6TO4:
        found.append(IPv4(number >> 80 & 0xFFFFFFFF))
    if address in _TEREDO:
        found += [IPv4(number >> 64 & 0xFFFFFFFF), IPv4(~number & 0xFFFFFFFF)]
    if number >> 32 & 0xFFFFFFFF in _ISATAP_MARKS:
        found.append(IPv4(number & 0xFFFFFFFF))
    return found


class AddressGuard:
    """Says of an address why it is not connected to.

    ``allowed`` are networks that may be connected to although they are not public; they count for an address as it is
    written and for one that is mapped into IPv6, but not for what a tunnel would find in it.  Without
    ``has_contact``, nothing but loopback is connected to.
    """

    def __init__(self, allowed: Iterable[str] = (), *, has_contact: bool) -> None:
        self._allowed = tuple(ipaddress.ip_network(network) for network in allowed)
        self._has_contact = has_contact

    def refusal(self, address: Address, *, is_named: bool) -> str:
        """One of `crawler.network.web.REFUSALS`, or nothing if the address may be connected to.

        ``is_named`` is whether the user has named it as what to connect to (``--connect-to``).
        """
        if not (is_named or is_public(address) or any(address in network for network in self._allowed)):
            return "internal-address"
        return "" if self._has_contact or address.is_loopback else "no-contact"

    def refusal_of_name(self, name: str, *, is_named: bool) -> str:
        """One of `crawler.network.web.REFUSALS`, or nothing: of a name that a proxy looks up, where nobody sees more.

        Loopback has names of its own (RFC 6761, section 6.3), which would be the proxy's machine.
        """
        bare = name.removesuffix(".")
        if bare == "localhost" or bare.endswith(".localhost"):
            return self.refusal(IPv4("127.0.0.1"), is_named=is_named)
        return "" if self._has_contact else "no-contact"

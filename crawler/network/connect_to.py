"""curl's ``--connect-to``: whom to connect to instead of the host that a URL names."""

import re
from collections.abc import Iterable
from typing import NamedTuple, Self

from sessions.url import canonical, host_of, site_of

_FORM = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*):(?P<port>\d*):(?P<address>\[[^\]]*\]|[^:]*):(?P<to_port>\d*)", re.ASCII)
_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65535


class Target(NamedTuple):
    """Where an origin is connected to: a host in canonical form, a name or an address, IPv6 in brackets; and a port.

    ``is_named`` is whether the user named the host, by a rule that has an ADDR: then it may lie anywhere.
    """

    host: str
    port: int
    is_named: bool = False


class ConnectRule(NamedTuple):
    """One HOST:PORT:ADDR:PORT: for which host and port it holds, None for any; where it leads, None for no change."""

    host: str | None
    port: int | None
    address: str | None
    to_port: int | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rule that an option's value spells; hosts are brought to the form in which URLs have them.

        Raises ValueError for what is of another form.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not HOST:PORT:ADDR:PORT")
        if any(int(match[port] or 0) > _LAST_PORT for port in ("port", "to_port")):
            raise ValueError(f"{text!r} has a port above {_LAST_PORT}")
        hosts = (_canonical_host(match[name]) if match[name] else None for name in ("host", "address"))
        ports = (int(match[name]) if match[name] else None for name in ("port", "to_port"))
        (host, address), (port, to_port) = hosts, ports
        return cls(host, port, address, to_port)

    def matches(self, host: str, port: int) -> bool:
        """Whether the rule holds for a URL's host and port."""
        return self.host in (None, host) and self.port in (None, port)


def target_of(origin: str, rules: Iterable[ConnectRule]) -> Target:
    """Where an origin in canonical form (scheme://host, with the port if it is not the scheme's own) is connected to.

    The first rule that matches wins.
    """
    site = site_of(origin)
    host = host_of(site)
    port = int(site[len(host) + 1 :] or _PORTS[origin.partition(":")[0]])
    for rule in rules:
        if rule.matches(host, port):
            to_port = port if rule.to_port is None else rule.to_port
            return Target(rule.address or host, to_port, rule.address is not None)
    return Target(host, port)


def _canonical_host(text: str) -> str:
    url = canonical(f"http://{text}/")
    return host_of(site_of(url)) if url is not None else text.lower()

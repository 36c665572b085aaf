"""A way out: a proxy that all requests go through, and what can still be promised then.

It comes from the user alone; libcurl would take one from the environment.  Schemes mean what they mean to curl: a proxy
of socks5 is told addresses, so names are looked up here and everything holds as without one.  Proxies of http, https
and socks5h are told names.  Then nobody here knows where a site lies.  A rule may send sites through one of their own,
or past the one that all others take (`DIRECT`).
"""

import re
from typing import NamedTuple, Self

REMOVED = "[removed]"
"""What stands for a name and password wherever a proxy is written down."""
_FORM = re.compile(
    r"(?P<scheme>https?|socks5h?)://(?:(?P<user>[^@/\s]*)@)?(?P<place>(?:\[[0-9A-Fa-f:.]+\]|[^:/@\s\[\]]+):\d{1,5})/?",
    re.ASCII,
)
_LAST_PORT = 65535


class Proxy(NamedTuple):
    """A proxy: its ``url`` as libcurl takes it, and as it may be ``shown``; does it find out where a name leads?"""

    url: str
    shown: str
    resolves_names: bool

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the proxy that an option's value spells.  Raises ValueError, with no password in it."""
        match = _FORM.fullmatch(text)
        if match is None:
            at = text.rpartition("@")
            told = f"{REMOVED}@{at[2]}" if at[1] else text
            raise ValueError(f"{told!r} is not SCHEME://[USER:PASSWORD@]HOST:PORT, of http, https, socks5 or socks5h")
        scheme, user, place = match["scheme"], match["user"], match["place"]
        if not 0 < int(place.rpartition(":")[2]) <= _LAST_PORT:
            raise ValueError(f"{scheme}://{place} has no port from 1 to {_LAST_PORT}")
        if user == REMOVED:
            raise ValueError(f"{text}: the name and password for it were not recorded; give the whole URL again")
        removed = "" if user is None else f"{REMOVED}@"
        return cls(text, f"{scheme}://{removed}{place}", scheme != "socks5")

    def promise(self, requests: str = "all requests") -> str:
        """What the address guard, DNS and delays can promise of ``requests`` through this proxy, in one line."""
        if not self.resolves_names:
            return (
                f"{requests} go through {self.shown}, to addresses that are looked up here: "
                "the address guard and all delays hold"
            )
        return (
            f"{requests} go through {self.shown}, which looks names up: that no name leads inside its network is its "
            "matter; --server-delay and caps by address go by host name, since nobody here sees addresses"
        )


DIRECT = Proxy("", "none", resolves_names=False)
"""No proxy: libcurl takes an empty URL for that."""


def without_password(url: str | None) -> str | None:
    """Return a proxy's URL as a session may record it."""
    return None if url is None else Proxy.parse(url).shown

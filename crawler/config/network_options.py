"""The options of a crawl that say by what way it reaches servers, and how much may come that way."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from crawler.config.network_types import BitRate, Cidr, ConnectTo, LimitedHours, ProxyUrl, ServerAddress
from crawler.config.option_declaration import option
from crawler.config.option_groups import ADDRESSES, REQUESTS
from crawler.config.option_types import Number
from crawler.network.proxy import without_password

_addresses = partial(option, group=ADDRESSES)
_requests = partial(option, group=REQUESTS)

_SOME_SECONDS = Number(min=0, min_open=True)


@dataclass(frozen=True)
class NetworkOptions:
    """Those of `crawler.config.crawl_options.CrawlOptions` that have to do with networks."""

    max_bandwidth: int | None = _requests(
        None,
        "Receive at most N bits a second, over all ranks, with the headers of all layers, as in 40M or 800k.",
        BitRate(),
        metavar="N|none",
    )
    bandwidth_hours: tuple[str, ...] = _requests(
        (),
        'Another limit instead in these hours, by the clock of rank 0, as in "Mon-Fri 08:00-18:00 10M", or none; the '
        "first that holds counts.",
        LimitedHours(),
        multiple=True,
        metavar='"DAYS HH:MM-HH:MM RATE"',
    )
    max_host_bandwidth: int | None = _requests(
        None,
        "The ranks of one machine together receive at most N bits a second, as in 10M.",
        BitRate(),
        metavar="N|none",
    )
    proxy: str | None = _addresses(
        None,
        "Send all requests through this proxy: http://, https:// and socks5h:// look names up themselves, socks5:// is "
        "told addresses. Never taken from the environment; USER:PASSWORD@ is not recorded.",
        ProxyUrl(),
        metavar="URL",
        recorded=without_password,
    )
    connect_to: tuple[str, ...] = _addresses(
        (),
        "Connect to ADDR:PORT instead of HOST:PORT; empty HOST or PORT means any (as curl has it). An ADDR may lie "
        "in any network.",
        ConnectTo(),
        multiple=True,
        metavar="HOST:PORT:ADDR:PORT",
    )
    allow_net: tuple[str, ...] = _addresses(
        (),
        "Connect to addresses in this network too, though they are not public (loopback, private, link-local, ...).",
        Cidr(),
        multiple=True,
        metavar="ADDR/BITS",
    )
    dns_server: tuple[str, ...] = _addresses(
        (),
        "Ask this name server instead of the system's; port 53 if none is given, an IPv6 address in brackets.",
        ServerAddress(),
        multiple=True,
        metavar="ADDR:PORT",
    )
    dns_timeout: float = _addresses(10.0, "Time limit for resolving a name, in seconds.", _SOME_SECONDS)
    ca_cert: Path | None = _addresses(
        None,
        "Trust the certificate authorities in FILE (PEM) instead of the usual ones.",
        click.Path(path_type=Path),
        metavar="FILE",
    )
    tls_verify: bool = _addresses(True, "Refuse servers whose certificate does not verify.", bool)

"""Who we say we are: a crawler that visits others names somebody whom they can write to."""

import socket
from collections.abc import Iterable

from crawler.network.address_guard import literal
from crawler.network.connect_to import ConnectRule, target_of
from sessions.url import origin_of

ROBOTS_POLICY = "RFC 9309"
"""What robots.txt files mean to this crawler, as warcinfo records say it."""


def introduction(user_agent: str, contact: str) -> str:
    """What the User-Agent header says; ``contact`` may be empty."""
    return f"{user_agent} (+{contact})" if contact else user_agent


def crawl_information(user_agent: str, contact: str) -> dict[str, str]:
    """What WARC files say of a crawl: fields of a warcinfo record (WARC 1.1, section 6.2); empty ones drop out."""
    return {
        "hostname": socket.gethostname(),
        "http-header-user-agent": introduction(user_agent, contact),
        "operator": contact,
        "robots": ROBOTS_POLICY,
    }


def first_beyond_loopback(seeds: Iterable[str], connect_to: Iterable[str]) -> str | None:
    """The first of the seeds, canonical URLs, that leads beyond this machine as far as can be told without resolving.

    ``connect_to`` are values of that option.
    """
    rules = [ConnectRule.parse(text) for text in connect_to]
    return next((seed for seed in seeds if not _is_loopback(target_of(origin_of(seed), rules).host)), None)


def _is_loopback(host: str) -> bool:
    address = literal(host)
    if address is not None:
        return address.is_loopback
    name = host.removesuffix(".")
    return name == "localhost" or name.endswith(".localhost")

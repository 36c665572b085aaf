"""Kinds of values that options of the network take: networks, servers, whom to connect to, who we are."""

import ipaddress
import re
from typing import Any

import click

from crawler.network.address_guard import bracketed, literal
from crawler.network.connect_to import ConnectRule
from crawler.network.product_token import is_crawlers
from crawler.network.proxy import Proxy
from crawler.network.timetable import Hours, parse_rate
from sessions.url import canonical

_MAIL = re.compile(r"(mailto:)?[^@\s]+@[^@\s]+\.[^@\s]+")
_IN_COMMENT = re.compile(r"[!-'*-\[\]-~]+")  # visible characters without those that structure a comment: ( ) and \


class Cidr(click.ParamType[str]):
    """A network as an option spells it, 10.0.0.0/8 or fd00::/8; a single address is a network too."""

    name = "cidr"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(ipaddress.ip_network(str(value)))
        except ValueError:
            self.fail(f"{value!r} is not a network ADDRESS/BITS, the bits after which are zero", param, ctx)


class ServerAddress(click.ParamType[str]):
    """ADDR:PORT, the address of IP version 6 in brackets; the port may be left out if it is 53."""

    name = "server_address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        head, colon, port = str(value).rpartition(":")
        if not colon or port.endswith("]"):
            head, port = str(value), "53"
        is_port = port.isascii() and port.isdigit() and 0 < int(port[:6]) <= 65535
        address = literal(head)
        if address is None or not is_port:
            self.fail(f"{value!r} is not ADDR:PORT (an IPv6 address stands in brackets)", param, ctx)
        return f"{bracketed(str(address))}:{int(port)}"


class ConnectTo(click.ParamType[str]):
    """HOST:PORT:ADDR:PORT, any of them empty."""

    name = "connect_to"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            ConnectRule.parse(str(value))
        except ValueError as error:
            is_address = re.fullmatch(r"(\[[^]]*\]|[^:]*):\d+", str(value)) is not None
            self.fail(f"{error}{f'; for all hosts: ::{value}' if is_address else ''}", param, ctx)
        return str(value)


class BitRate(click.ParamType[int | None]):
    """Bits per second, as in 40M, or ``none`` for no limit."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        try:
            return parse_rate(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class LimitedHours(click.ParamType[str]):
    """Hours of the week, and the bits per second that may come then."""

    name = "hours"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            Hours.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class ProxyUrl(click.ParamType[str]):
    """The URL of a proxy."""

    name = "proxy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return Proxy.parse(str(value)).url
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Contact(click.ParamType[str]):
    """A URL or a mail address that can stand in the comment of a User-Agent header (RFC 9110, section 5.6.5)."""

    name = "contact"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        is_address = canonical(text) is not None or _MAIL.fullmatch(text) is not None
        if not (is_address and _IN_COMMENT.fullmatch(text)):
            self.fail(f"{text!r} is not an http(s) URL or a mail address that can stand in an HTTP header", param, ctx)
        return text


class HeaderText(click.ParamType[str]):
    """Text that can stand in an HTTP header."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if not (text.strip() and text.isascii() and text.isprintable()):
            self.fail(f"{text!r} cannot stand in an HTTP header", param, ctx)
        return text


class ProductToken(click.ParamType[str]):
    """A product token (RFC 9309, section 2.2.1, which knows no digits; some crawlers have them)."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if not (is_crawlers(text) and text.isascii() and text.replace("-", "").replace("_", "").isalnum()):
            self.fail(f"{text!r} is not the name of a crawler: letters, digits, - and _, and no browser's", param, ctx)
        return text

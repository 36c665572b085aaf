"""Spellings of IP addresses as hosts: whichever is understood means that address, and none leads inside."""

import ipaddress
import socket

from hypothesis import strategies as st

from crawler.network.address_guard import AddressGuard, connectable, is_public, literal
from crawler.network.connect_to import target_of
from sessions.url import canonical, origin_of
from tests.fuzz.target import Target, alone

Spelled = tuple[int, int, tuple[int, ...], str]
"""IP version, address as a number, how each of its parts is spelled, and what stands around it."""

AROUND = [
    "{}",
    "{}",
    "{}.",
    "user:pw@{}",
    "{}:80",
    "{}:8080",
    "user@{}:0",
    "{}\t",
    "\n{}",
    "%20{}",
    "{}%00",
    "a.{}",
    "{}..",
]
NAMES = ["localhost", "LOCALHOST.", "metadata.google.internal", "\uff4c\uff4f\uff43alhost"]
_WIDE = {ord(letter): ord(letter) + 0xFEE0 for letter in "0123456789abcdefx"} | {ord("."): 0x3002}
_INSIDE_V4 = [
    0,
    1,
    10 << 24,
    127 << 24 | 1,
    169 << 24 | 254 << 16 | 169 << 8 | 254,
    192 << 24 | 168 << 16,
    172 << 24 | 16 << 16,
]
_GUARD = AddressGuard(has_contact=True)


def spelled(version: int, number: int, ways: tuple[int, ...]) -> str:
    """An address as nobody writes it, but as browsers understand it or a C library does."""
    if version == 4:
        return _spelled_v4(number, ways)
    address = ipaddress.IPv6Address(number)
    forms = [str(address), address.exploded, str(address).upper(), f"::{ipaddress.IPv4Address(number & 0xFFFFFFFF)}"]
    text = forms[ways[0] % len(forms)]
    if ways[1] % 3 == 0:
        head, _, tail = address.exploded.rpartition(":")[0].rpartition(":")
        text = f"{head}:{ipaddress.IPv4Address(number & 0xFFFFFFFF)}" if tail else text
    return f"[{text}%25lo]" if ways[2] % 7 == 6 else f"[{text}]"


def _spelled_v4(number: int, ways: tuple[int, ...]) -> str:
    count = 1 + ways[0] % 4
    parts = [number >> 24 - 8 * place & 0xFF for place in range(count - 1)]
    parts.append(number & (1 << 8 * (5 - count)) - 1)
    text = ".".join(
        ("{:d}", "{:#x}", "0{:o}", "0x00{:X}", "000{:o}", "{:d}")[way % 6].format(part)
        for way, part in zip(ways[1:], parts, strict=False)
    )
    match ways[0] // 4 % 6:
        case 0:
            return text.translate(_WIDE)
        case 1:
            return "".join(f"%{ord(character):02x}" for character in text)
        case 2:
            return text.replace(".", "\u3002")
        case _:
            return text


def check(case: Spelled) -> str:
    """A host that is an address is known for the one that was spelled, and judged as Python's registry says."""
    version, number, ways, around = case
    text = around if around in NAMES else around.format(spelled(version, number, ways))
    url = canonical(f"http://{text}/latest/meta-data/")
    if url is None:
        return "no URL"
    host = target_of(origin_of(url), ()).host
    address = literal(host)
    if address is None:
        assert not host.startswith("[")
        assert not _is_address_to_c(host), host
        return "a name"
    if "::" not in text and version == 4 and "a." not in around:
        assert address == ipaddress.IPv4Address(number)
    refusal = _GUARD.refusal(address, is_named=False)
    if _is_inside(address):
        assert refusal == "internal-address", address
    return refusal or "public"


def _is_address_to_c(host: str) -> bool:
    """Would the C library connect to an address if it were given this as a name?"""
    try:
        socket.inet_aton(host)
    except OSError:
        return connectable(host.removesuffix(".")) is not None
    return True


def _is_inside(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    kinds = (
        address.is_private,
        address.is_loopback,
        address.is_link_local,
        address.is_multicast,
        address.is_unspecified,
    )
    packed = address.ipv4_mapped or address.sixtofour if address.version == 6 else None
    is_inside = any(kinds) and not (address.version == 6 and address in _OPEN_V6)
    return is_inside or (packed is not None and not is_public(packed))


_OPEN_V6 = ipaddress.IPv6Network("64:ff9b::/96")
V4 = st.one_of(
    st.integers(0, (1 << 32) - 1),
    st.builds(lambda base, more: base | more, st.sampled_from(_INSIDE_V4), st.integers(0, 0xFFFF)),
)
V6 = st.one_of(
    st.integers(0, (1 << 128) - 1),
    st.builds(
        lambda prefix, inner: prefix | inner,
        st.sampled_from(
            [0, 0xFFFF << 32, 0x64FF9B << 96, 0xFE80 << 112, 0xFC00 << 112, 0xFF02 << 112, 0x2001 << 112, 0x5EFE << 32]
        ),
        V4,
    ),
    V4.map(lambda inner: 0x2002 << 112 | inner << 80 | 1),
)
WAYS = st.tuples(*[st.integers(0, 23)] * 5)
TARGET = Target(
    "addresses",
    st.one_of(
        st.tuples(st.just(4), V4, WAYS, st.sampled_from([*AROUND, *NAMES])),
        st.tuples(st.just(6), V6, WAYS, st.sampled_from(AROUND)),
    ),
    alone(check),
    share=0.06,
)

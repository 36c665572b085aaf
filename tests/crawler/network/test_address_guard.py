"""Which addresses and ports are not connected to."""

import ipaddress
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.config.network_types import Cidr, ServerAddress
from crawler.network.address_guard import AddressGuard, bracketed, connectable, is_public, literal
from crawler.network.bad_ports import BAD_PORTS, has_bad_port
from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from sessions.url import canonical, origin_of, site_of
from tests.crawler.support.dns_server import DnsServer, table
from tests.crawler.support.fetching import found

CASES = [
    (*line.split("\t"), "", "")[:3]
    for line in (Path(__file__).parent / "data" / "ssrf.tsv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def asked() -> Iterator[DnsServer]:
    """A name server that knows the names of the table."""
    names = {}
    for url, verdict, answers in CASES:
        known = canonical(url)
        if verdict != "invalid" and known is not None and answers:
            names[site_of(known)] = answers.split(",")
    with DnsServer(table(names)) as server:
        yield server


@pytest.fixture(scope="module")
def outside(asked: DnsServer) -> Iterator[CurlWeb]:
    """A network as a crawl of the internet at large would have it."""
    network = CurlWeb(NetworkSettings("tester/1.0", contact="mailto:a@b.example", dns_servers=(asked.address,)))
    yield network
    network.close()


@pytest.mark.parametrize(("url", "verdict", "answers"), CASES, ids=[case[0] for case in CASES])
def test_no_spelling_leads_inside(outside: CurlWeb, asked: DnsServer, url: str, verdict: str, answers: str) -> None:
    before = len(asked.queries)
    known = canonical(url)
    if verdict == "invalid" or known is None:
        assert (verdict, known) == ("invalid", None)
        return
    (answer,) = found(outside, origin_of(known))
    assert answer.error == {"public": "", "internal": "internal-address", "unknown": "dns"}[verdict]
    assert bool(answer.endpoints) == (verdict == "public")
    allowed = [str(connectable(ip)) for ip in answers.split(",") if answers and is_public(ipaddress.ip_address(ip))]
    if allowed:
        assert [endpoint.ip for endpoint in answer.endpoints] == allowed
    if not answers and verdict != "unknown":
        assert len(asked.queries) == before, "an address, or localhost, is nothing to ask a name server for"


def test_the_table_is_large_enough() -> None:
    assert len(CASES) >= 150
    assert {verdict for _, verdict, _ in CASES} == {"public", "internal", "invalid", "unknown"}


V4 = st.integers(0, 2**32 - 1).map(ipaddress.IPv4Address)
V6 = st.one_of(
    st.integers(0, 2**128 - 1),
    st.integers(0, 2**125 - 1).map(lambda number: (1 << 125) + number),  # 2000::/3
    st.builds(
        lambda prefix, rest: prefix << 112 | rest, st.sampled_from([0x2001, 0x2002, 0x64, 0, 0x3FFF]), V4.map(int)
    ),
).map(ipaddress.IPv6Address)


@given(st.one_of(V4, V6))
@example(ipaddress.ip_address("2001:20::1"))
def test_nothing_is_public_that_python_holds_for_private(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if is_public(address):
        kinds = (address.is_private, address.is_multicast, address.is_loopback, address.is_link_local)
        assert not any((*kinds, address.is_unspecified, address.version == 4 and address.is_reserved))


@given(V4)
def test_ipv4_addresses_are_public_as_python_says_but_for_some_that_are_not(address: ipaddress.IPv4Address) -> None:
    exceptions = map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4"))
    expected = address.is_global and not any(address in network for network in exceptions)
    assert is_public(address) == expected


PACKINGS = {
    "mapped": lambda inner: (0xFFFF << 32) | inner,
    "nat64": lambda inner: (0x64FF9B << 96) | inner,
    "6to4": lambda inner: (0x2002 << 112) | inner << 80 | 1,
    "teredo client": lambda inner: (0x20010000 << 96) | 0x08080808 << 64 | inner ^ 0xFFFFFFFF,
    "teredo server": lambda inner: (0x20010000 << 96) | inner << 64 | 0x08080808 ^ 0xFFFFFFFF,
    "isatap": lambda inner: (0x26064700 << 96) | 0x5EFE << 32 | inner,
}


@pytest.mark.parametrize("packing", PACKINGS)
@given(V4)
@example(ipaddress.IPv4Address("10.0.0.1"))
@example(ipaddress.IPv4Address("8.8.8.8"))
def test_what_packs_an_address_is_as_public_as_the_address(packing: str, inner: ipaddress.IPv4Address) -> None:
    assert is_public(ipaddress.IPv6Address(PACKINGS[packing](int(inner)))) == is_public(inner)


@given(V6)
def test_addresses_are_read_from_urls_and_written_before_ports(address: ipaddress.IPv6Address) -> None:
    expected = address.ipv4_mapped or address
    assert literal(f"[{address}]") == expected == connectable(str(address))
    assert bracketed(str(address)) == f"[{address}]"


@pytest.mark.parametrize(
    "host", ["a.example", "::1", "[::1", "[a]", "", "1.2.3", "01.2.3.4", "[fe80::1%1]", "[1.2.3.4]x"]
)
def test_names_are_no_addresses(host: str) -> None:
    assert literal(host) is None


@pytest.mark.parametrize("ip", ["", "x", "fe80::1%eth0", "1.2.3.4/8", "127.1"])
def test_what_is_no_address_cannot_be_connected_to(ip: str) -> None:
    assert connectable(ip) is None


@pytest.mark.parametrize(
    ("ip", "has_contact", "is_named", "refusal"),
    [
        ("8.8.8.8", True, False, ""),
        ("8.8.8.8", False, False, "no-contact"),
        ("8.8.8.8", False, True, "no-contact"),
        ("10.0.0.1", True, False, ""),
        ("10.0.0.1", False, False, "no-contact"),
        ("10.1.0.1", True, False, "internal-address"),
        ("10.1.0.1", True, True, ""),
        ("10.1.0.1", False, False, "internal-address"),
        ("10.1.0.1", False, True, "no-contact"),
        ("127.0.0.1", False, False, "internal-address"),
        ("127.0.0.1", False, True, ""),
        ("::1", False, True, ""),
        ("::1", False, False, "internal-address"),
        ("fd00::1", True, False, ""),
        ("fd01::1", True, False, "internal-address"),
        ("64:ff9b::10.0.0.1", True, False, "internal-address"),
    ],
)
def test_the_guard_lets_pass_what_the_user_has_allowed(
    ip: str, has_contact: bool, is_named: bool, refusal: str
) -> None:
    guard = AddressGuard(("10.0.0.0/16", "fd00::/16"), has_contact=has_contact)
    address = connectable(ip)
    assert address is not None
    assert guard.refusal(address, is_named=is_named) == refusal


def test_a_guard_may_allow_everything() -> None:
    guard = AddressGuard(("0.0.0.0/0", "::/0"), has_contact=True)
    for ip in ("127.0.0.1", "::1", "224.0.0.1", "169.254.169.254"):
        assert guard.refusal(ipaddress.ip_address(ip), is_named=False) == ""


@pytest.mark.parametrize(
    ("value", "network"),
    [("10.0.0.0/8", "10.0.0.0/8"), ("fd00::/8", "fd00::/8"), ("127.0.0.1", "127.0.0.1/32"), ("::1", "::1/128")],
)
def test_networks_are_read(value: str, network: str) -> None:
    assert Cidr().convert(value, None, None) == network


@pytest.mark.parametrize("value", ["", "10.0.0.1/8", "10.0.0.0/33", "localhost", "10/8", "10.0.0.0/-1", "fd00::/8 "])
def test_what_is_no_network_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a network ADDRESS/BITS") as refusal:
        Cidr().convert(value, None, None)
    assert repr(value) in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("127.0.0.1:5353", "127.0.0.1:5353"),
        ("9.9.9.9", "9.9.9.9:53"),
        ("[::1]:53", "[::1]:53"),
        ("[2620:FE::FE]", "[2620:fe::fe]:53"),
    ],
)
def test_name_servers_are_read(value: str, address: str) -> None:
    assert ServerAddress().convert(value, None, None) == address


@pytest.mark.parametrize(
    "value", ["", "dns.example:53", "::1", "::1:53", "1.1.1.1:0", "1.1.1.1:65536", "1.1.1.1:", "[::1]53"]
)
def test_what_is_no_name_server_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="is not ADDR:PORT"):
        ServerAddress().convert(value, None, None)


# Ports that browsers refuse.


@pytest.mark.parametrize(
    ("url", "is_bad"),
    [
        ("http://a.example/", False),
        ("http://a.example:8080/", False),
        ("https://a.example:6000/", True),
        ("http://a.example:0/", True),
        ("http://a.example:10080/x?y#", True),
        ("http://a.example:60000/", False),
        ("http://[::25]/", False),
        ("http://[::1]:25/", True),
        ("http://a.example/x:25/", False),
        ("http://a.example/?u=http://b.example:25/", False),
        ("http://x:25/", True),
    ],
)
def test_the_port_of_a_url_is_looked_up(url: str, is_bad: bool) -> None:
    assert has_bad_port(url) == is_bad


def test_the_list_is_that_of_the_fetch_standard() -> None:
    """Number and sum of the ports in its table, as it stood when port 0 was added (whatwg/fetch, August 2025)."""
    assert (len(BAD_PORTS), sum(BAD_PORTS)) == (83, 115595)
    assert {0, 1, 22, 25, 69, 427, 989, 4190, 6000, 6665, 6679, 10080} <= BAD_PORTS
    assert not {80, 443, 8000, 8080, 8443} & BAD_PORTS

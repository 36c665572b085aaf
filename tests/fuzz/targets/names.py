"""DNS answers: whatever a name server sends, a lookup ends, and leads to no address inside."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from itertools import count

from hypothesis import strategies as st

from crawler.network.address_guard import is_public
from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.web import Found, Lookup
from tests.crawler.support.dns_server import AAAA, CNAME, A, DnsServer, Reply
from tests.fuzz.mutations import EDITS, edited
from tests.fuzz.target import Check, Target

Answer = tuple[int, int, tuple[tuple[int, int, bytes], ...], tuple[int, ...]]
"""The flags of the header, the number of answers that it claims beyond those there are, records (type, seconds to live,
data), and edits of the whole."""

DNS_SECONDS = 0.1
PATIENCE_SECONDS = 20.0
TOKENS = [
    *(b"\xc0\x0c", b"\xc0\x00", b"\xc0\xff", b"\xff\xff", b"\0", b"\x3f" + b"a" * 63, b"\x40", b"\x80", b"\x03www"),
    *(
        b"\0\x01\0\x01",
        b"\0\x1c\0\x01",
        b"\0\x05\0\x01",
        b"\0\x04\x7f\0\0\x01",
        b"\0\x10",
        b"\x7f\xff\xff\xff",
        b"\0\x29",
    ),
]
_ADDRESSES = ["192.0.2.1", "127.0.0.1", "8.8.8.8", "10.0.0.1", "169.254.169.254", "1.1.1.1", "0.0.0.0"]
_ADDRESSES_V6 = ["::1", "::ffff:127.0.0.1", "2606:4700::1", "64:ff9b::7f00:1", "fe80::1", "2002:7f00:1::1"]
_ALIASES = [b"\xc0\x0c", b"\x01b\x07example\0", b"\x09localhost\0", b"\0"]


@contextmanager
def opened() -> Iterator[Check]:
    """A network, and the name server that it asks; each input is asked for under a name of its own."""
    answer: Answer = (0, 0, (), ())
    with DnsServer(lambda name, kind: Reply(raw=_message(name, kind, answer))) as server:
        network = CurlWeb(
            NetworkSettings(
                user_agent="fuzz/1.0",
                contact="mailto:a@b.example",
                dns_servers=(server.address,),
                dns_timeout=DNS_SECONDS,
            )
        )
        numbers = count()

        def check(value: Answer) -> str:
            nonlocal answer
            answer = value
            return _found(network, f"http://n{next(numbers)}.example")

        try:
            yield check
        finally:
            network.close()


def _found(network: CurlWeb, origin: str) -> str:
    network.look_up(Lookup(origin, "purpose"))
    came = network.wait(network.now() + PATIENCE_SECONDS)
    assert len(came) == 1, f"{len(came)} answers within {PATIENCE_SECONDS} s"
    (found,) = came
    assert isinstance(found, Found)
    assert found.lookup == Lookup(origin, "purpose")
    assert 0 <= found.seconds <= 86400
    assert bool(found.endpoints) != bool(found.error)
    assert found.error in ("", "dns", "internal-address")
    for endpoint in found.endpoints:
        address = ip_address(endpoint.ip)
        assert is_public(address)
        assert not any((address.is_private, address.is_loopback, address.is_link_local, address.is_multicast))
        assert endpoint.port == 80
    return found.error or "found"


def _message(name: str, kind: int, answer: Answer) -> bytes:
    """What is sent behind the number of the query."""
    flags, surplus, records, edits = answer
    question = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"
    head = struct.pack(">HHHHH", flags, 1, (len(records) + surplus) % (1 << 16), 0, 0)
    body = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", of, 1, ttl, len(data)) + data for of, ttl, data in records)
    return edited(head + question + struct.pack(">HH", kind, 1) + body, edits, TOKENS, longest=1 << 12)


RECORDS = st.one_of(
    st.tuples(st.just(A), st.integers(0, (1 << 32) - 1), st.sampled_from([ip_address(ip).packed for ip in _ADDRESSES])),
    st.tuples(st.just(AAAA), st.just(60), st.sampled_from([ip_address(ip).packed for ip in _ADDRESSES_V6])),
    st.tuples(st.just(CNAME), st.just(0), st.sampled_from(_ALIASES)),
    st.tuples(st.integers(0, 300), st.just(60), st.binary(max_size=20)),
)
INPUTS = st.tuples(
    st.one_of(st.sampled_from([0x8180] * 12 + [0x8183, 0x8182, 0x8380]), st.integers(0, 0xFFFF)),
    st.sampled_from([0] * 12 + [1, -1, 1000]),
    st.lists(RECORDS, max_size=4).map(tuple),
    st.one_of(st.just(()), EDITS.map(lambda edits: edits[:1]), EDITS),
)
TARGET = Target("names", INPUTS, opened, share=0.01)

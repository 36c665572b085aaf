"""The hostile web itself: its good pages are good, its evils are evil, its log is true."""

import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.hostile.answers import BODY, answer
from tests.hostile.evil import EVILS, UNKNOWN, Ask, End, Place, Ports, Record, cut, failed, fetched, filtered
from tests.hostile.evils import load
from tests.hostile.names import NameServer
from tests.hostile.server import HostileWeb

load()


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    """All evils, running."""
    with HostileWeb() as running:
        yield running


def ask(web: HostileWeb, host: str, path: str, *lines: str) -> bytes:
    """Ask for a page as a simple client does, and take all that comes until the connection ends."""
    with socket.create_connection(web.ports[:2], timeout=10.0) as connection:
        head = "\r\n".join((f"GET {path} HTTP/1.1", f"Host: {host}", *lines))
        connection.sendall(f"{head}\r\n\r\n".encode())
        with suppress(OSError):  # it may have been reset by now
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while data := connection.recv(1 << 16):
            received += data
        return received


def test_there_are_enough_evils_and_each_says_what_it_does() -> None:
    assert len(EVILS) >= 60
    assert len({evil.says for evil in EVILS.values()}) == len(EVILS)
    assert all(evil.says.endswith(".") and evil.expected for evil in EVILS.values())
    assert {evil.place for evil in EVILS.values()} == set(Place)


@pytest.mark.parametrize("name", sorted(EVILS))
def test_beside_each_evil_there_are_good_pages(web: HostileWeb, name: str) -> None:
    evil = EVILS[name]
    root = ask(web, evil.site, "/")
    assert root.startswith(b"HTTP/1.1 200 OK\r\n")
    links = [part.partition(b'"')[0].decode() for part in root.split(b'href="')[1:]]
    assert links[1:] == ["/good", "/forbidden/page"]
    assert links[0] == evil.url(web.ports) or evil.link
    assert ask(web, evil.site, "/good") == answer()
    assert b"Disallow: /forbidden/" in ask(web, evil.site, "/robots.txt")


def test_the_evil_page_is_evil(web: HostileWeb) -> None:
    assert ask(web, "evil-length-too-large.example", "/evil").endswith(BODY)
    assert ask(web, "evil-empty-answer.example", "/evil") == b""
    assert ask(web, "evil-http09.example", "/evil") == BODY


def test_an_evil_robots_stands_on_the_trap_only(web: HostileWeb) -> None:
    assert b"500" in ask(web, "trap.evil-robots-error.example", "/robots.txt").splitlines()[0]
    assert ask(web, "trap.evil-robots-error.example", "/evil") == answer()


def test_a_reset_is_a_reset(web: HostileWeb) -> None:
    with pytest.raises(ConnectionResetError):
        ask(web, "evil-reset-after-request.example", "/evil")


def test_evils_of_the_trap_have_ports_of_their_own(web: HostileWeb) -> None:
    ports = {rule.split(":")[0]: int(rule.split(":")[3]) for rule in web.connect_to}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((web.ports.address, ports["trap.evil-nobody-listens.example"]), timeout=5.0)
    with pytest.raises(TimeoutError):
        socket.create_connection((web.ports.address, ports["trap.evil-nobody-accepts.example"]), timeout=0.3)


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        ("good-certificate", ""),
        ("expired-certificate", "expired"),
        ("certificate-of-the-future", "not yet valid"),
        ("certificate-of-another", "Hostname mismatch"),
        ("certificate-of-a-stranger", "self-signed|unable to get local issuer"),
        ("plain-http-for-tls", "WRONG_VERSION|wrong version|RECORD_LAYER|record layer"),
    ],
)
def test_certificates_are_wrong_as_they_say(web: HostileWeb, name: str, trouble: str) -> None:
    trap = EVILS[name].trap
    (port,) = (int(rule.split(":")[3]) for rule in web.connect_to if rule.startswith(trap))
    context = ssl.create_default_context(cafile=str(web.ca_cert))
    with socket.create_connection((web.ports.address, port), timeout=10.0) as connection:
        if trouble:
            with pytest.raises(ssl.SSLError, match=trouble):
                context.wrap_socket(connection, server_hostname=trap)
        else:
            with context.wrap_socket(connection, server_hostname=trap) as secure:
                assert secure.getpeercert()


def test_the_log_tells_what_came() -> None:
    with HostileWeb(["http10", "link-with-a-password"]) as web:
        ask(web, "evil-http10.example", "/evil")
        ask(web, "evil-http10.example", "/evil")
        ask(web, "evil-http10.example", "/forbidden/page")
        ask(web, "evil-http10.example", "/", "Cookie: a=b")
        ask(web, "evil-http10.example", "/", "Authorization: Basic dXNlcjpzZWNyZXQ=")
        log = web.log
        assert log.count("evil-http10.example", "/evil") == 2
        assert [visit.path for visit in log.visits] == ["/evil", "/evil", "/forbidden/page", "/", "/"]
        assert len({visit.connection for visit in log.visits}) == 5
        assert log.visits[0].bytes > len(BODY)
        assert [visit.path for visit in log.forbidden()] == ["/forbidden/page"]
        assert len(log.leaks) == 2
        assert log.requests_of("evil-http10.example") == 5


def test_who_comes_inside_is_seen() -> None:
    with HostileWeb(["http10"]) as web:
        with socket.create_connection(("127.0.0.1", web.ports.port), timeout=5.0) as connection:
            assert connection.recv(1) == b""
        assert len(web.log.inside) == 1


def test_one_connection_serves_many_requests(web: HostileWeb) -> None:
    with socket.create_connection(web.ports[:2], timeout=10.0) as connection:
        for _ in range(3):
            connection.sendall(b"GET /good HTTP/1.1\r\nHost: evil-http10.example\r\n\r\n")
            received = b""
            while len(received) < len(answer()):
                received += connection.recv(1 << 16)
            assert received == answer()


def test_names_are_told_as_they_are_given() -> None:
    with NameServer({"a.example": ("127.0.0.1", "10.0.0.1"), "*.b.example": ("127.0.0.2",)}) as names:
        assert [queried(names, "a.example") for _ in range(3)] == ["127.0.0.1", "10.0.0.1", "10.0.0.1"]
        assert queried(names, "x.b.example") == "127.0.0.2"
        assert queried(names, "b.example") == ""
        assert queried(names, "a.example", kind=28) == ""
        assert names.queries["a.example"] == 3


def queried(names: NameServer, name: str, kind: int = 1) -> str:
    """Ask for an address as a simple client does."""
    host, port = names.address.split(":")
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    query = struct.pack("!HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(5.0)
        asking.sendto(query, (host, int(port)))
        response = asking.recv(512)
    assert response[:2] == query[:2]
    return socket.inet_ntoa(response[-4:]) if struct.unpack_from("!H", response, 6)[0] else ""


def test_records_match_what_they_mean() -> None:
    assert fetched(200).matches(Record("fetched", "", 200))
    assert not fetched(200).matches(fetched(404))
    assert not fetched(200).matches(cut("length", "size"))
    assert failed("dns").matches(failed("dns"))
    assert not failed("dns").matches(filtered("dns"))
    assert filtered("trap...").matches(filtered("trap-query"))
    assert not filtered("trap...").matches(filtered("robots"))
    assert not UNKNOWN.matches(failed("..."))


def test_steps_end_with_what_becomes_of_the_connection() -> None:
    request = Ask("evil-http10.example", "/evil", b"", 1, 1, Ports("127.0.0.1", 1))
    assert list(EVILS["reset-after-request"].handler(request)) == [End.RESET]
    assert list(EVILS["status-999"].handler(request))[-1] is End.KEEP

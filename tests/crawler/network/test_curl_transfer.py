"""What servers may do to a transfer: each evil has its kind, and none costs a second request."""

import datetime
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pycurl
import pytest
import trustme

from crawler.network.curl_transfer import NetworkSettings, Transfer
from crawler.network.curl_web import CurlWeb
from crawler.network.pooled_sockets import PooledSockets
from crawler.network.web import GET, HEAD, Endpoint, Request, Response
from tests.crawler.support.fetching import PATIENCE, Networks, awaited, fetched, to
from tests.crawler.support.raw_server import RawServer, always

OK = b"HTTP/1.1 200 OK\r\n"
HI = OK + b"Content-Length: 2\r\n\r\nhi"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
DISCONNECT = ("disconnect",)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"<html>HTTP/0.9</html>", "protocol"),
        (b"\0" * 100, "protocol"),
        (b"HTTP/1.1 abc OK\r\n\r\n", "protocol"),
        (b"HTTP/1.1 -200 OK\r\n\r\n", "protocol"),
        (b"HTTP/9.9 200 OK\r\n\r\nhi", "protocol"),
        (b"HTTP/2 200 OK\r\n\r\nhi", "protocol"),
        (b"ICY 200 OK\r\n\r\nhi", "protocol"),
        (OK + b"X: a\0b\r\n\r\nhi", "protocol"),
        (OK + b"X: a\rY: b\r\n\r\nhi", "protocol"),
        (OK + b"no field\r\n\r\nhi", "protocol"),
        (OK + b"Content-Length: 2\r\nContent-Length: 5\r\n\r\nhi", "protocol"),
        (OK + b"Content-Length: 2, 5\r\n\r\nhi", "protocol"),
        (OK + b"Content-Length: -5\r\n\r\nhi", "protocol"),
        (OK + b"Content-Length: two\r\n\r\nhi", "protocol"),
        (OK + b"Transfer-Encoding: xchunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "protocol"),
        (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "protocol"),
        (OK + b"X: " + b"a" * 200_000, "header-size"),
        (OK + b"X: abc\r\n" * 100_000, "header-size"),
        (OK + b"Set-Cookie: a=b; Path=/\r\n" * 4_000 + b"\r\n", "header-size"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000 + HI, "header-size"),
        (OK, "disconnect"),
        (OK + b"X: a\r\n", "disconnect"),
        (OK + b"X: a", "disconnect"),
        (b"", "empty"),
    ],
)
def test_what_comes_before_the_body_must_be_a_head(network: Networks, answer: bytes, error: str) -> None:
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.error, response.head, response.body) == (0, error, [], b"")
    assert response.is_hopeless == (error in ("protocol", "header-size"))


@pytest.mark.parametrize(
    ("answer", "body", "error", "truncated"),
    [
        (OK + b"Content-Length: 5\r\n\r\nhi", b"hi", "disconnect", "disconnect"),
        (OK + b"Content-Length: 2\r\n\r\nhi and more", b"hi", "", ""),
        (OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", b"hi", "", ""),
        (OK + b"Content-Length: 99999999999999999999999999\r\n\r\nhi", b"hi", "", ""),
        (OK + b"Content-Length: 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", b"hi", "", ""),
        (b"HTTP/1.0 200 OK\r\n\r\nhi", b"hi", "", ""),
        (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", b"hi", "", ""),
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", b"hi", "", ""),
        (CHUNKED + b"2\r\nhi\r\n", b"hi", "disconnect", "disconnect"),
        (CHUNKED + b"2\r\nhi\r\n-2\r\nhi\r\n0\r\n\r\n", b"hi", "protocol", "unspecified"),
        (CHUNKED + b"2\r\nhi\r\nffffffffffffffffffff\r\nhi\r\n0\r\n\r\n", b"hi", "protocol", "unspecified"),
        (CHUNKED + b"2\r\nhiXX\r\n0\r\n\r\n", b"hi", "protocol", "unspecified"),
        (CHUNKED + b"2\r\nhi\r\nzz\r\n", b"hi", "protocol", "unspecified"),
        (CHUNKED + b"2\r\nhi\r\n0\r\n" + b"X: trailer\r\n" * 20_000 + b"\r\n", b"hi", "header-size", "length"),
    ],
)
def test_of_a_body_what_came_is_kept(network: Networks, answer: bytes, body: bytes, error: str, truncated: str) -> None:
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.body, response.error, response.truncated) == (200, body, error, truncated)


@pytest.mark.parametrize(("surplus", "error"), [(0, ""), (1, "header-size")])
def test_the_limit_of_a_head_is_exact_and_counts_all_lines(network: Networks, surplus: int, error: str) -> None:
    head = b"HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\n" + OK + b"Content-Length: 0\r\nX: \r\n\r\n"
    padded = head.replace(b"X: \r\n", b"X: %b\r\n" % (b"x" * (5000 - len(head) + surplus)))
    with RawServer(always(padded)) as server:
        response = fetched(network(header_limit=5000), server.url)
    assert response.error == error


def test_no_cookie_comes_back(network: Networks) -> None:
    one = network()
    with RawServer(always(OK + b"Set-Cookie: a=b\r\nContent-Length: 2\r\n\r\nhi"), keeps_alive=True) as server:
        for _ in range(3):
            assert fetched(one, server.url).body == b"hi"
        assert not any(b"cookie" in head.lower() for head in server.heads)
        one.close()


def test_a_head_has_no_body_and_the_next_request_of_its_handle_is_a_get(network: Networks) -> None:
    one = network()
    with RawServer(lambda _, head: HI if head.startswith(b"GET") else HI[:-2], keeps_alive=True) as server:
        responses = []
        for method in (HEAD, GET, HEAD):
            one.start(to(server.url)._replace(method=method))
            responses += awaited(one)
        assert [response.request_head for response in responses] == server.heads
        assert server.connections == 1
        one.close()
    assert [response.request_head.split()[0] for response in responses] == [b"HEAD", b"GET", b"HEAD"]
    assert [(one.status, one.body, one.error) for one in responses] == [
        (200, b"", ""),
        (200, b"hi", ""),
        (200, b"", ""),
    ]
    assert responses[0].head == responses[1].head


def test_a_body_after_a_head_is_no_part_of_the_next_answer(network: Networks) -> None:
    one = network()
    with RawServer(lambda _, head: HI if head.startswith(b"GET") else HI + b"<p>and more", keeps_alive=True) as server:
        answers = []
        for method in (HEAD, GET, HEAD, GET):
            one.start(to(server.url)._replace(method=method))
            answers += awaited(one)
        one.close()
    assert [(answer.status, answer.body, answer.error) for answer in answers] == 2 * [(200, b"", ""), (200, b"hi", "")]


def test_header_lines_of_a_request_are_sent_and_told_and_gone_with_it(network: Networks) -> None:
    one = network()
    extra = ('If-None-Match: "abc"', "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT")
    with RawServer(always(HI), keeps_alive=True) as server:
        one.start(to(server.url, headers=extra))
        (first,) = awaited(one)
        one.start(to(server.url))
        (second,) = awaited(one)
        assert [first.request_head, second.request_head] == server.heads
        one.close()
    assert first.request_head.endswith("\r\n".join((*extra, "", "")).encode())
    assert b"If-" not in second.request_head


@pytest.mark.parametrize("line", ["X: a\r\nY: b", "X: a\nY", "X: a\rY", "X: \0", "X: \u00e9", "X: \x7f"])
def test_no_header_line_can_be_two(network: Networks, line: str) -> None:
    one = network()
    with pytest.raises(ValueError, match="no header lines"):
        one.start(to("http://127.0.0.1/", headers=("A: b", line)))
    assert one.in_flight == 0


@pytest.mark.parametrize("url", ["http://a.example/\r\nX-Evil: 1", "http://a.example/ HTTP/1.1\r\n\r\nGET /"])
def test_no_url_can_be_two_lines(network: Networks, url: str) -> None:
    one = network()
    with RawServer(always(HI)) as server:
        one.start(Request(url, None, Endpoint("127.0.0.1", int(server.url[17:-1]))))
        (response,) = awaited(one)
        assert (response.status, response.error) == (0, "url")
        assert server.heads == []


@pytest.mark.parametrize("endpoint", [None, Endpoint("a.example", 80), Endpoint("", 80), Endpoint("fe80::1%lo", 80)])
def test_a_request_goes_to_an_address(network: Networks, endpoint: Endpoint | None) -> None:
    one = network()
    with pytest.raises(ValueError, match="a request to no IP address"):
        one.start(Request("http://a.example/", None, endpoint))
    assert one.in_flight == 0


def test_the_contact_is_told(network: Networks) -> None:
    with RawServer(always(HI)) as server:
        response = fetched(network(contact="https://crawler.example/"), server.url)
    assert b"\r\nUser-Agent: tester/1.0 (+https://crawler.example/)\r\n" in server.heads[0]
    assert response.request_head == server.heads[0]


def test_a_kept_connection_is_used_again_only_for_its_address(network: Networks) -> None:
    """Three servers on one port of three addresses: each request arrives where it was sent."""
    one = network()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    ips = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    servers = [socket.create_server((ip, port)) for ip in ips]
    threads = [threading.Thread(target=_answer_with_own_address, args=(server,), daemon=True) for server in servers]
    for thread in threads:
        thread.start()
    for ip in [*ips, *ips, *reversed(ips), "127.0.0.2", "127.0.0.2"]:
        one.start(Request("http://a.example/", None, Endpoint(ip, port)))
        (response,) = awaited(one)
        assert (response.body.decode(), response.ip) == (f"{ip} 1", ip)
    one.close()
    for server, thread in zip(servers, threads, strict=True):
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(PATIENCE)


def _answer_with_own_address(listening: socket.socket) -> None:
    """Each answer is our address and the number of the connection."""
    connections = 0
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            connections += 1
            with connection:
                while connection.recv(4096):
                    body = f"{connection.getsockname()[0]} {connections}".encode()
                    connection.sendall(OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def test_two_transfers_to_one_site_may_go_to_two_addresses_at_once(network: Networks) -> None:
    one = network()
    with RawServer(always(HI)) as first, RawServer(always(OK + b"Content-Length: 3\r\n\r\nyou")) as second:
        for number, server in enumerate((first, second)):
            one.start(Request("http://a.example/", number, Endpoint("127.0.0.1", int(server.url[17:-1]))))
        answers = sorted(awaited(one, 2), key=lambda response: int(response.request.purpose))
    assert [answer.body for answer in answers] == [b"hi", b"you"]


def test_ipv6_is_spoken(network: Networks) -> None:
    one = network()
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listening:
        thread = threading.Thread(target=_answer_with_own_address, args=(listening,), daemon=True)
        thread.start()
        one.start(Request("http://a.example/", None, Endpoint("::1", listening.getsockname()[1])))
        (response,) = awaited(one)
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        one.close()
        thread.join(PATIENCE)
    assert (response.body, response.ip) == (b"::1 1", "::1")


class Hanging:
    """A server that answers the first request on each connection, and hangs up when it has read the next one.

    ``heads`` are all that it read.
    """

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        self.heads: list[bytes] = []
        self.connections = 0

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(PATIENCE)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.connections += 1
                with connection:
                    if not (head := connection.recv(4096)):
                        continue
                    self.heads.append(head)
                    connection.sendall(HI)
                    if head := connection.recv(4096):
                        self.heads.append(head)


def test_libcurl_repeats_no_request_by_itself(network: Networks) -> None:
    """Left alone, it asks again at once, as the next test shows."""
    server = Hanging()
    one = network()
    assert fetched(one, server.url).body == b"hi"
    response = fetched(one, server.url)
    assert (response.status, response.error, response.head) == (0, "disconnect", [])
    assert len(server.heads) == 2
    assert fetched(one, server.url).body == b"hi"
    assert len(server.heads) == 3
    one.close()
    server.close()


def test_left_alone_libcurl_does_repeat_it() -> None:
    """Why the rule above is needed; if this fails, libcurl has changed and the rule can go."""
    server = Hanging()
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, server.url)
    curl.setopt(pycurl.WRITEFUNCTION, lambda _chunk: None)
    curl.perform()
    curl.perform()
    assert len(server.heads) == 3
    curl.close()
    server.close()


def test_a_connection_that_died_while_it_was_kept_costs_no_request(network: Networks) -> None:
    """libcurl would find out only by sending into it, since it looks for dead ones once a second."""
    one = network()
    listening = socket.create_server(("127.0.0.1", 0))
    heads: list[bytes] = []
    turn = threading.Semaphore(0)

    def serve() -> None:
        for _ in range(5):
            connection, _ = listening.accept()
            with connection:
                heads.append(connection.recv(4096))
                connection.sendall(HI)
            turn.release()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    for _ in range(5):
        response = fetched(one, f"http://127.0.0.1:{listening.getsockname()[1]}/")
        assert (response.body, response.error) == (b"hi", "")
        assert turn.acquire(timeout=PATIENCE)
    thread.join(PATIENCE)
    listening.close()
    assert len(heads) == 5


def test_a_peer_at_another_address_is_sent_nothing(monkeypatch: pytest.MonkeyPatch, network: Networks) -> None:
    """libcurl connects where it is told; if it ever did not, nothing would be sent."""
    monkeypatch.setattr(Transfer, "_pin", _pin_elsewhere)
    one = network()
    with RawServer(always(HI)) as server:
        one.start(to(server.url))
        (response,) = awaited(one)
        assert (response.status, response.error) == (0, "connect")
        assert server.heads == []


def _pin_elsewhere(transfer: Transfer, request: Request) -> None:
    transfer._endpoint = Endpoint("127.0.0.2", 80)


class Dripping:
    """A server that sends ``head``, then ``drop`` again and again as long as it is read, each when it is called."""

    def __init__(self, head: bytes, drop: bytes) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.setblocking(False)
        self._connection: socket.socket | None = None
        self._head, self._drop = head, drop
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"

    def fetched(self, network: CurlWeb) -> Response:
        network.start(to(self.url))
        until = network.now() + PATIENCE
        while network.now() < until:
            came = network.wait(network.now() + 0.005)
            if came:
                assert isinstance(came[0], Response)
                return came[0]
            self._turn()
        raise AssertionError("no response came")

    def _turn(self) -> None:
        if self._connection is None:
            with suppress(BlockingIOError):
                self._connection, _ = self._listening.accept()
                self._connection.sendall(self._head)
        else:
            with suppress(OSError):
                self._connection.sendall(self._drop)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._listening.close()


LONG = OK + b"Content-Length: 1000000\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "drop", "settings", "status", "error"),
    [
        (b"", b"", {"idle_timeout": 0.1}, 0, "idle"),
        (OK, b"", {"idle_timeout": 0.1}, 0, "idle"),
        (OK, b"x", {"idle_timeout": 0.1}, 0, "idle"),  # one line that never ends
        (LONG + b"some", b"", {"idle_timeout": 0.1}, 200, "idle"),
        (CHUNKED, b"0", {"idle_timeout": 5.0}, 200, "protocol"),  # a chunk's length of zeros
        (LONG, b"x", {"idle_timeout": 5.0, "min_speed": 1e6, "speed_window": 0.1}, 200, "slow"),
        (OK, b"X: y\r\n", {"idle_timeout": 5.0, "min_speed": 1e6, "speed_window": 0.1}, 0, "slow"),
        (b"", b"HTTP/1.1 103 Wait\r\n\r\n", {"min_speed": 1e6, "speed_window": 0.1}, 0, "slow"),
        (CHUNKED, b"1\r\nx\r\n", {"timeout": 0.2}, 200, "timeout"),
        (OK, b"X: y\r\n", {"timeout": 0.2}, 0, "timeout"),
        (CHUNKED, b"100\r\n" + b"x" * 256 + b"\r\n", {"body_limit": 2000}, 200, "size"),
        (OK, b"X: y\r\n", {"header_limit": 500}, 0, "header-size"),
    ],
)
def test_a_server_cannot_hold_a_transfer(
    network: Networks, head: bytes, drop: bytes, settings: dict[str, float], status: int, error: str
) -> None:
    server = Dripping(head, drop)
    response = server.fetched(network(**settings))
    server.close()
    assert (response.status, response.error) == (status, error)
    if status and error in ("idle", "slow", "timeout"):
        assert response.truncated == "time"


def test_a_halt_of_one_transfer_leaves_the_others_and_the_handle_is_used_again(network: Networks) -> None:
    one = network(idle_timeout=0.1)
    with RawServer(always(None)) as silent, RawServer(always(HI)) as good:
        one.start(to(silent.url))
        assert fetched_beside(one, good.url).body == b"hi"
        (halted,) = awaited(one)
        assert (halted.error, halted.request.url) == ("idle", silent.url)
        assert one.in_flight == 0
        assert fetched(one, good.url).body == b"hi"


def fetched_beside(network: CurlWeb, url: str) -> Response:
    network.start(to(url))
    return awaited(network)[0]


def test_who_does_not_even_connect_is_told_apart(network: Networks) -> None:
    """A listener whose queue is full takes no more connections."""
    full = socket.socket()
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    filling = []
    for _ in range(3):
        one = socket.socket()
        one.setblocking(False)
        with suppress(BlockingIOError):
            one.connect(full.getsockname())
        filling.append(one)
    response = fetched(network(connect_timeout=0.1), f"http://127.0.0.1:{full.getsockname()[1]}/")
    for one in (*filling, full):
        one.close()
    assert (response.status, response.error) == (0, "connect-timeout")


Certificates = Callable[[trustme.CA], trustme.LeafCert]
NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)


@pytest.fixture
def authority(tmp_path: Path) -> trustme.CA:
    """An authority that is trusted, as ca.pem says."""
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return made


def over_tls(
    network: CurlWeb, context: ssl.SSLContext, answer: bytes = HI, is_asked: Callable[[bytes], bool] = bool
) -> Response:
    """What comes of https://a.example/ from a server with this context, once it ``is_asked`` by what it has read."""
    is_over = threading.Event()

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
            read = b""
            while not is_asked(read):
                received = secure.recv(4096)
                if not received:
                    return
                read += received
            secure.sendall(answer)
            is_over.wait(PATIENCE)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        network.start(Request("https://a.example/", None, Endpoint(*listening.getsockname())))
        (response,) = awaited(network)
        is_over.set()
        thread.join(PATIENCE)
    return response


def is_stream_opened(read: bytes) -> bool:
    """Whether a HEADERS frame has come (RFC 9113, section 4.1) after the preface of 24 bytes."""
    at = 24
    while len(read) >= at + 9:
        if read[at + 3] == 1:
            return True
        at += 9 + int.from_bytes(read[at : at + 3], "big")
    return False


def context_with(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@pytest.mark.parametrize(
    ("issue", "error"),
    [
        (lambda ca: ca.issue_cert("a.example"), ""),
        (lambda ca: ca.issue_cert("b.example"), "tls-name"),
        (lambda ca: ca.issue_cert("*.example"), "tls-name"),
        (lambda ca: ca.issue_cert("127.0.0.1"), "tls-name"),
        (lambda ca: ca.issue_cert("a.example", not_before=NOW - 9 * DAY, not_after=NOW - DAY), "tls-expired"),
        (lambda ca: ca.issue_cert("a.example", not_before=NOW + DAY, not_after=NOW + 9 * DAY), "tls-expired"),
        (lambda _: trustme.CA().issue_cert("a.example"), "tls-untrusted"),
    ],
    ids=["good", "other name", "wildcard", "address", "expired", "not yet", "untrusted"],
)
def test_what_is_wrong_with_a_certificate_is_told(
    network: Networks, authority: trustme.CA, tmp_path: Path, issue: Certificates, error: str
) -> None:
    one = network(ca_cert=tmp_path / "ca.pem")
    for _ in range(2):  # nothing stays in the handle
        response = over_tls(one, context_with(issue(authority)))
        assert (response.status, response.error) == (0 if error else 200, error)
        assert over_tls(one, context_with(authority.issue_cert("a.example"))).body == b"hi"
    careless = network(tls_verify=False)
    assert over_tls(careless, context_with(issue(authority))).body == b"hi"


def test_a_handshake_that_fails_is_an_error_of_tls(network: Networks, authority: trustme.CA, tmp_path: Path) -> None:
    context = context_with(authority.issue_cert("a.example"))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("NULL-SHA256:@SECLEVEL=0")
    response = over_tls(network(ca_cert=tmp_path / "ca.pem"), context)
    assert (response.status, response.error) == (0, "tls")


@pytest.mark.parametrize("http2", [True, False])
def test_http2_is_offered_unless_it_is_switched_off(
    network: Networks, authority: trustme.CA, tmp_path: Path, http2: bool
) -> None:
    context = context_with(authority.issue_cert("a.example"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    settings_frame = b"\0\0\0\4\0\0\0\0\0"
    ack = b"\0\0\0\4\1\0\0\0\0"
    headers = b"\0\0\1\1\4\0\0\0\1\x88"  # :status 200, from the static table (RFC 7541, appendix A)
    data = b"\0\0\2\0\1\0\0\0\1hi"
    answer = settings_frame + ack + headers + data if http2 else HI
    is_asked = is_stream_opened if http2 else bool
    response = over_tls(network(ca_cert=tmp_path / "ca.pem", http2=http2), context, answer, is_asked)
    assert (response.status, response.body, response.error) == (200, b"hi", "")
    assert response.head[0].startswith(b"HTTP/2 200" if http2 else b"HTTP/1.1 200")


def test_settings_are_all_taken() -> None:
    transfer = Transfer(NetworkSettings("tester/1.0", body_limit=5, header_limit=7), PooledSockets())
    assert (transfer._default_limit, transfer._header_limit) == (5, 7)
    transfer.curl.close()

"""The real network, as far as the loopback goes."""

import gzip
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trustme

from crawler.network import curl_web
from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.web import ERROR_KINDS, Endpoint, Found, Lookup, Request, Response
from sessions.localweb.serve.server import LocalWeb
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile
from tests.crawler.support.dns_server import SERVFAIL, A, DnsServer, Reply, table
from tests.crawler.support.fetching import PATIENCE, Networks, awaited, fetched, found, responses, to
from tests.crawler.support.raw_server import RawServer, always

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
BODY = b"<p>hello</p>" * 100
WHOLE = OK + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
CLOSING = OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


@pytest.fixture(scope="module")
def local_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalWeb]:
    """A web with a page at http and https."""
    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    warc = WarcFile(path)
    for url in ("http://a.example/", "https://a.example/"):
        warc.append(Exchange(url, 0.0, OK + b"Content-Length: %d\r\n\r\n" % len(BODY), BODY))
    warc.close()
    with LocalWeb([path]) as web:
        yield web


def test_a_page_comes_with_all_that_is_to_be_told_of_it(network: Networks) -> None:
    with RawServer(always(WHOLE)) as server:
        response = fetched(network(), server.url + "x?y=1")
    assert (response.status, response.error, response.truncated) == (200, "", "")
    assert response.body == BODY
    assert [line.rstrip() for line in response.head] == WHOLE.split(b"\r\n\r\n")[0].split(b"\r\n")
    assert response.ip == "127.0.0.1"
    assert 0 < response.milliseconds < 1000 * PATIENCE
    assert response.started > 1.7e9
    assert response.request_head == server.heads[0]
    assert b"User-Agent: tester/1.0\r\n" in server.heads[0]


def test_the_request_is_told_as_it_was_sent(network: Networks, local_web: LocalWeb) -> None:
    with RawServer(always(WHOLE)) as server:
        port = server.url.split(":")[2].strip("/")
        one = network(connect_to=(f"::127.0.0.1:{port}",))
        answers = responses(one, "http://a.example/", "http://b.example:8080/a/../b//c?d=%20", "http://a.example/?")
        assert sorted(answer.request_head for answer in answers) == sorted(server.heads)


def test_bodies_stay_as_they_were_packed(network: Networks) -> None:
    packed = gzip.compress(BODY)
    answer = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert response.body == packed
    assert b"Accept-Encoding: gzip\r\n" in server.heads[0]


def test_chunks_are_put_together(network: Networks) -> None:
    answer = OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n"
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert (response.body, response.error) == (b"hello world", "")
    assert response.head[-1] == b"Transfer-Encoding: chunked\r\n"


def test_interim_answers_are_not_the_answer(network: Networks) -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    with RawServer(always(interim + WHOLE)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.body) == (200, BODY)
    assert response.head[0].startswith(b"HTTP/1.1 200 OK")
    assert not any(line.startswith(b"Link") for line in response.head)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404),
        (b"HTTP/1.0 301 Moved\r\nLocation: http://127.0.0.1:1/\r\n\r\n", 301),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204),
        (b"HTTP/1.1 999 Request denied\r\nContent-Length: 0\r\n\r\n", 999),
        (b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", 401),
    ],
)
def test_any_status_is_an_answer_and_redirects_are_left_to_the_crawler(
    network: Networks, answer: bytes, status: int
) -> None:
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.body, response.error) == (status, b"", "")
    assert len(server.heads) == 1


@pytest.mark.parametrize("surplus", [-1, 0, 1, 5000])
@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_body_beyond_the_limit_is_cut_off(network: Networks, surplus: int, framing: str) -> None:
    body = b"y" * (1000 + surplus)
    head = {
        "length": OK + b"Content-Length: %d\r\n\r\n" % len(body),
        "chunked": OK + b"Transfer-Encoding: chunked\r\n\r\n",
        "close": OK + b"\r\n",
    }[framing]
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if framing == "chunked" else body
    with RawServer(always(head + sent)) as server:
        response = fetched(network(body_limit=1000), server.url)
    assert response.status == 200
    assert response.body == body[:1000]
    assert (response.error, response.truncated) == (("size", "length") if surplus > 0 else ("", ""))


@pytest.mark.parametrize("framing", [b"Content-Length: 5000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n1388\r\n"])
def test_of_a_body_that_breaks_off_the_beginning_is_kept(network: Networks, framing: bytes) -> None:
    with RawServer(always(OK + framing + b"z" * 300)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.body) == (200, b"z" * 300)
    assert (response.error, response.truncated) == ("disconnect", "disconnect")


def test_a_server_that_says_nothing_times_out(network: Networks) -> None:
    with RawServer(always(None)) as server:
        response = fetched(network(timeout=0.2), server.url)
    assert (response.status, response.error, response.body) == (0, "timeout", b"")
    assert response.error in ERROR_KINDS


def test_a_body_that_takes_too_long_is_cut_off_in_time(network: Networks) -> None:
    one = network(timeout=0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        one.start(to(f"http://127.0.0.1:{listening.getsockname()[1]}/", None))
        connection = _accepted(one, listening)
        with connection:
            connection.sendall(OK + b"Content-Length: 5000\r\n\r\n" + b"z" * 300)
            (response,) = one.wait(one.now() + PATIENCE)
    assert (response.status, response.body) == (200, b"z" * 300)
    assert (response.error, response.truncated) == ("timeout", "time")


def _accepted(network: CurlWeb, listening: socket.socket) -> socket.socket:
    """The connection that the network makes, once something has come over it: the network is driven meanwhile."""
    listening.setblocking(False)
    connection = None
    until = network.now() + PATIENCE
    while network.now() < until:
        network.wait(network.now() + 0.01)
        if connection is None:
            with suppress(BlockingIOError):
                connection, _ = listening.accept()
        elif select.select([connection], [], [], 0)[0]:
            connection.setblocking(True)
            return connection
    raise AssertionError("nothing came")


def _received(connection: socket.socket) -> bytes:
    """What has come by now on a connection that does not block."""
    try:
        return connection.recv(4096)
    except BlockingIOError:
        return b""


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (b"", {"empty"}),
        (b"SSH-2.0-OpenSSH_9.6\r\n", {"protocol"}),
        (b"HTTP/1.1 20", {"empty", "protocol", "disconnect"}),
        (b"HTTP/1.1 100 Continue\r\n\r\n", {"empty"}),
    ],
)
def test_what_is_no_answer_is_an_error(network: Networks, answer: bytes, kinds: set[str]) -> None:
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.body) == (0, b"")
    assert response.error in kinds


def test_a_closed_port_refuses_the_connection(network: Networks) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    response = fetched(network(connect_to=(f"::127.0.0.1:{port}",)), "http://a.example/")
    assert (response.status, response.error) == (0, "connect")


def test_https_is_verified(network: Networks, local_web: LocalWeb) -> None:
    there = {"connect_to": (local_web.connect_to,)}
    url = "https://a.example/"
    trusting = fetched(network(ca_cert=local_web.ca_cert, **there), url)
    assert (trusting.status, trusting.body) == (200, BODY)
    distrusting = fetched(network(**there), url)
    assert (distrusting.status, distrusting.error, distrusting.body) == (0, "tls-untrusted", b"")
    careless = fetched(network(tls_verify=False, **there), url)
    assert (careless.status, careless.body) == (200, BODY)


def test_https_to_what_speaks_no_tls_is_a_tls_error(network: Networks) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        one = network()
        one.start(Request("https://a.example/", None, Endpoint(*listening.getsockname())))
        with _accepted(one, listening) as connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            (response,) = one.wait(one.now() + PATIENCE)
    assert (response.status, response.error) == (0, "tls")


def test_connections_are_kept_and_used_again(network: Networks) -> None:
    one = network()
    with RawServer(always(WHOLE), keeps_alive=True) as server:
        for _ in range(4):
            assert fetched(one, server.url).body == BODY
        assert (server.connections, len(server.heads)) == (1, 4)
        one.close()


def test_the_limit_counts_each_body_by_itself(network: Networks) -> None:
    one = network(body_limit=len(BODY) + 100)
    with RawServer(always(CLOSING)) as server:
        for _ in range(3):
            response = fetched(one, server.url)
            assert (response.body, response.error) == (BODY, "")


def test_handles_are_used_again(network: Networks) -> None:
    one = network()
    with RawServer(always(WHOLE), keeps_alive=True) as server:
        for count in (3, 2, 1, 3):
            responses(one, *[server.url] * count)
        assert len(one._idle) == 3
        one.close()


def test_a_connection_that_the_server_will_close_is_not_kept(network: Networks) -> None:
    one = network()
    with RawServer(always(CLOSING)) as server:
        for _ in range(3):
            assert fetched(one, server.url).body == BODY
        assert server.connections == 3


def test_a_kept_connection_that_the_server_has_closed_is_opened_anew(network: Networks) -> None:
    one = network()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for _ in range(3):
            one.start(to(f"http://127.0.0.1:{listening.getsockname()[1]}/"))
            with _accepted(one, listening) as connection:
                assert connection.recv(4096).startswith(b"GET / ")
                connection.sendall(WHOLE)
                (response,) = awaited(one)
            assert (response.body, response.error) == (BODY, "")


def test_a_request_that_a_kept_connection_swallowed_is_unread(network: Networks) -> None:
    one = network()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        one.start(to(url))
        with _accepted(one, listening) as connection:
            assert connection.recv(4096)
            connection.sendall(WHOLE)
            assert awaited(one)[0].body == BODY
            one.start(to(url))
            connection.setblocking(False)
            while not _received(connection):
                assert one.wait(one.now() + 0.01) == []
        (swallowed,) = awaited(one)
        with _accepted(one, listening) as repeated:
            assert repeated.recv(4096) == b"", "libcurl's own repetition was broken off"
        one.start(to(url))
        with _accepted(one, listening) as connection:
            assert connection.recv(4096)
        (refused,) = awaited(one)
    assert (swallowed.error, swallowed.is_unread) == ("disconnect", True)
    assert (refused.error, refused.is_unread) == ("empty", False), "on a connection of its own it was heard"


def test_nothing_of_one_response_stays_in_the_next(network: Networks) -> None:
    closing = b"Connection: close\r\n"
    answers = [
        OK + closing + b"X-One: 1\r\nContent-Length: 3\r\n\r\none",
        b"HTTP/1.1 500 No\r\n" + closing + b"Content-Length: 0\r\n\r\n",
        b"",
    ]
    with RawServer(lambda number, _: answers[number - 1]) as server:
        one = network()
        first, second, third = (fetched(one, server.url) for _ in range(3))
    assert (first.status, first.body) == (200, b"one")
    assert (second.status, second.body, second.head[1:]) == (500, b"", [closing, b"Content-Length: 0\r\n"])
    assert (third.status, third.body, third.head, third.error) == (0, b"", [], "empty")


def test_many_transfers_at_once(network: Networks, local_web: LocalWeb) -> None:
    one = network(connect_to=(local_web.connect_to,))
    answers = responses(one, *["http://a.example/", "http://a.example/missing"] * 40)
    assert [answer.status for answer in answers] == [200, 404] * 40
    assert [answer.request.url.endswith("missing") for answer in answers] == [False, True] * 40


def test_cancel_returns_what_was_in_flight(network: Networks) -> None:
    one = network()
    with RawServer(always(None)) as server:
        requests = [to(server.url + str(number), number) for number in range(3)]
        for request in requests:
            one.start(request)
        one.wait(one.now() + 0.05)
        assert sorted(one.cancel()) == requests
        assert one.in_flight == 0
        assert one.cancel() == []
    with RawServer(always(WHOLE)) as server:
        assert fetched(one, server.url).body == BODY, "and the network goes on"


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 0.05])
def test_wait_returns_by_then(network: Networks, seconds: float) -> None:
    one = network()
    with RawServer(always(None)) as server:
        one.start(to(server.url, None))
        before = one.now()
        assert one.wait(before + seconds) == []
        assert max(seconds, 0.0) <= one.now() - before < seconds + 5.0
    assert one.in_flight == 1


def test_wait_returns_when_a_response_has_come(network: Networks) -> None:
    one = network()
    with RawServer(always(WHOLE)) as server:
        one.start(to(server.url, "purpose"))
        before = one.now()
        (response,) = one.wait(before + 1000.0)
        assert response.request == to(server.url, "purpose")
        assert one.now() - before < PATIENCE


def test_the_clock_never_runs_backwards(network: Networks) -> None:
    one = network()
    times = [one.now() for _ in range(100)]
    assert times == sorted(times)


def test_the_clock_stands_still_while_a_crawl_pauses(network: Networks, monkeypatch: pytest.MonkeyPatch) -> None:
    one, clock = network(), [1000.0]
    monkeypatch.setattr(curl_web.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(curl_web.time, "sleep", lambda seconds: clock.append(clock.pop() + seconds + 1.0))
    before = one.now()
    one.stand_still(3600.0)
    one.stand_still(0.5)
    assert clock[0] > 4600.0
    assert one.now() == before
    clock[0] += 2.0
    assert one.now() == before + 2.0


def test_closing_breaks_off_what_is_in_flight_and_may_be_repeated(tmp_path: Path) -> None:
    one = CurlWeb(NetworkSettings(user_agent="tester/1.0"))
    with RawServer(always(None)) as server:
        one.start(to(server.url, None))
        one.wait(one.now())
        one.close()
    assert one.in_flight == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/x/y?q=1&r=%20",
        "http://a.example:8080/with/port",
        "http://a.example/?only-a-query",
        "http://a.example/a'b(c)!*~;=,/%C3%BC%2F|{}[]@",
        "http://a.example/x/../y/./z//",
        "http://xn--bcher-kva.example/",
        "http://[::1]/",
        "http://a.example/" + "x" * 7000,
    ],
)
def test_any_url_is_asked_for_as_it_is_written(network: Networks, url: str) -> None:
    with RawServer(always(WHOLE)) as server:
        response = fetched(network(connect_to=(f"::{server.url[7:-1]}",)), url)
    assert response.request_head == server.heads[0]
    first, host, *_ = server.heads[0].decode().split("\r\n")
    assert first == f"GET /{url.split('/', 3)[3]} HTTP/1.1"
    assert host == f"Host: {url.split('/')[2]}"


def test_names_and_passwords_in_a_link_are_not_sent(network: Networks) -> None:
    with RawServer(always(WHOLE)) as server:
        response = fetched(network(connect_to=(f"::{server.url[7:-1]}",)), "http://user:secret@a.example/x@y")
    assert response.request_head == server.heads[0]
    assert server.heads[0].startswith(b"GET /x@y HTTP/1.1\r\nHost: a.example\r\n")
    assert b"Authorization" not in server.heads[0]


def test_proxies_of_the_environment_are_not_used(network: Networks, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    with RawServer(always(WHOLE)) as server:
        assert fetched(network(), server.url).body == BODY


def test_a_time_limit_too_short_to_measure_is_still_one(network: Networks) -> None:
    """libcurl takes 0 milliseconds for no limit at all."""
    with RawServer(always(None)) as server:
        response = fetched(network(timeout=0.0001), server.url)
    assert response.status == 0
    assert response.error in ("timeout", "connect-timeout")


def test_a_certificate_for_another_name_is_refused_though_its_authority_is_trusted(
    network: Networks, tmp_path: Path
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("right.example").configure_cert(context)

    def serve(listening: socket.socket) -> None:
        for _ in range(2):
            connection, _ = listening.accept()
            with connection, suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
                secure.recv(4096)
                secure.sendall(WHOLE)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        there = f"::127.0.0.1:{listening.getsockname()[1]}"
        one = network(connect_to=(there,), ca_cert=tmp_path / "ca.pem")
        wrong, right = fetched(one, "https://wrong.example/"), fetched(one, "https://right.example/")
        thread.join(PATIENCE)
    assert (wrong.status, wrong.error) == (0, "tls-name")
    assert (right.status, right.body) == (200, BODY)


def test_a_head_without_end_is_an_error(network: Networks) -> None:
    with RawServer(always(OK + b"".join(b"X-%d: %b\r\n" % (n, b"x" * 1000) for n in range(2000)))) as server:
        response = fetched(network(), server.url)
    assert response.error in ERROR_KINDS
    assert sum(map(len, response.head)) < 1 << 20


def test_two_hundred_transfers_are_really_at_once(network: Networks) -> None:
    """The server answers nobody before all are there."""
    all_there = threading.Barrier(200, timeout=PATIENCE)

    def answer(_number: int, head: bytes) -> bytes:
        all_there.wait()
        path = head.split()[1]
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(path), path)

    with RawServer(answer) as server:
        one = network(connect_to=(f"::{server.url[7:-1]}",), connections=200)
        answers = responses(one, *(f"http://s{number}.example/{number}" for number in range(200)))
        assert [response.body for response in answers] == [f"/{number}".encode() for number in range(200)]
        assert server.connections == 200


def test_waiting_for_nothing_ends_in_time_too(network: Networks) -> None:
    one = network()
    before = one.now()
    assert one.wait(before + 0.05) == []
    assert 0.05 <= one.now() - before < 5.0


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"HTTP/1.1: 1\r\nContent-Length: 2\r\n\r\nhi",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nHTTP/1.1: 404\r\n\r\n",
    ],
    ids=["header", "trailer"],
)
def test_no_field_can_pass_for_a_status_line(network: Networks, answer: bytes) -> None:
    with RawServer(always(answer)) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.body) == (200, b"hi")
    assert response.head[0].startswith(b"HTTP/1.1 200")
    assert not any(b"404" in line for line in response.head)


def test_an_interim_answer_alone_is_none(network: Networks) -> None:
    with RawServer(always(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc")) as server:
        response = fetched(network(), server.url)
    assert (response.status, response.error) == (0, "protocol")


def test_a_url_that_libcurl_will_not_look_at_is_an_error(network: Networks) -> None:
    web = network()
    url = "http://127.0.0.1:1/" + "x" * 9_000_000
    assert [(response.request.url, response.error) for response in responses(web, url)] == [(url, "url")]
    web.start(to(url, "purpose"))
    assert web.in_flight == 1
    assert [request.purpose for request in web.cancel()] == ["purpose"]
    assert web.in_flight == 0


def test_a_request_may_have_a_limit_of_its_own(network: Networks) -> None:
    with RawServer(always(WHOLE)) as server:
        web = network()
        web.start(to(server.url, None, 3))
        (short,) = web.wait(web.now() + 10)
        assert (short.body, short.truncated) == (BODY[:3], "length")
        assert fetched(web, server.url).body == BODY


@pytest.fixture
def names() -> Iterator[DnsServer]:
    """A name server."""
    answers: dict[str, Reply | tuple[str, ...] | None] = {
        "here.example": ("127.0.0.1",),
        "public.example": ("93.184.216.34", "93.184.216.35"),
        "mixed.example": ("10.0.0.1", "93.184.216.34", "127.0.0.1"),
        "inside.example": ("10.0.0.1", "192.168.0.1"),
        "mapped.example": ("::ffff:127.0.0.1",),
        "silent.example": None,
        "broken.example": Reply(code=SERVFAIL),
    }
    with DnsServer(table(answers)) as server:
        yield server


def test_a_page_is_fetched_by_its_name(network: Networks, names: DnsServer) -> None:
    one = network(dns_servers=(names.address,))
    with RawServer(always(WHOLE)) as server:
        port = server.url[17:-1]
        response = fetched(one, f"http://here.example:{port}/x")
        assert (response.body, response.ip) == (BODY, "127.0.0.1")
        assert f"Host: here.example:{port}\r\n".encode() in server.heads[0]
    assert names.queries == [("here.example", A)]


@pytest.mark.parametrize(
    ("origin", "settings", "ips", "error"),
    [
        ("http://public.example", {"contact": "a@b.example"}, ["93.184.216.34", "93.184.216.35"], ""),
        ("http://public.example.", {"contact": "a@b.example"}, ["93.184.216.34", "93.184.216.35"], ""),
        ("http://public.example", {}, [], "no-contact"),
        ("http://mixed.example", {"contact": "a@b.example"}, ["93.184.216.34", "127.0.0.1"], ""),
        ("http://mixed.example", {"contact": "a@b.example", "allow_net": ()}, ["93.184.216.34"], ""),
        ("http://mixed.example", {}, ["127.0.0.1"], ""),
        ("http://mixed.example", {"allow_net": ()}, [], "no-contact"),
        ("http://inside.example", {"contact": "a@b.example"}, [], "internal-address"),
        ("http://inside.example", {}, [], "internal-address"),
        ("http://inside.example", {"contact": "a@b.example", "allow_net": ("10.0.0.0/8",)}, ["10.0.0.1"], ""),
        ("http://mapped.example", {}, ["127.0.0.1"], ""),
        ("http://mapped.example", {"allow_net": ()}, [], "internal-address"),
        ("http://nobody.example", {}, [], "dns"),
        ("http://broken.example", {}, [], "dns"),
        ("http://silent.example", {"dns_timeout": 0.2}, [], "dns"),
        ("http://10.0.0.1", {"contact": "a@b.example"}, [], "internal-address"),
        ("http://[::1]", {"allow_net": ("::1",)}, ["::1"], ""),
        ("http://[::1]", {}, [], "internal-address"),
        ("http://inside.example", {"connect_to": ("inside.example::127.0.0.1:",), "allow_net": ()}, ["127.0.0.1"], ""),
        ("http://other.example", {"connect_to": ("inside.example::127.0.0.1:",), "allow_net": ()}, [], "dns"),
        ("http://127.0.0.1", {"connect_to": ("inside.example::127.0.0.1:",), "allow_net": ()}, [], "internal-address"),
        ("http://127.0.0.1", {"connect_to": (":::80",), "allow_net": ()}, [], "internal-address"),
        ("http://other.example", {"connect_to": ("::inside.example:",)}, [], "no-contact"),
        (
            "http://other.example",
            {"connect_to": ("::inside.example:",), "contact": "a@b.example"},
            ["10.0.0.1", "192.168.0.1"],
            "",
        ),
        ("http://public.example", {"connect_to": ("::10.0.0.1:",)}, [], "no-contact"),
    ],
)
def test_what_may_be_connected_to_is_found(
    network: Networks, names: DnsServer, origin: str, settings: dict[str, object], ips: list[str], error: str
) -> None:
    (answer,) = found(network(dns_servers=(names.address,), **settings), origin)
    assert ([endpoint.ip for endpoint in answer.endpoints], answer.error) == (ips, error)
    assert all(endpoint.port == 80 for endpoint in answer.endpoints)
    assert answer.lookup == Lookup(origin, 0)


@pytest.mark.parametrize(
    ("origin", "seconds"),
    [("http://here.example", 60.0), ("http://nobody.example", 300.0), ("http://127.0.0.1", 86400.0)],
)
def test_an_answer_says_how_long_it_holds(network: Networks, names: DnsServer, origin: str, seconds: float) -> None:
    one = network(dns_servers=(names.address,))
    (first,) = found(one, origin)
    (second,) = found(one, origin)
    for answer in (first, second):
        assert seconds - PATIENCE < answer.seconds <= seconds


def test_answers_come_only_through_wait_and_are_not_in_flight(network: Networks) -> None:
    one = network()
    one.look_up(Lookup("http://127.0.0.1:81", "purpose"))
    assert one.in_flight == 0
    assert one.cancel() == []
    (answer,) = one.wait(one.now() + PATIENCE)
    assert answer == Found(Lookup("http://127.0.0.1:81", "purpose"), (Endpoint("127.0.0.1", 81),), "", answer.seconds)
    assert one.wait(one.now()) == []


def test_many_names_are_looked_up_while_pages_come(network: Networks, names: DnsServer) -> None:
    one = network(dns_servers=(names.address,))
    with RawServer(always(CLOSING)) as server:
        for number in range(300):
            one.look_up(Lookup(f"http://n{number}.example", number))
        for number in range(20):
            one.start(to(server.url, number))
        came: list[Response | Found] = []
        until = one.now() + PATIENCE
        while len(came) < 320:
            came += one.wait(until)
            assert one.now() < until
    assert sorted(int(answer.lookup.purpose) for answer in came if isinstance(answer, Found)) == list(range(300))
    assert all(response.body == BODY for response in came if isinstance(response, Response))


def test_closing_forgets_what_was_looked_up(names: DnsServer) -> None:
    one = CurlWeb(NetworkSettings("tester/1.0", dns_servers=(names.address,)))
    one.look_up(Lookup("http://silent.example", None))
    one.wait(one.now())
    one.close()


def test_requests_go_on_while_the_rank_is_busy(network: Networks) -> None:
    with RawServer(always(WHOLE)) as server:
        web = network(connect_timeout=PATIENCE)
        web.start(to(server.url))
        until = web.now() + PATIENCE
        while not server.heads:
            web.advance()
            assert web.now() < until
        (response,) = awaited(web)
    assert isinstance(response, Response)
    assert (response.status, response.body) == (200, BODY)

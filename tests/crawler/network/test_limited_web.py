"""The real web with a limit of what may be received, against servers that send as fast as they can."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
import trustme

from crawler.network.bandwidth import Bandwidth
from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.proxy import DIRECT, Proxy
from crawler.network.web import PROXY, Response
from tests.crawler.support.fetching import PATIENCE, awaited, to
from tests.crawler.support.raw_server import RawServer, always

RATE = 500_000.0
CONNECTIONS = 16


@pytest.fixture
def limited() -> Iterator[CurlWeb]:
    web = CurlWeb(NetworkSettings("tester/1.0", allow_net=("127.0.0.0/8",), idle_timeout=3.0), Bandwidth())
    assert web.bandwidth is not None
    web.bandwidth.replace(RATE, web.now())
    yield web
    web.close()


def of_bytes(size: int, *, keeps_alive: bool = False) -> bytes:
    connection = b"keep-alive" if keeps_alive else b"close"
    return b"HTTP/1.1 200 OK\r\nConnection: %s\r\nContent-Length: %d\r\n\r\n" % (connection, size) + b"x" * size


def crawled(web: CurlWeb, url: str, seconds: float) -> list[Response]:
    """What comes in so many seconds if as many requests begin as bandwidth and connections allow."""
    bandwidth, began, done = web.bandwidth, web.now(), []
    assert bandwidth is not None
    while (now := web.now()) < began + seconds:
        opens = bandwidth.starting_from(now)
        if web.in_flight < CONNECTIONS and opens <= now:
            web.start(to(url))
        else:
            done += [one for one in web.wait(max(now + 0.005, min(opens, now + 0.1))) if isinstance(one, Response)]
    return done


@pytest.mark.parametrize("keeps_alive", [False, True])
def test_small_answers_come_at_the_rate(limited: CurlWeb, keeps_alive: bool) -> None:
    seconds, size = 2.0, 10_000
    answer = always(of_bytes(size, keeps_alive=keeps_alive))
    with RawServer(answer, keeps_alive=keeps_alive) as server:
        done = crawled(limited, server.url, seconds)
    assert limited.bandwidth is not None
    assert {(response.error, len(response.body)) for response in done} == {("", size)}
    assert limited.bandwidth.received >= size * len(done)
    assert 0.5 * RATE * seconds <= limited.bandwidth.received <= RATE * (seconds + 0.4)


def test_large_answers_are_left_in_the_servers_and_do_not_look_idle(limited: CurlWeb) -> None:
    seconds, size = 2.0, 400_000
    with RawServer(always(of_bytes(size))) as server:
        done = crawled(limited, server.url, seconds)
        assert limited.bandwidth is not None
        # A first answer's size is learnt when it has come; until then the kernel's buffers bound what comes at once.
        assert 0.5 * RATE * seconds <= limited.bandwidth.received <= RATE * (seconds + 0.4) + 4 * 2 * RATE / 8
        assert all(response.error == "" for response in done)


def test_time_for_which_sockets_are_left_alone_does_not_count_for_the_time_limit() -> None:
    """A server that is as slow by itself is given up."""
    settings = NetworkSettings("tester/1.0", allow_net=("127.0.0.0/8",), timeout=1.0)
    web = CurlWeb(settings, Bandwidth())
    assert web.bandwidth is not None
    web.bandwidth.replace(RATE / 5, web.now())
    with RawServer(always(of_bytes(400_000))) as server:
        began = web.now()
        web.start(to(server.url))
        (response,) = awaited(web)
    assert (response.error, len(response.body)) == ("", 400_000)
    assert web.now() - began > 2 * settings.timeout
    with RawServer(always(None)) as server:
        began = web.now()
        web.start(to(server.url))
        (response,) = awaited(web)
    assert (response.error, response.status) == ("timeout", 0)
    assert settings.timeout <= web.now() - began < 2 * settings.timeout
    web.close()


@pytest.fixture
def late_server() -> Iterator[tuple[str, threading.Event]]:
    """A server that takes connections, but shakes no hands before the event."""
    context, may_speak = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), threading.Event()
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)

    def serve() -> None:
        may_speak.wait(PATIENCE)
        connection, _ = listening.accept()
        with connection, suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(4096)
            secure.sendall(of_bytes(10))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}/", may_speak
        may_speak.set()
        thread.join(PATIENCE)


def connecting(connect_timeout: float, proxy: str = "") -> tuple[CurlWeb, Bandwidth]:
    """A web with a limit and little patience for connecting."""
    settings = NetworkSettings(
        "tester/1.0",
        allow_net=("127.0.0.0/8",),
        connect_timeout=connect_timeout,
        tls_verify=False,
        proxy=Proxy.parse(proxy) if proxy else DIRECT,
    )
    bandwidth = Bandwidth()
    web = CurlWeb(settings, bandwidth)
    bandwidth.replace(RATE, web.now())
    return web, bandwidth


def test_time_for_which_sockets_are_left_alone_does_not_count_for_the_limit_of_connecting(
    late_server: tuple[str, threading.Event],
) -> None:
    url, may_speak = late_server
    web, bandwidth = connecting(0.5)
    web.start(to(url))
    web.advance()
    began = web.now()
    bandwidth.arrive(round(3 * 0.5 * RATE))
    may_speak.set()
    (response,) = awaited(web)
    assert (response.error, response.body) == ("", b"x" * 10)
    assert web.now() - began > 2 * 0.5
    web.close()


@pytest.mark.parametrize(("proxy", "error"), [("", "connect-timeout"), ("http://{}", PROXY)])
def test_where_bandwidth_is_limited_too_a_server_that_does_not_connect_is_given_up(proxy: str, error: str) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        place = f"127.0.0.1:{full.getsockname()[1]}"
        others = [socket.socket() for _ in range(3)]
        for one in others:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        web, _ = connecting(0.3, proxy.format(place))
        began = web.now()
        web.start(to(f"http://{place}/"))
        (response,) = awaited(web)
        for one in others:
            one.close()
    assert response.error == error
    assert 0.3 <= web.now() - began < 5.0
    web.close()


def test_without_a_rate_nothing_is_held_and_all_is_counted() -> None:
    web = CurlWeb(NetworkSettings("tester/1.0", allow_net=("127.0.0.0/8",)), Bandwidth())
    with RawServer(always(of_bytes(3_000_000))) as server:
        web.start(to(server.url))
        (response,) = awaited(web)
    assert web.bandwidth is not None
    assert len(response.body) == 3_000_000
    assert web.bandwidth.received >= 3_000_000
    web.close()

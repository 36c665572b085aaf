"""Requests through a proxy: what it is told, what we still see to, and whose fault an error is."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.network.curl_web import CurlWeb
from crawler.network.proxy import DIRECT, Proxy, without_password
from crawler.network.web import ERROR_KINDS, PROXY, Endpoint, Found, Lookup, Request, Response
from sessions.localweb.serve.server import LocalWeb
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile
from tests.crawler.support.fetching import Networks, awaited, found
from tests.crawler.support.proxy_server import ProxyServer
from tests.crawler.support.raw_server import RawServer, always

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
SITE = "http://site.example"
CONTACT = "mailto:me@a.example"


@pytest.fixture
def server() -> Iterator[RawServer]:
    with RawServer(always(PAGE)) as one:
        yield one


def place_of(server: RawServer) -> tuple[str, int]:
    return "127.0.0.1", int(server.url.rstrip("/").rpartition(":")[2])


def behind(network: Networks, url: str, **settings: object) -> CurlWeb:
    return network(proxy=Proxy.parse(url), contact=CONTACT, timeout=5.0, **settings)


def answer_from(web: CurlWeb, url: str = f"{SITE}/page?q", proxy: Proxy | None = None) -> Response:
    web.look_up(Lookup(url[: url.index("/", 8)], None, proxy))
    (answer,) = web.wait(web.now() + 10.0)
    assert isinstance(answer, Found)
    assert answer.error == ""
    web.start(Request(url, None, answer.endpoints[0], proxy=proxy))
    (response,) = awaited(web)
    return response


def test_a_proxy_of_http_is_told_names(network: Networks, server: RawServer) -> None:
    with ProxyServer(place_of(server)) as proxy:
        web = behind(network, f"http://{proxy.place}")
        assert found(web, SITE)[0].endpoints == (Endpoint("site.example", 80),)
        response = answer_from(web)
        answer_from(web, "http://other.example:8080/")
    assert (response.status, response.body, response.ip) == (200, b"hello", "")
    assert proxy.log == [f"GET {SITE}/page?q", "GET http://other.example:8080/"]
    assert response.request_head.startswith(b"GET /page?q HTTP/1.1\r\nHost: site.example\r\n")
    assert b"User-Agent: tester/1.0 (+mailto:me@a.example)" in server.heads[0]


def test_each_request_takes_the_way_that_it_names(network: Networks, server: RawServer) -> None:
    """One handle serves all of them."""
    here, port = place_of(server)
    with ProxyServer((here, port)) as usual, ProxyServer((here, port)) as other:
        web = behind(network, f"http://{usual.place}")
        by_rule = Proxy.parse(f"socks5h://{other.place}")
        direct = f"http://{here}:{port}/"
        ways = [(SITE, None), (SITE, by_rule), (direct, DIRECT), (SITE, by_rule), (SITE, None)]
        answers = [answer_from(web, f"{url.rstrip('/')}/page", proxy) for url, proxy in ways]
    assert [answer.body for answer in answers] == [b"hello"] * 5
    assert [answer.ip for answer in answers] == ["", "", here, "", ""]
    assert usual.log == [f"GET {SITE}/page"] * 2
    assert other.log == ["SOCKS site.example:80"] * 2


def test_a_proxy_of_one_site_that_is_down_is_told_apart(network: Networks, server: RawServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    web = network(contact=CONTACT, timeout=5.0)
    assert answer_from(web, proxy=Proxy.parse(f"http://127.0.0.1:{port}")).error == PROXY
    assert answer_from(web, server.url).status == 200


def test_a_proxy_of_socks5_is_told_addresses(network: Networks, server: RawServer) -> None:
    with ProxyServer(place_of(server)) as proxy:
        web = behind(network, f"socks5://{proxy.place}", connect_to=("site.example::192.0.2.7:81",))
        response = answer_from(web)
    assert (response.status, response.ip, proxy.log) == (200, "192.0.2.7", ["SOCKS 192.0.2.7:81"])


def test_a_proxy_of_socks5h_is_told_names(network: Networks, server: RawServer) -> None:
    with ProxyServer(place_of(server)) as proxy:
        response = answer_from(behind(network, f"socks5h://{proxy.place}"))
    assert (response.status, response.ip, proxy.log) == (200, "", ["SOCKS site.example:80"])


@pytest.mark.parametrize("scheme", ["http", "socks5h"])
def test_https_goes_through_a_tunnel_that_hides_what_is_said(network: Networks, tmp_path: Path, scheme: str) -> None:
    warc = WarcFile(tmp_path / "web.warc.gz")
    warc.append(Exchange("https://a.example/", 0.0, b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"hello"))
    warc.close()
    with LocalWeb([tmp_path / "web.warc.gz"]) as local, ProxyServer(("127.0.0.1", local.port)) as proxy:
        web = behind(network, f"{scheme}://{proxy.place}", ca_cert=local.ca_cert)
        response = answer_from(web, "https://a.example/")
    assert (response.status, response.body) == (200, b"hello")
    assert proxy.log == [f"{'CONNECT' if scheme == 'http' else 'SOCKS'} a.example:443"]
    assert all(b"User-Agent: tester/1.0 (+mailto:me@a.example)\r\n" in head for head in proxy.heads)
    assert not [line for line in response.head if b"X-Of-Proxy" in line]


def test_where_to_connect_to_is_told_to_the_proxy(network: Networks, server: RawServer) -> None:
    with ProxyServer(place_of(server)) as proxy:
        web = behind(network, f"http://{proxy.place}", connect_to=("site.example::inner.example:8001",))
        assert answer_from(web).status == 200
        assert answer_from(web, "http://other.example/").status == 200
        assert answer_from(web).status == 200
    assert proxy.log == ["CONNECT inner.example:8001", "GET http://other.example/", "CONNECT inner.example:8001"]


@pytest.mark.parametrize(
    ("origin", "error"),
    [
        ("http://10.0.0.1", "internal-address"),
        ("http://[::1]:81", "internal-address"),
        ("http://169.254.169.254", "internal-address"),
        ("http://localhost:8080", "internal-address"),
        ("http://a.localhost.", "internal-address"),
        ("http://site.example", ""),
        ("http://192.0.43.8", ""),
    ],
)
def test_the_guard_knows_addresses_and_names_of_the_loopback(network: Networks, origin: str, error: str) -> None:
    web = network(proxy=Proxy.parse("http://127.0.0.1:1"), contact=CONTACT, allow_net=())
    assert found(web, origin)[0].error == error


def test_without_a_contact_no_name_is_visited(network: Networks) -> None:
    web = network(proxy=Proxy.parse("http://127.0.0.1:1"))
    assert found(web, SITE, "http://localhost")[0].error == "no-contact"


@pytest.mark.parametrize("url", ["http://site.example/", "https://site.example/"])
@pytest.mark.parametrize("scheme", ["http", "https", "socks5h"])
def test_a_proxy_that_is_down_is_an_error_of_its_own(network: Networks, scheme: str, url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    response = answer_from(behind(network, f"{scheme}://127.0.0.1:{port}"), url)
    assert (response.status, response.error, response.is_hopeless) == (0, PROXY, False)
    assert PROXY in ERROR_KINDS


def test_a_proxy_without_an_address_is_down(network: Networks) -> None:
    assert answer_from(behind(network, "http://proxy.invalid:3128")).error == PROXY


def test_a_proxy_that_does_not_take_the_connection_in_time_is_down(network: Networks) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        others = [socket.socket() for _ in range(4)]
        for one in others:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        web = behind(network, f"http://127.0.0.1:{full.getsockname()[1]}", connect_timeout=0.3)
        response = answer_from(web)
        for one in others:
            one.close()
    assert response.error == PROXY


@pytest.mark.parametrize("scheme", ["http", "socks5h"])
def test_a_site_that_is_slow_over_a_connection_that_is_kept_is_not_the_proxys_fault(
    network: Networks, scheme: str
) -> None:
    kept = PAGE.replace(b"Connection: close", b"Connection: keep-alive")
    with (
        RawServer(lambda number, _: kept if number == 1 else None, keeps_alive=True) as slow,
        ProxyServer(place_of(slow)) as proxy,
    ):
        web = network(proxy=Proxy.parse(f"{scheme}://{proxy.place}"), contact=CONTACT, timeout=0.5)
        first, second = answer_from(web), answer_from(web)
        assert len(slow.heads) == 2
        assert slow.connections == 1
    assert (first.error, first.body) == ("", b"hello")
    assert second.error == "timeout"


@pytest.mark.parametrize(
    ("scheme", "url", "refusal", "error"),
    [
        ("http", "http://site.example/", 407, PROXY),
        ("http", "https://site.example/", 407, PROXY),
        ("http", "https://site.example/", 502, "connect"),
        ("http", "https://site.example/", 403, "connect"),
        ("socks5h", "http://site.example/", 4, "connect"),  # host unreachable
        ("socks5h", "http://site.example/", 5, "connect"),  # connection refused
    ],
)
def test_what_the_proxy_says_of_the_site_is_the_sites_matter(
    network: Networks, server: RawServer, scheme: str, url: str, refusal: int, error: str
) -> None:
    with ProxyServer(place_of(server), refusal) as proxy:
        response = answer_from(behind(network, f"{scheme}://{proxy.place}"), url)
    assert (response.status, response.error) == (0, error)


def test_what_a_proxy_answers_in_a_sites_place_is_an_answer(network: Networks, server: RawServer) -> None:
    with ProxyServer(place_of(server), 504) as proxy:
        assert answer_from(behind(network, f"http://{proxy.place}")).status == 504


def test_the_environment_names_no_exceptions(
    network: Networks, server: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("NO_PROXY", "*")
    with ProxyServer(place_of(server)) as proxy:
        assert answer_from(behind(network, f"http://{proxy.place}")).status == 200
    assert len(proxy.log) == 1


def test_a_name_and_password_go_to_the_proxy_alone(network: Networks, server: RawServer) -> None:
    with ProxyServer(place_of(server)) as proxy:
        response = answer_from(behind(network, f"http://me:secret@{proxy.place}"))
    assert response.status == 200
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0" in proxy.heads[0]
    assert b"Authorization" not in response.request_head


@pytest.mark.parametrize(
    ("text", "shown", "resolves_names"),
    [
        ("http://proxy:3128", "http://proxy:3128", True),
        ("https://p.example:443/", "https://p.example:443", True),
        ("socks5://10.0.0.1:1080", "socks5://10.0.0.1:1080", False),
        ("socks5h://[fd00::1]:1080", "socks5h://[fd00::1]:1080", True),
        ("http://me:a%40b@proxy:3128", "http://[removed]@proxy:3128", True),
        ("http://me@proxy:3128", "http://[removed]@proxy:3128", True),
    ],
)
def test_proxies(text: str, shown: str, resolves_names: bool) -> None:
    assert Proxy.parse(text) == Proxy(text, shown, resolves_names)
    assert without_password(text) == shown
    assert shown in Proxy.parse(text).promise()
    assert without_password(None) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("proxy:3128", "'proxy:3128' is not SCHEME"),
        ("http://proxy", "is not SCHEME"),
        ("socks4://proxy:1080", "is not SCHEME"),
        ("http://proxy:3128/path", "is not SCHEME"),
        ("http://me:se cret@proxy:3128", r"'\[removed\]@proxy:3128' is not SCHEME"),
        ("http://me:secret@proxy:99999", "http://proxy:99999 has no port from 1 to 65535"),
        ("http://[removed]@proxy:3128", "were not recorded; give the whole URL again"),
    ],
)
def test_what_is_no_proxy_is_told_without_its_password(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        Proxy.parse(text)
    assert "cret" not in str(caught.value)

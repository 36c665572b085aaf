"""The local web's server, over real sockets."""

import gc
import http.client
import select
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.response import read_response
from sessions.localweb.serve.server import LocalWeb
from sessions.storage.warc_index import NotAWarcError, build_index
from tests.sessions.conftest import WriteWarc
from tests.sessions.localweb.support.warcs import record_bytes, response

_SLOW = "http://a.example/slow"
_BIG = b"0123456789" * 500_000


@pytest.fixture
def web(write_warc: WriteWarc) -> Iterator[LocalWeb]:
    path = write_warc(
        [
            record_bytes("response", "http://a.example/", response(b"plain", "Content-Type: text/plain")),
            record_bytes("response", "https://a.example/", response(b"secret")),
            record_bytes("response", "https://a_b.d.example/", response(b"underscore")),
            record_bytes("response", "http://a.example/caf%C3%A9?q=%22x", response(b"cafe")),
            record_bytes("response", "http://a.example:8080/", response(b"other port")),
            record_bytes("response", "http://a.example/no", response(b"gone", status="410 Gone")),
            record_bytes("response", "http://a.example/empty", response(b"", status="204 No Content")),
            record_bytes("response", "http://a.example/broken", b"nonsense"),
            record_bytes("response", "http://a.example/big", response(_BIG)),
            record_bytes("response", _SLOW, response(b"slow", "X-Cutweb-Delay: 0.2")),
        ]
    )
    with LocalWeb([path]) as web:
        yield web


def _connect(web: LocalWeb) -> socket.socket:
    return socket.create_connection((web.host, web.port), timeout=5)


def _connect_tls(web: LocalWeb, name: str | None) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=web.ca_cert)
    context.check_hostname = name is not None
    return context.wrap_socket(_connect(web), server_hostname=name)


def _ask(
    web: LocalWeb, host: str, target: str = "/", method: str = "GET", *, is_tls: bool = False
) -> tuple[int, bytes, http.client.HTTPMessage]:
    client = http.client.HTTPConnection(web.host, web.port, timeout=5)
    client.sock = _connect_tls(web, host.partition(":")[0]) if is_tls else _connect(web)
    try:
        client.request(method, target, headers={"Host": host})
        answer = client.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        client.close()


def _talk(web: LocalWeb, request: bytes) -> bytes:
    """Everything that comes until the server closes the connection."""
    with _connect(web) as client:
        client.sendall(request)
        received = b""
        while data := client.recv(65536):
            received += data
        return received


def test_a_page_comes_as_recorded(web: LocalWeb) -> None:
    status, body, headers = _ask(web, "a.example")
    assert (status, body) == (200, b"plain")
    assert headers.items() == [("Content-Type", "text/plain"), ("Content-Length", "5")]
    assert web.requests_served == 1
    ((when, method, url),) = web.log
    assert (method, url) == ("GET", "http://a.example/")
    assert 0 <= time.monotonic() - when < 5


def test_the_whole_made_web_is_served(made: MadeWeb) -> None:
    entries = build_index([made.path]).entries
    with LocalWeb([made.path], cache_bytes=100_000) as web:
        client = http.client.HTTPConnection(web.host, web.port, timeout=5)
        for url in (url for url, entry in entries.items() if not read_response(entry).delay):
            host, _, rest = url.removeprefix("http://").partition("/")
            client.request("GET", "/" + rest, headers={"Host": host})
            answer = client.getresponse()
            stored = read_response(entries[url])
            assert (answer.status, answer.read()) == (stored.status, stored.body)
        client.close()


@pytest.mark.parametrize(
    ("host", "target", "status", "body"),
    [
        ("a.example:80", "/", 200, b"plain"),
        ("a.example:PORT", "/", 200, b"plain"),
        ("A.Example", "/", 200, b"plain"),
        ("a.example:8080", "/", 200, b"other port"),
        ("a.example:8081", "/", 404, None),
        ("b.example", "/", 404, None),
        ("a.example", "/unknown", 404, None),
        ("a.example", "/./x/../caf%C3%A9?q=%22x", 200, b"cafe"),
        ("a.example", "/caf%c3%a9?q=%22x", 404, None),
        ("elsewhere.example", "http://a.example/", 200, b"plain"),
        ("a.example", "https://a.example/", 404, None),
        ("a.example", "/no", 410, b"gone"),
        ("a.example", "/empty", 204, b""),
        ("a.example", "/broken", 500, None),
        ("a.example", "/big", 200, _BIG),
    ],
)
def test_what_answers_what(web: LocalWeb, host: str, target: str, status: int, body: bytes | None) -> None:
    got_status, got_body, _ = _ask(web, host.replace("PORT", str(web.port)), target)
    assert got_status == status
    assert got_body == body if body is not None else b"<html>" in got_body


def test_raw_bytes_in_the_target(web: LocalWeb) -> None:
    request = 'GET /café?q="x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n'.encode()
    assert _talk(web, request).endswith(b"cafe")


def test_head_sends_no_body(web: LocalWeb) -> None:
    status, body, headers = _ask(web, "a.example", method="HEAD")
    assert (status, body, headers["Content-Length"]) == (200, b"", "5")
    assert web.log[0][1] == "HEAD"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_not_allowed(web: LocalWeb, method: str) -> None:
    status, _, headers = _ask(web, "a.example", method=method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_a_request_with_a_body_ends_the_connection(web: LocalWeb) -> None:
    answer = _talk(web, b"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nGET /")
    assert answer.startswith(b"HTTP/1.1 405 ")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/2.0\r\nHost: a.example\r\n\r\n",
        b"\r\n\r\n",
        b"x" * 70_000,
        b"GET / HTTP/1.1\r\nHost: a.example\r\nX: " + b"y" * 70_000,
    ],
)
def test_garbage_is_refused(web: LocalWeb, garbage: bytes) -> None:
    answer = _talk(web, garbage)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"Connection: close" in answer


def test_broken_tls_is_refused(web: LocalWeb) -> None:
    assert not _talk(web, b"\x16hello" * 10).startswith(b"HTTP")
    assert _ask(web, "a.example")[0] == 200


def test_https_by_name_with_the_authority_verified(web: LocalWeb) -> None:
    assert _ask(web, "a.example", is_tls=True)[:2] == (200, b"secret")
    assert _ask(web, "a.example:443", is_tls=True)[:2] == (200, b"secret")
    assert _ask(web, f"a.example:{web.port}", is_tls=True)[:2] == (200, b"secret")
    assert _ask(web, "a_b.d.example", is_tls=True)[:2] == (200, b"underscore")
    assert _ask(web, "b.example", is_tls=True)[0] == 404
    assert web.log[0][2] == "https://a.example/"


def test_https_without_a_name(web: LocalWeb) -> None:
    with _connect_tls(web, None) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
        received = b""
        while data := client.recv(65536):
            received += data
    assert received.endswith(b"secret")


def test_https_is_not_trusted_without_the_authority(web: LocalWeb) -> None:
    with _connect(web) as plain, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(plain, server_hostname="a.example")


def test_schemes_are_different_pages(web: LocalWeb) -> None:
    assert _ask(web, "a.example", "/no", is_tls=True)[0] == 404
    assert _ask(web, "a_b.d.example")[0] == 404


@pytest.mark.parametrize("is_tls", [False, True])
def test_a_connection_is_kept_for_many_requests(web: LocalWeb, is_tls: bool) -> None:
    client = http.client.HTTPConnection(web.host, web.port, timeout=5)
    kept = client.sock = _connect_tls(web, "a.example") if is_tls else _connect(web)
    for _ in range(20):
        client.request("GET", "/", headers={"Host": "a.example"})
        assert client.getresponse().read() in (b"plain", b"secret")
    assert client.sock is kept
    client.close()


def test_pipelined_requests_are_answered_in_order(web: LocalWeb) -> None:
    ask = b"GET %s HTTP/1.1\r\nHost: a.example\r\n%s\r\n"
    targets = [b"/slow", b"/", b"/no", b"/slow", b"/big"] * 2
    answers = _talk(web, b"".join(ask % (target, b"") for target in targets) + ask % (b"/", b"Connection: close\r\n"))
    bodies = [b"slow", b"plain", b"gone", b"slow", _BIG] * 2 + [b"plain"]
    for body in bodies:
        head, _, answers = answers.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 ")
        assert answers[: len(body)] == body
        answers = answers[len(body) :]
    assert answers == b""


def test_many_pipelined_requests_wait_for_a_slow_reader(web: LocalWeb) -> None:
    request = b"GET /big HTTP/1.1\r\nHost: a.example\r\n\r\n"
    count = 20
    with _connect(web) as client:
        client.sendall(request * count + b"GET / HTTP/1.0\r\nHost: a.example\r\n\r\n")
        select.select([client], [], [], 5)
        assert web.requests_served < count  # the first answers fill the socket; nobody has read yet
        received = 0
        while data := client.recv(1 << 20):
            received += len(data)
    assert received > count * len(_BIG)
    assert web.requests_served == count + 1


def test_a_request_in_pieces(web: LocalWeb) -> None:
    with _connect(web) as client:
        for byte in b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n":
            client.sendall(bytes([byte]))
        assert client.recv(65536).endswith(b"plain")


@pytest.mark.parametrize(
    "request_bytes",
    [b"GET / HTTP/1.0\r\nHost: a.example\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"],
)
def test_who_wants_the_connection_closed_gets_that(web: LocalWeb, request_bytes: bytes) -> None:
    answer = _talk(web, request_bytes)
    assert b"\r\nConnection: close\r\n" in answer
    assert answer.endswith(b"plain")


def test_a_slow_page_delays_nobody_else(web: LocalWeb) -> None:
    with _connect(web) as slow, _connect(web) as fast:
        started = time.monotonic()
        slow.sendall(b"GET /slow HTTP/1.1\r\nHost: a.example\r\n\r\n")
        while not web.requests_served:
            select.select([], [], [], 0.001)
        fast.sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        ready, _, _ = select.select([slow, fast], [], [], 5)
        assert ready == [fast]
        assert fast.recv(65536).endswith(b"plain")
        assert slow.recv(65536).endswith(b"slow")
        assert time.monotonic() - started >= 0.2


def test_a_client_that_goes_away_during_a_delay_is_forgotten(web: LocalWeb) -> None:
    with _connect(web) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: a.example\r\n\r\n")
        while not web.requests_served:
            select.select([], [], [], 0.001)
    assert _ask(web, "a.example", "/slow")[1] == b"slow"


def test_what_is_sent_encoded_comes_encoded_even_to_who_did_not_ask(made: MadeWeb, tmp_path: Path) -> None:
    from sessions.localweb.generate.make import make_web

    zipped = make_web(tmp_path / "web.warc.gz", sites=1, pages=1, seed=1, gzip=True)
    with LocalWeb([zipped.path]) as web:
        _, body, headers = _ask(web, "d0.example")
    assert headers["Content-Encoding"] == "gzip"
    assert body.startswith(b"\x1f\x8b")


def test_a_cache_smaller_than_a_page_and_none_at_all(made: MadeWeb) -> None:
    host = made.seeds[0].split("/")[2]
    for cache_bytes in (0, 10, 30_000):
        with LocalWeb([str(made.path)], cache_bytes=cache_bytes) as web:
            assert _ask(web, host)[1] == _ask(web, host)[1] != b""


def test_stopping_is_quick_and_leaves_nothing(made: MadeWeb) -> None:
    with LocalWeb([made.path]) as web:
        certificate = web.ca_cert
        assert certificate.read_text().startswith("-----BEGIN CERTIFICATE")
        assert web.connect_to == f"::127.0.0.1:{web.port}"
        idle = _connect(web)
        _ask(web, "d0.example")
        started = time.monotonic()
    assert time.monotonic() - started < 1
    assert not certificate.exists()
    with idle:
        assert idle.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        _connect(web)


def test_a_web_can_be_started_again(web: LocalWeb) -> None:
    again = LocalWeb([entry.head.file for entry in web.index.entries.values()][:1])
    for _ in range(2):
        with again:
            assert _ask(again, "a.example")[0] == 200


def test_a_taken_port_is_an_error_at_once(web: LocalWeb) -> None:
    paths = [entry.head.file for entry in web.index.entries.values()][:1]
    with pytest.raises(OSError, match="in use"), LocalWeb(paths, port=web.port):
        pass


def test_bad_files_are_an_error_in_the_constructor(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        LocalWeb([tmp_path / "absent"])
    (tmp_path / "text").write_text("hello")
    with pytest.raises(NotAWarcError, match="text"):
        LocalWeb([tmp_path / "text"])


def test_connections_that_come_as_it_stops_are_closed(write_warc: WriteWarc) -> None:
    """They would be reported as unclosed sockets once collected, which this suite treats as an error."""
    path = write_warc([record_bytes("response", "http://a.example/", response(b"plain"))])
    for _ in range(5):
        with LocalWeb([path]) as web:
            clients = [socket.create_connection(("127.0.0.1", web.port)) for _ in range(20)]
        gc.collect()
        for client in clients:
            client.close()

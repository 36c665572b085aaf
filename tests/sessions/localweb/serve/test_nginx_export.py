"""The exported web under a real nginx answers as our own server does."""

import gzip
import http.client
import shlex
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import pycurl
import pytest

from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.nginx_export import Exported, export_web
from sessions.localweb.serve.server import LocalWeb
from tests.sessions.conftest import WriteWarc
from tests.sessions.localweb.support.warcs import record_bytes, response

needs_nginx = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")

_COMPARED = ("Content-Type", "Content-Encoding", "Location", "Content-Length")
_WEIRD = {
    "http://w.example/": response(b"root", "Content-Type: text/html; charset=shift_jis"),
    "http://w.example/a": response(b"a file"),
    "http://w.example/a/": response(b"a folder", 'Content-Type: text/plain; x="y\\z"'),
    "http://w.example/a/b": response(b"in it", "Content-Type: text/html"),
    "http://w.example/A": response(b"upper case"),
    "http://w.example/caf%C3%A9?q=1&r='2'\\$host": response(b"odd characters"),
    "http://w.example/?": response(b"empty query"),
    "http://w.example//double//slash": response(b"slashes"),
    "http://w.example/a;b{c}$d~": response(b"punctuation"),
    "http://w.example/" + "long/" * 300: response(b"long"),
    "http://w.example/zip": response(gzip.compress(b"zip"), "Content-Encoding: gzip"),
    "http://w.example/liar": response(b"not zipped", "Content-Encoding: gzip"),
    "http://w.example/br": response(b"\x8b\x02\x80hello\x03", "Content-Encoding: br", "Content-Type: text/html"),
    "http://w.example/moved": response(b"moved", "Location: /a?$x=${y}", status="301 Moved Permanently"),
    "http://w.example/found": response(b"", "Location: http://x.example/", status="302 Found"),
    "http://w.example/gone": response(b"my own 404", "Content-Type: text/html", status="404 Not Found"),
    "http://w.example/zipped-error": response(
        gzip.compress(b"x"), "Content-Encoding: gzip", status="503 Service Unavailable"
    ),
    "http://w.example/empty": response(b""),
    "http://w.example/created": response(b"created", "Content-Type: text/html", status="201 Created"),
    "http://w.example:81/": response(b"another port"),
    "http://w_x.example/": response(b"underscore"),
}


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def run_nginx() -> Iterator[Callable[[Exported], None]]:
    running: list[Exported] = []

    def run(exported: Exported) -> None:
        done = subprocess.run(shlex.split(exported.start_command), capture_output=True, text=True, timeout=20)
        assert (done.returncode, done.stderr) == (0, "")
        running.append(exported)

    yield run
    logs = [exported.config.with_name("error.log").read_text() for exported in running]
    for exported in running:
        subprocess.run(shlex.split(exported.stop_command), check=True, timeout=20)
    assert logs == [""] * len(running)


class CurlHttpVersion(IntEnum):
    """What libcurl calls versions of HTTP, when it is asked for one and when it says which it had."""

    V1_1 = pycurl.CURL_HTTP_VERSION_1_1
    V2_0 = pycurl.CURL_HTTP_VERSION_2_0


def _fetched(exported: Exported, url: str, version: int) -> tuple[bytes, int]:
    """What nginx answers, and by which version of HTTP."""
    places = [value for value in exported.crawl_options if value.startswith(":")]
    with closing(pycurl.Curl()) as curl:
        curl.setopt(pycurl.CONNECT_TO, [f"a.example{place}" for place in places])
        curl.setopt(pycurl.CAINFO, str(exported.ca_cert))
        curl.setopt(pycurl.HTTP_VERSION, version if url.startswith("https") else pycurl.CURL_HTTP_VERSION_1_1)
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.TIMEOUT, 10)
        return curl.perform_rb(), curl.getinfo(pycurl.INFO_HTTP_VERSION)


def _client(port: int) -> "closing[http.client.HTTPConnection]":
    return closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5))


def _ask(client: http.client.HTTPConnection, url: str) -> tuple[int, bytes, dict[str, str | None]]:
    host, _, rest = url.partition("://")[2].partition("/")
    client.putrequest("GET", "/" + rest, skip_host=True, skip_accept_encoding=True)
    client.putheader("Host", host)
    client.endheaders()
    answer = client.getresponse()
    return answer.status, answer.read(), {name: answer.headers[name] for name in _COMPARED}


@needs_nginx
def test_a_made_web_comes_the_same_from_nginx(
    made: MadeWeb, tmp_path: Path, run_nginx: Callable[[Exported], None]
) -> None:
    exported = export_web([made.path], tmp_path / "out", port=_free_port())
    assert exported.pages == made.pages + made.redirects + made.robots
    assert exported.delayed == 3
    assert exported.left_out == {}
    run_nginx(exported)
    with LocalWeb([made.path]) as web:
        quick = (url for url in web.index.entries if not web.answer("GET", "http", "", url).delay)
        with _client(int(exported.address.rpartition(":")[2])) as nginx, _client(web.port) as ours:
            for url in quick:
                assert _ask(nginx, url) == _ask(ours, url), url


@needs_nginx
def test_nginx_serves_at_every_address_that_is_named(
    write_warc: WriteWarc, tmp_path: Path, run_nginx: Callable[[Exported], None]
) -> None:
    path = write_warc([record_bytes("response", "http://a.example/", response(b"x"))])
    port, addresses = _free_port(), ("127.0.1.1", "127.0.1.2")
    run_nginx(export_web([path], tmp_path / "out", port=port, addresses=addresses))
    for address in addresses:
        with closing(http.client.HTTPConnection(address, port, timeout=5)) as client:
            client.request("GET", "/", headers={"Host": "a.example"})
            assert client.getresponse().read() == b"x"


@needs_nginx
@pytest.mark.parametrize("version", [CurlHttpVersion.V1_1, CurlHttpVersion.V2_0])
def test_https_has_a_port_of_its_own_and_certificates_that_hold(
    write_warc: WriteWarc, tmp_path: Path, run_nginx: Callable[[Exported], None], version: CurlHttpVersion
) -> None:
    path = write_warc(
        record_bytes("response", url, response(url.encode()))
        for url in ("http://a.example/", "https://a.example/", "https://a.example/A", "https://a.example/a")
    )
    exported = export_web([path], tmp_path / "out", port=_free_port(), tls_port=_free_port())
    assert (exported.pages, exported.left_out) == (4, {})
    run_nginx(exported)
    for url in ("http://a.example/", "https://a.example/", "https://a.example/A", "https://a.example/a"):
        assert _fetched(exported, url, version) == (url.encode(), version if url.startswith("https") else 2)
    with pytest.raises(pycurl.error):
        _fetched(exported, "https://b.example/", version)


@needs_nginx
def test_weird_urls_come_the_same_from_nginx(
    write_warc: WriteWarc, tmp_path: Path, run_nginx: Callable[[Exported], None]
) -> None:
    path = write_warc(record_bytes("response", url, block) for url, block in _WEIRD.items())
    port = _free_port()
    exported = export_web([path], tmp_path / "o u;t", port=port)
    assert exported.pages == len(_WEIRD)
    run_nginx(exported)
    with LocalWeb([path]) as web, _client(port) as nginx, _client(web.port) as ours:
        assert len(web.index.entries) == len(_WEIRD)
        for url in web.index.entries:
            assert _ask(nginx, url) == _ask(ours, url), url
        assert _ask(nginx, "http://w.example/unknown")[0] == 404
        assert _ask(nginx, "http://unknown.example/")[0] == 404
        assert _ask(nginx, "http://w.example/cutweb-export/")[0] == 404
        assert _ask(nginx, f"http://W.example:{port}/a")[1] == b"a file"


def test_what_nginx_cannot_serve_is_left_out_and_counted(write_warc: WriteWarc, tmp_path: Path) -> None:
    urls = [
        "http://a.example/",
        "https://a.example/",
        "https://b.example/",
        "http://a.example/100%",
        "http://a.example/..%2fx",
        "http://a.example/" + "x" * 4000,
    ]
    records = [record_bytes("response", url, response(b"x")) for url in urls]
    path = write_warc([*records, record_bytes("response", "http://a.example/bad", b"nonsense")])
    exported = export_web([path], tmp_path / "out", port=8080)
    refused = {"URL that nginx does not take": 3, "record is no HTTP response": 1}
    assert (exported.pages, exported.left_out) == (1, refused | {"https (see --tls-port and --http-for-https)": 2})
    exported = export_web([path], tmp_path / "both", port=8080, http_for_https=True)
    assert (exported.pages, exported.left_out) == (2, refused | {"https, and there as http too": 1})


def test_an_existing_folder_is_left_alone(made: MadeWeb, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match=str(tmp_path)):
        export_web([made.path], tmp_path, port=8080)
    assert list(tmp_path.iterdir()) == []

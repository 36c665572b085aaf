"""What rules have sent to some sites alone is told to these sites, and stands nowhere in a session."""

import base64
import gzip
from pathlib import Path

import pyarrow.parquet
import pytest
from mpi4py import MPI

from crawler.config.crawl_options import CrawlOptions
from crawler.launch.plan import plan
from crawler.rank.crawl import crawl
from crawler.site_rules.rule_file import RuleFileError, rules_in
from sessions.checking.check import check_session
from sessions.session import Session
from tests.crawler.support.proxy_server import ProxyServer
from tests.crawler.support.raw_server import RawServer

COOKIE, TOKEN, PASSWORD = "consent-6d1f", "token-93ab", "open-sesame-41"
BASIC = base64.b64encode(f"ali:{PASSWORD}".encode()).decode()
SECRETS = (COOKIE, TOKEN, PASSWORD, BASIC)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"


def answer(_number: int, head: bytes) -> bytes:
    links = b'<a href="/page">p</a> <a href="/inner/page">i</a> <a href="/robots-elsewhere">r</a>'
    body = b"" if b"robots.txt" in head else links
    return HEAD % len(body) + body


def crawled(out: Path, url: str, rules: Path, contact: str | None = None) -> Session:
    options = CrawlOptions(
        urls=(url,),
        out=out,
        rules=rules,
        contact=contact,
        delay=0.0,
        server_delay=0.0,
        allow_net=("127.0.0.0/8",),
        log_json=True,
        scope="all",
    )
    crawl(MPI.COMM_SELF, plan(options, 1))
    return Session.open(out)


def text_of(path: Path) -> bytes:
    """All that somebody may find in a file, however it is packed."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".parquet":
        return repr(pyarrow.parquet.read_table(path).to_pylist()).encode()
    return path.read_bytes()


def test_headers_and_credentials_reach_their_site_and_nobody_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.toml"
    with RawServer(answer) as server:
        site = server.url.split("/")[2]
        rules.write_text(
            f'[[rule]]\nsite = "{site}"\nheaders = {{Cookie = "{COOKIE}"}}\ncredentials = "ali:{PASSWORD}"\n\n'
            f'[[rule]]\nprefix = "{server.url}inner/"\nheaders = {{X-Token = "{TOKEN}"}}\n'
        )
        out = tmp_path / "session"
        session = crawled(out, server.url, rules)
    asked = {head.split(b" ")[1].decode(): head.decode() for head in server.heads}
    assert asked.keys() == {"/robots.txt", "/", "/page", "/inner/page", "/robots-elsewhere"}
    for path, head in asked.items():
        assert f"Authorization: Basic {BASIC}\r\n" in head
        is_inner = path.startswith("/inner/")
        assert (f"Cookie: {COOKIE}\r\n" in head, f"X-Token: {TOKEN}\r\n" in head) == (not is_inner, is_inner)
    files = [path for path in out.rglob("*") if path.is_file()]
    found = {(path.name, secret) for path in files for secret in SECRETS if secret.encode() in text_of(path)}
    assert found == set()
    recorded = b"".join(text_of(path) for path in files if path.name.endswith(".warc.gz"))
    assert b"\r\nAuthorization: [removed]\r\n" in recorded
    assert b"\r\nCookie: [removed]\r\n" in recorded
    assert b"\r\nX-Token: [removed]\r\n" in recorded
    said = "".join(capfd.readouterr())
    assert not [secret for secret in SECRETS if secret in said]
    assert any(path.parts[-2] == "rules" and b"[removed]" in path.read_bytes() for path in files)
    assert len(session.read("pages", ["url"])) == 4
    assert check_session(out).is_good


def test_a_site_is_reached_by_the_proxy_that_its_rule_names(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rules, out = tmp_path / "rules.toml", tmp_path / "session"
    with RawServer(answer) as server, ProxyServer(("127.0.0.1", int(server.url.rstrip("/").split(":")[2]))) as proxy:
        rules.write_text(f'[[rule]]\ndomain = "far.example"\nproxy = "http://ali:{PASSWORD}@{proxy.place}"\n')
        session = crawled(out, "http://www.far.example/", rules, contact="me@crawler.example")
    asked = ["", "inner/page", "page", "robots-elsewhere", "robots.txt"]
    assert sorted(proxy.log) == [f"GET http://www.far.example/{path}" for path in asked]
    assert all(f"Proxy-Authorization: Basic {BASIC}\r\n".encode() in head for head in proxy.heads)
    assert {row["ip"] for row in session.read("pages", ["ip"]).to_pylist()} <= {None, ""}
    files = [path for path in out.rglob("*") if path.is_file()]
    assert not [(path, secret) for path in files for secret in SECRETS if secret.encode() in text_of(path)]
    shown = f"http://[removed]@{proxy.place}"
    assert any(path.parts[-2] == "rules" and shown.encode() in path.read_bytes() for path in files)
    said = "".join(capfd.readouterr())
    assert f"by rule requests to far.example go through {shown}, which looks names up" in said
    assert not [secret for secret in SECRETS if secret in said]
    assert check_session(out).is_good


def test_without_a_rule_nothing_of_another_request_stays(tmp_path: Path) -> None:
    """Handles are used again: what one site is told, the next one on the same handle is not."""
    rules = tmp_path / "rules.toml"
    with RawServer(answer) as server:
        rules.write_text(f'[[rule]]\nprefix = "{server.url}inner/"\ncredentials = "ali:{PASSWORD}"\n')
        crawled(tmp_path / "session", server.url, rules)
    assert {head.split(b" ")[1] for head in server.heads if b"Authorization" in head} == {b"/inner/page"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (f'credentials = "{PASSWORD}"', "credentials: is not USER:PASSWORD"),
        (f'proxy = "ftp://ali:{PASSWORD}@proxy:3128"', "proxy: '[removed]@proxy:3128' is not SCHEME://"),
        ('proxy = "http://[removed]@proxy:3128"', "were not recorded; give the whole URL again"),
        (f'headers = {{Host = "{TOKEN}"}}', "headers: Host is the crawler's own"),
        (f'headers = {{X-Token = "{TOKEN}é"}}', "headers: what X-Token is to say cannot stand in an HTTP header"),
        (f'headers = ["X-Token: {TOKEN}"]', "headers: wants a table of texts"),
        (f'headers = {{X-Token = "{TOKEN}", x-token = "a"}}', "headers: names a header twice"),
    ],
)
def test_a_file_that_is_wrong_is_refused_without_telling_secrets(line: str, problem: str) -> None:
    with pytest.raises(RuleFileError) as caught:
        rules_in(f'[[rule]]\nsite = "a.example"\n{line}\n', "rules.toml")
    assert "rules.toml:3: " in str(caught.value)
    assert problem in str(caught.value)
    assert not [secret for secret in SECRETS if secret in str(caught.value)]


@pytest.mark.parametrize("line", ['headers = {X-Token = "a"}', 'credentials = "a:b"'])
def test_nobody_is_known_by_his_address(line: str) -> None:
    with pytest.raises(RuleFileError, match="anybody may have a host there"):
        rules_in(f'[[rule]]\naddress = "192.0.2.0/24"\n{line}\n', "rules.toml")

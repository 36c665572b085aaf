"""Verified links on one rank and on two, as the log of the server has it: each URL one HEAD, and delays all along."""

import time
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from sessions.checking.check import check_session
from sessions.session import Session
from sessions.url import site_of
from tests.mpi.conftest import Run

DELAY, SERVER_DELAY = 0.1, 0.02
TOLERANCE = 0.99
PLAIN, BARE, ODD, RUDE = "plain.example", "bare.example", "odd.example", "rude.example"
WITHOUT_HEAD = {BARE: HTTPStatus.METHOD_NOT_ALLOWED, ODD: HTTPStatus.NOT_IMPLEMENTED}
KINDS = ("page", "gone", "moved", "pdf")
OF_EACH_KIND = 3
RETRIES = 1


class Asked(NamedTuple):
    """A request that came to the server."""

    time: float
    method: str
    url: str


class Sites(BaseHTTPRequestHandler):
    """Each site has a root that links to all, and some pages, redirects, PDFs and missing pages.

    Two do not know HEAD, and one closes the connection on it.
    """

    protocol_version = "HTTP/1.1"
    log: list[Asked]

    def do_HEAD(self) -> None:
        self._note()
        site = self.headers["Host"]
        if site == RUDE:
            self.close_connection = True
        elif site in WITHOUT_HEAD:
            self._send(WITHOUT_HEAD[site], "", b"")
        else:
            self._send(*self._answer())

    def do_GET(self) -> None:
        self._note()
        self._send(*self._answer())

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""

    def _note(self) -> None:
        self.log.append(Asked(time.monotonic(), self.command, f"http://{self.headers['Host']}{self.path}"))

    def _answer(self) -> tuple[HTTPStatus, str, bytes]:
        kind = self.path[1:-1]
        if kind == "pdf":
            return HTTPStatus.OK, "Content-Type: application/pdf", b"%PDF-1.4"
        if kind == "moved":
            return HTTPStatus.FOUND, f"Location: /page{self.path[-1]}", b""
        if self.path == "/" or kind == "page":
            return HTTPStatus.OK, "Content-Type: text/html", _links() if self.path == "/" else self.path.encode()
        return HTTPStatus.NOT_FOUND, "Content-Type: text/html", b"gone"

    def _send(self, status: HTTPStatus, header: str, body: bytes) -> None:
        self.send_response(status)
        if header:
            self.send_header(*header.split(": "))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


def _paths() -> list[str]:
    return ["", *(f"{kind}{number}" for kind in KINDS for number in range(OF_EACH_KIND))]


def _links() -> bytes:
    return "".join(f"<a href=http://{site}/{path}>" for site in (PLAIN, BARE, ODD, RUDE) for path in _paths()).encode()


def expected(site: str) -> dict[str, str]:
    """What becomes of each URL of a site."""
    if site == RUDE:
        return {f"http://{site}/{path}": "failed" for path in _paths()}
    refused = {} if site in WITHOUT_HEAD else {"gone": "head-404", "pdf": "head-type"}
    return {f"http://{site}/{path}": refused.get(path[:-1], "page") for path in _paths()}


@pytest.fixture
def server() -> Iterator[tuple[str, list[Asked]]]:
    """Where the sites are, and what they are asked."""
    handler = type("Logged", (Sites,), {"log": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = Thread(target=listening.serve_forever)
        thread.start()
        yield f"127.0.0.1:{listening.server_port}", handler.log
        listening.shutdown()
        thread.join()


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 2])
def test_there_are_as_many_heads_as_urls_and_the_delays_are_kept(
    run_ranks: Run, tmp_path: Path, server: tuple[str, list[Asked]], ranks: int
) -> None:
    address, log = server
    out = tmp_path / "session"
    crawl = [
        "-m",
        "crawler",
        "crawl",
        f"http://{PLAIN}/",
        "--verify-links",
        "--assign",
        "page-hash",
        "--superstep",
        "0.2",
    ]
    crawl += [
        "--connect-to",
        f"::{address}",
        "--delay",
        str(DELAY),
        "--server-delay",
        str(SERVER_DELAY),
        "--scope",
        "all",
    ]
    crawl += ["--retries", str(RETRIES), "--retry-wait", "0.001", "--delay-factor", "0", "--site-errors", "999"]
    done = run_ranks(ranks, *crawl, "--max-wait", "60", "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert check_session(out).is_good
    session = Session.open(out)
    _assert_outcomes(session)
    heads = Counter(asked.url for asked in log if asked.method == "HEAD")
    fates = {url: fate for site in (PLAIN, BARE, ODD, RUDE) for url, fate in expected(site).items()}
    assert heads == {url: 1 + RETRIES * (fate == "failed") for url, fate in fates.items()}
    gets = Counter(asked.url for asked in log if asked.method == "GET" and not asked.url.endswith("robots.txt"))
    assert gets == Counter(url for url, fate in fates.items() if fate == "page")
    reports = session.rank_reports()
    assert sum(report["head_requests"] for report in reports) == sum(heads.values())
    assert all(report["head_seconds"] > 0 and report["head_bytes"] > 0 for report in reports)
    assert f"links verified: {sum(heads.values())} HEADs" in done.stdout + done.stderr
    for site in (PLAIN, BARE, ODD, RUDE):
        _assert_apart([asked.time for asked in log if site_of(asked.url) == site], DELAY)
    _assert_apart([asked.time for asked in log], SERVER_DELAY)


def _assert_outcomes(session: Session) -> None:
    """Each URL has come to what is expected of it."""
    urls = session.read("urls", ["hash", "url"]).to_pylist()
    outcomes = {row["hash"]: row for row in session.read("outcomes").to_pylist()}
    for url_row in urls:
        url = url_row["url"]
        outcome = outcomes.get(url_row["hash"], {"state": "fetched", "reason": "page"})
        fate = expected(site_of(url))[url]
        assert fate in (outcome["state"], outcome["reason"]), url
    assert len(urls) == 4 * len(_paths())


def _assert_apart(times: list[float], delay: float) -> None:
    assert min(later - earlier for earlier, later in pairwise(sorted(times))) >= TOLERANCE * delay

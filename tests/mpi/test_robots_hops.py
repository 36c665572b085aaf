"""Redirects of robots.txt files to other sites, on real sockets; the server's log is the judge."""

import time
from itertools import pairwise
from pathlib import Path

import pytest

from sessions.session import Session
from tests.crawler.support.raw_server import RawServer
from tests.mpi.conftest import Run

DELAY, CRAWL_DELAY = 0.1, 0.5
TOLERANCE = 0.99
FARM = [f"farm-{number}.test" for number in range(5)]
REDIRECTS = dict.fromkeys(FARM, "http://b.test/theirs") | {
    "x.test": "http://y.test/robots.txt",
    "y.test": "http://x.test/robots.txt",
}
HEAD = "HTTP/1.1 {}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n{}\r\n"
ROBOTS = f"User-agent: *\nDisallow: /\nCrawl-delay: {CRAWL_DELAY}\n"


class Answering:
    """Answers for all sites, and keeps a log: when it was asked, by site, for what."""

    def __init__(self) -> None:
        self.log: list[tuple[float, str, str]] = []

    def __call__(self, _number: int, head: bytes) -> bytes:
        lines = head.decode().split("\r\n")
        path = lines[0].split()[1]
        site = next(line[6:] for line in lines if line.lower().startswith("host: "))
        self.log.append((time.monotonic(), site, path))
        if path == "/robots.txt" and site in REDIRECTS:
            return HEAD.format("302 Found", 0, f"Location: {REDIRECTS[site]}\r\n").encode()
        body = ROBOTS if (site, path) == ("b.test", "/robots.txt") else "<p>Hello"
        return HEAD.format("200 OK", len(body), "").encode() + body.encode()


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 2])
def test_the_crawl_delay_holds_between_hops(run_ranks: Run, tmp_path: Path, ranks: int) -> None:
    answering = Answering()
    seeds = [f"http://{name}/" for name in (*FARM, "x.test", "y.test")]
    with RawServer(answering) as server:
        to = server.url.removeprefix("http://").strip("/")
        limits = ["--delay", str(DELAY), "--server-delay", "0", "--delay-factor", "0", "--superstep", "0.2"]
        ownership = ["--assign", "page-hash", "--connect-to", f"::{to}"]
        arguments = [*seeds, *limits, *ownership, "--scope", "sites", "--contact", "a@b.test"]
        done = run_ranks(ranks, "-m", "crawler", "crawl", *arguments, "--out", str(tmp_path / "session"))
    assert done.returncode == 0, done.stderr
    assert sorted(Session.open(tmp_path / "session").read("pages", ["url"])["url"].to_pylist()) == sorted(seeds)
    visits = [(asked, path) for asked, site, path in answering.log if site == "b.test"]
    assert [path for _, path in visits] == ["/robots.txt", *["/theirs"] * len(FARM)]
    assert min(later[0] - earlier[0] for earlier, later in pairwise(visits)) >= TOLERANCE * CRAWL_DELAY

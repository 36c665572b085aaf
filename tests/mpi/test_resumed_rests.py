"""What a site asked for with Retry-After is kept by a run that goes on; the server's log is the judge."""

import time
from pathlib import Path

from sessions.checking.check import check_session
from sessions.session import Session
from tests.crawler.support.raw_server import RawServer
from tests.mpi.conftest import Run

REST = 8
BUSY = f"HTTP/1.1 429 Later\r\nRetry-After: {REST}\r\nContent-Length: 0\r\n\r\n".encode()
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
QUICKLY = ["--delay", "0.1", "--server-delay", "0", "--retry-wait", "0.1", "--superstep", "0.2"]


class Answering:
    """Is too busy once, and keeps a log of when it was asked for what."""

    def __init__(self) -> None:
        self.log: list[tuple[str, float]] = []

    def __call__(self, _number: int, head: bytes) -> bytes:
        path = head.split()[1].decode()
        is_first = path not in dict(self.log)
        self.log.append((path, time.monotonic()))
        return BUSY if path == "/" and is_first else PAGE


def test_a_site_that_asked_to_be_left_alone_is_by_a_run_that_goes_on_with_other_ranks(
    run_ranks: Run, tmp_path: Path
) -> None:
    answering, out = Answering(), tmp_path / "session"
    with RawServer(answering) as server:
        to = ["--connect-to", f"::{server.url.removeprefix('http://').strip('/')}", "--contact", "a@b.test"]
        arguments = [
            "http://s.test/",
            "http://t.test/fine",
            *QUICKLY,
            *to,
            "--scope",
            "sites",
            "--max-seconds",
            "2",
            "--out",
            str(out),
        ]
        first = run_ranks(1, "-m", "crawler", "crawl", *arguments)
        assert first.returncode == 0, first.stderr
        over = time.monotonic()
        second = run_ranks(2, "-m", "crawler", "crawl", "--resume", str(out), "--ranks", "2", "--max-seconds", "60")
    assert second.returncode == 0, second.stderr
    asked = [when for path, when in answering.log if path == "/"]
    assert len(asked) == 2
    assert asked[0] < over < asked[1]
    assert asked[1] - asked[0] >= REST
    session = Session.open(out)
    assert check_session(out).is_good
    assert session.read("pages", ["status"])["status"].to_pylist() == [200, 200]
    assert session.read("rests", ["site", "failures"]).to_pylist() == [
        {"site": "s.test", "failures": 1},
        {"site": "s.test", "failures": 0},
    ]

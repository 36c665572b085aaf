"""Delays over all ranks, on real sockets, with clocks that do not agree; the servers' logs are the judge."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.url import site_of
from tests.mpi.conftest import Run

PROGRAM = str(Path(__file__).with_name("shifted_ranks.py"))
DELAY = 0.2
SERVER_DELAY = 0.05
TOLERANCE = 0.99
ADDRESSES = [f"127.0.1.{number}" for number in range(1, 4)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> MadeWeb:
    """A web whose largest site takes some seconds."""
    path = tmp_path_factory.mktemp("small") / "web.warc.gz"
    return make_web(path, sites=9, pages=150, seed=3, links=12.0, robots=0.3)


@pytest.fixture
def servers(small: MadeWeb) -> Iterator[list[LocalWeb]]:
    """The same web at several addresses."""
    with ExitStack() as running:
        yield [running.enter_context(LocalWeb([small.path], host=address)) for address in ADDRESSES]


@pytest.mark.parametrize("server_delay", [pytest.param(0.0, marks=pytest.mark.long), SERVER_DELAY])
def test_no_two_requests_come_closer_than_the_delays_whatever_the_clocks_say(
    run_ranks: Run, small: MadeWeb, servers: list[LocalWeb], tmp_path: Path, server_delay: float
) -> None:
    sites = sorted(map(site_of, small.seeds))
    arguments = ["--seeds", str(small.seeds_path), "--assign", "page-hash", "--superstep", "0.3", "--no-tls-verify"]
    for number, site in enumerate(sites):
        server = servers[number % len(servers)]
        arguments += ["--connect-to", f"{site}::{server.address}"]
    arguments += ["--delay", str(DELAY), "--server-delay", str(server_delay), "--scope", "sites"]
    out = tmp_path / "session"
    done = run_ranks(4, PROGRAM, *arguments, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert check_session(out).is_good
    logs = [server.log for server in servers]
    requests = sorted((site_of(url), time) for log in logs for time, _, url in log)
    assert len({site for site, _ in requests}) == len(sites)
    assert len(requests) > 100
    for _, visits in groupby(requests, key=lambda request: request[0]):
        _assert_apart([time for _, time in visits], DELAY)
    for log in logs:
        _assert_apart(sorted(time for time, _, _ in log), server_delay)


def _assert_apart(times: list[float], delay: float) -> None:
    assert min((later - earlier for earlier, later in pairwise(times)), default=delay) >= TOLERANCE * delay

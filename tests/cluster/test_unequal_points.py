"""Crawls from places near to some sites and far from others: the lines are as long as they say, and learners notice.

How much sooner a crawl is done depends on this machine's processors too, so no makespan is asserted here:
tests/scripts/twoma asserts those of replays, and scripts/twoma/points_in_namespaces.py measures real ones.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from scripts.shared.network_namespaces import hosts_with
from scripts.twoma import crawl_points
from scripts.twoma.crawl_points import FAR_SECONDS, NEAR_SECONDS, CrawlPoints, point
from scripts.twoma.session_chain import Crawled, chain
from scripts.twoma.unequal_web import PAGES, RANKS, site_address
from sessions.checking.check import check_session
from sessions.session import Session

pytestmark = pytest.mark.cluster

SITES, SESSIONS = 40, 4
FAR_BITS_A_SECOND, NEAR_BITS_A_SECOND = 10e6, 100e6
BULK_BYTES, PORT = 4_000_000, 7000
BURST_BYTES = 32 * 1024
"""So much goes through at once, however narrow the line."""

_CONNECT = """
import json, socket, sys, time
seconds = {}
for address in sys.argv[1:]:
    tries = []
    for _ in range(10):
        begin = time.perf_counter()
        socket.create_connection((address, 80)).close()
        tries.append(time.perf_counter() - begin)
    seconds[address] = min(tries)
print(json.dumps(seconds))
"""
_SEND = """
import socket, sys
server = socket.create_server(("0.0.0.0", int(sys.argv[1])))
print("listening", flush=True)
for _ in range(2):
    with server.accept()[0] as connection:
        connection.sendall(bytes(int(sys.argv[2])))
"""
_RECEIVE = """
import socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection:
    connection.recv(1)
    begin, count = time.perf_counter(), 1
    while received := connection.recv(1 << 16):
        count += len(received)
print(count, time.perf_counter() - begin)
"""


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlPoints]:
    lacking = crawl_points.missing()
    if lacking is not None:
        pytest.skip(lacking)
    with CrawlPoints(tmp_path_factory.mktemp("points"), sites=SITES) as running:
        yield running
    assert hosts_with("unequal-") == []


@pytest.fixture(scope="module")
def first(points: CrawlPoints) -> Crawled:
    """The session by site hash."""
    return points.crawl(points.folder / "first")


def test_a_way_takes_as_long_as_it_should(points: CrawlPoints) -> None:
    addresses = [site_address(0, number) for number in range(RANKS)]
    for rank in range(RANKS):
        seconds = json.loads(points.run_on(point(rank), sys.executable, "-c", _CONNECT, *addresses))
        near = seconds.pop(addresses[rank])
        assert NEAR_SECONDS <= near < FAR_SECONDS / 2
        assert all(FAR_SECONDS <= far < 2 * FAR_SECONDS for far in seconds.values())


def test_a_line_is_as_narrow_as_it_should_be(points: CrawlPoints) -> None:
    with points.start_on(crawl_points.place(1), sys.executable, "-c", _SEND, str(PORT), str(BULK_BYTES)) as sender:
        assert sender.stdout is not None
        assert sender.stdout.readline() == b"listening\n"
        least_bits = 8 * (BULK_BYTES - BURST_BYTES)
        seconds = {}
        for rank in (1, 2):
            words = [sys.executable, "-c", _RECEIVE, site_address(0, 1), str(PORT)]
            count, took = points.run_on(point(rank), *words).split()
            assert int(count) == BULK_BYTES
            seconds[rank] = float(took)
    assert seconds[1] >= 0.95 * least_bits / NEAR_BITS_A_SECOND
    assert seconds[2] >= 0.95 * least_bits / FAR_BITS_A_SECOND
    assert seconds[1] < seconds[2]


def test_what_is_near_takes_less(points: CrawlPoints, first: Crawled) -> None:
    """A crawl meets these lines: pages of near sites come in a fraction of the time, each from its site's address."""
    assert_is_whole(first)
    pages = Session.open(first.path).read("pages", ["rank", "ip", "milliseconds"]).to_pylist()
    took: Mapping[bool, list[int]] = {True: [], False: []}
    for page in pages:
        took[page["ip"].split(".")[2] == str(page["rank"])].append(page["milliseconds"])
    assert min(took[False]) >= 1000 * FAR_SECONDS
    assert sorted(took[True])[len(took[True]) // 4] < 1000 * FAR_SECONDS
    assert 0.1 < points.near_share(first) < 0.5


def test_learnt_maps_move_sites_to_where_they_are_near(points: CrawlPoints, first: Crawled) -> None:
    """Settling looks at up to three other ranks, and most sites have seen theirs by the fourth session."""
    cut = ("--model", "twoma", "--learn", "settling")
    *_, last = learnt = list(chain(points, first, points.folder / "settling", SESSIONS, cut))
    for session in learnt:
        assert_is_whole(session)
    assert points.near_share(last) > points.near_share(first) + 0.25


def test_a_cut_that_knows_times_has_most_pages_near(points: CrawlPoints, first: Crawled) -> None:
    timed = ("--model", "prefix", "--effort", "low", "--learn", "settling", "--time-cost", "2000")
    *_, second = chain(points, first, points.folder / "timed", 2, timed)
    assert_is_whole(second)
    assert points.near_share(second) > 0.75


def assert_is_whole(session: Crawled) -> None:
    """The session checks good, and has each page of the web once."""
    findings = check_session(session.path)
    assert findings.is_good, findings.problems
    sites = Counter(Session.open(session.path).read("pages", ["site"])["site"].to_pylist())
    assert list(sites.values()) == [PAGES] * SITES

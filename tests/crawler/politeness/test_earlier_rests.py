"""Sites that an earlier run has left to rest, over whole clusters in virtual time."""

from dataclasses import replace

import pytest

from crawler.politeness.delays import Delays
from sessions.url import site_of
from tests.crawler.politeness.support.simulation import Cluster, Plan, SimulatedSite, assert_complete

DELAYS = Delays(delay=0.5, server_delay=0.1, retry_wait=1.0)
RESTS = {"s0.example": (45.0, 2), "s1.example": (3.0, 1), "s2.example": (0.0, 7)}


def crawled(ranks: int, seed: int, fails: float = 0.0, *, is_resumed: bool = False) -> Cluster:
    """Pages of four sites, on one server and on others, which come to all ranks."""
    sites = [SimulatedSite(f"s{n}.example", (f"192.0.2.{n // 2}",), fails=fails) for n in range(4)]
    arrivals = [
        (2.0 * time, rank, [f"http://{site.name}/{rank}/{time}" for site in sites])
        for rank in range(ranks)
        for time in range(3)
    ]
    plan = Plan(sites, arrivals, ranks, DELAYS, most_sites=2, earlier=RESTS, retries=0, seed=seed)
    cluster = Cluster(replace(plan, is_resumed=is_resumed))
    cluster.run()
    return cluster


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_site_rests_until_its_time_whoever_visits_it(ranks: int, seed: int) -> None:
    cluster = crawled(ranks, seed)
    assert_complete(cluster)
    for name, (rest, _) in RESTS.items():
        first = min(one.began for one in cluster.log if site_of(one.url) == name)
        assert rest <= first < rest + 5.0


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_failures_in_a_row_are_counted_on(ranks: int) -> None:
    """Recorded is every failure, and the answer that ends a row of them."""
    cluster = crawled(ranks, 0)
    assert sorted((row.site, row.failures) for row in cluster.rests) == [(name, 0) for name in sorted(RESTS)]
    cluster = crawled(ranks, 0, fails=1.0, is_resumed=True)  # so that some rules are known
    for name, (_, failures) in RESTS.items():
        counted = [row.failures for row in cluster.rests if row.site == name]
        is_robots_asked = any(one.url == f"http://{name}/robots.txt" for one in cluster.log)
        assert counted[0] == (0 if is_robots_asked else failures + 1)

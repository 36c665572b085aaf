"""Redirects of robots.txt files to other sites, over whole clusters in virtual time; the web's log is the judge."""

from itertools import pairwise

import pytest

from crawler.politeness.delays import Delays
from crawler.politeness.entry import Errand
from crawler.politeness.messages import AskCrawlDelay, CrawlDelay, HopWaits
from crawler.politeness.robots_hops import LONGEST_CHAIN, RobotsHops
from sessions.url import site_of
from tests.crawler.politeness.support.null_mailbox import Letters
from tests.crawler.politeness.support.simulation import (
    Cluster,
    Plan,
    SimulatedSite,
    assert_complete,
    assert_polite,
    makespan,
)

DELAYS = Delays(delay=0.5, server_delay=0.1)
RANKS = [1, 2, 3, 4]
Schemes = tuple[str, ...]
HTTP: Schemes = ("http",)


def sites(redirects: dict[str, str], crawl_delay: float = 0.0) -> list[SimulatedSite]:
    """Sites by name and where their robots.txt redirects to, on addresses of their own."""
    return [
        SimulatedSite(name, (f"192.0.2.{number}",), crawl_delay=crawl_delay, robots_at=target)
        for number, (name, target) in enumerate(redirects.items(), 1)
    ]


def crawled(all_of_them: list[SimulatedSite], ranks: int, seed: int = 0, schemes: Schemes = HTTP) -> Cluster:
    """A crawl of some pages of each site, which come to different ranks at once."""
    arrivals = [
        (0.0, (number + page) % ranks, [f"{scheme}://{site.name}/{page}" for scheme in schemes])
        for number, site in enumerate(all_of_them)
        for page in range(3)
    ]
    cluster = Cluster(Plan(all_of_them, arrivals, ranks, DELAYS, seed=seed))
    cluster.run()
    assert_complete(cluster)
    assert_polite(cluster)
    return cluster


def gaps(cluster: Cluster, site: str) -> list[float]:
    """From the end of one request to a site to the begin of the next."""
    visits = sorted((one.began, one.ended) for one in cluster.log if site_of(one.url) == site)
    return [later[0] - earlier[1] for earlier, later in pairwise(visits)]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", range(2))
def test_a_hop_rests_as_any_request_there_does(ranks: int, seed: int) -> None:
    """A farm whose files all lie on one site, which forbids them, and has no pages in the crawl."""
    farm = sites({f"farm-{number}.example": "http://b.example/shared-robots.txt" for number in range(12)})
    target = SimulatedSite("b.example", ("192.0.2.99",), crawl_delay=3.0)
    cluster = Cluster(
        Plan([*farm, target], [(0.0, 0, [f"http://{site.name}/" for site in farm])], ranks, DELAYS, seed=seed)
    )
    cluster.run()
    assert_complete(cluster)
    visits = [one.url for one in cluster.log if site_of(one.url) == "b.example"]
    assert visits == ["http://b.example/robots.txt", *["http://b.example/shared-robots.txt"] * 12]
    assert min(gaps(cluster, "b.example")) >= 3.0


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("length", [2, 3, LONGEST_CHAIN + 1, 2 * LONGEST_CHAIN])
def test_files_that_redirect_in_a_ring_do_not_wait_for_one_another(ranks: int, seed: int, length: int) -> None:
    ring = sites({f"s{n}.example": f"http://s{(n + 1) % length}.example/robots.txt" for n in range(length)})
    cluster = crawled(ring, ranks, seed)
    assert not cluster.reasons
    assert makespan(cluster) < 60.0


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", range(3))
def test_each_may_lie_on_the_other(ranks: int, seed: int) -> None:
    """Neither can be had before the other is asked for."""
    one_and_other = {
        "a.example": "http://b.example/shared-robots.txt",
        "b.example": "http://a.example/shared-robots.txt",
    }
    cluster = crawled(sites(one_and_other, crawl_delay=2.0), ranks, seed)
    for site in one_and_other:
        assert min(gaps(cluster, site)[-2:]) >= 2.0


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("schemes", [("http",), ("https",), ("http", "https")])
def test_a_file_may_redirect_to_itself_or_to_https_and_back(ranks: int, schemes: tuple[str, ...]) -> None:
    cluster = crawled(sites({"a.example": "https://a.example/robots.txt"}), ranks, schemes=schemes)
    assert len(cluster.log) == (3 + 6) * len(schemes)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", range(3))
def test_a_chain_longer_than_is_followed_is_waited_for_no_longer_either(ranks: int, seed: int) -> None:
    chain = sites({f"s{n}.example": f"http://s{n + 1}.example/robots.txt" for n in range(20)})
    end = SimulatedSite("s20.example", ("192.0.2.200",), crawl_delay=1.0)
    cluster = crawled([*chain, end], ranks, seed)
    assert not cluster.reasons
    assert makespan(cluster) < 60.0


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", range(2))
def test_of_http_and_https_the_longer_crawl_delay_holds_for_both(ranks: int, seed: int) -> None:
    site = SimulatedSite("a.example", ("192.0.2.1",), crawl_delay=0.7, https_crawl_delay=2.0)
    arrivals = [(3.0 * n, n % ranks, [f"http://a.example/{n}", f"http://a.example/{n}x"]) for n in range(8)]
    arrivals.append((6.0, 0, ["https://a.example/", "https://a.example/1"]))
    cluster = Cluster(Plan([site], arrivals, ranks, DELAYS, seed=seed))
    cluster.run()
    assert_complete(cluster)
    asked = next(one.ended for one in cluster.log if one.url == "https://a.example/robots.txt")
    visits = sorted((one.began, one.ended) for one in cluster.log if one.ended >= asked)
    assert len(visits) > 8
    assert min(later[0] - earlier[1] for earlier, later in pairwise(visits)) >= 2.0


# one gatekeeper alone


class Hops:
    """What a gatekeeper says and has run."""

    def __init__(self) -> None:
        self.letters = Letters(ranks=1)
        self.ran: list[Errand] = []
        self.hops = RobotsHops(self.letters, lambda errand, _now: self.ran.append(errand))

    def follow(self, origin: str, url: str, depth: int = 0) -> Errand:
        errand = Errand(origin, url, 1)
        self.hops.follow(errand, depth, 0.0)
        return errand

    def said(self) -> list[object]:
        return [message for _, message in self.letters.take()]


A, B, C = "http://a.example", "http://b.example", "http://c.example"


def test_a_hop_waits_for_the_crawl_delay_of_the_other_site() -> None:
    one = Hops()
    errand = one.follow(A, f"{B}/x")
    assert one.said() == [AskCrawlDelay(B, A, 1)]
    one.hops.told(CrawlDelay(A, C, 9.0), 0.0)  # what it waited for before
    assert one.ran == []
    one.hops.told(CrawlDelay(A, B, 3.0), 0.0)
    assert one.ran == [errand._replace(crawl_delay=3.0)]
    one.hops.told(CrawlDelay(A, B, 3.0), 0.0)
    assert len(one.ran) == 1


def test_within_a_site_nothing_is_waited_for() -> None:
    one = Hops()
    errand = one.follow(A, "https://a.example/robots.txt")
    assert (one.ran, one.said()) == ([errand], [])


def test_at_the_end_of_a_long_chain_nothing_is_waited_for() -> None:
    one = Hops()
    assert one.follow(A, f"{B}/x", LONGEST_CHAIN - 1) not in one.ran
    assert one.said() == [AskCrawlDelay(B, A, LONGEST_CHAIN)]
    assert one.follow(C, f"{B}/x", LONGEST_CHAIN) in one.ran
    assert one.said() == []


def test_a_probe_goes_on_until_it_is_back_or_has_gone_far_enough() -> None:
    one = Hops()
    errand = one.follow(A, f"{B}/x")
    one.said()
    one.hops.probe(HopWaits(B, C, 1), 0.0)  # which does not wait
    assert one.said() == []
    one.hops.probe(HopWaits(A, C, 1), 0.0)
    assert one.said() == [HopWaits(B, C, 2)]
    one.hops.probe(HopWaits(A, C, LONGEST_CHAIN), 0.0)
    assert one.said() == [CrawlDelay(C, "", 0.0)]
    assert (one.ran, len(one.hops)) == ([], 1)
    one.hops.probe(HopWaits(A, A, 3), 0.0)
    assert (one.ran, len(one.hops)) == ([errand], 0)

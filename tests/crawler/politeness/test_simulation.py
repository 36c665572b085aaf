"""Whole clusters in virtual time, judged by the web's log: no rest is cut short, nothing is lost, little time is."""

from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.delays import ALIKE, Delays, Rests
from crawler.politeness.leases import LONGEST_TURN_SECONDS
from crawler.politeness.messages import Return
from crawler.politeness.server_gatekeeper import SITES_A_TURN, VISITS_A_TURN, ServerGatekeeper
from tests.crawler.politeness.support import simulation
from tests.crawler.politeness.support.random_plans import Various, random_plan
from tests.crawler.politeness.support.simulation import (
    Cluster,
    Plan,
    SimulatedSite,
    assert_complete,
    assert_polite,
    least_seconds,
    makespan,
)


def crawled(plan: Plan) -> Cluster:
    cluster = Cluster(plan)
    cluster.run()
    assert_polite(cluster)
    assert_complete(cluster)
    return cluster


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    ranks=st.integers(1, 4),
    server_delay=st.sampled_from([0.0, 0.005, 0.5]),
    delay=st.sampled_from([0.0, 0.05, 0.3, 1.0]),
)
def test_delays_hold_over_all_ranks_and_nothing_is_lost(
    seed: int, ranks: int, server_delay: float, delay: float
) -> None:
    crawled(random_plan(seed, ranks, server_delay, delay))


@settings(max_examples=30, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32), ranks=st.integers(1, 4), server_delay=st.sampled_from([0.001, 0.005, 0.03]))
def test_rests_that_differ_from_site_to_site_hold_over_all_ranks(seed: int, ranks: int, server_delay: float) -> None:
    crawled(random_plan(seed, ranks, server_delay, 0.01, rests=Various(2.0, 0.6)))


@settings(max_examples=30, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    ranks=st.integers(1, 4),
    server_delay=st.sampled_from([0.0, 0.005, 0.5]),
    rests=st.sampled_from([ALIKE, Various(3.0, 0.8)]),
)
def test_a_run_that_goes_on_counts_all_as_visited_when_it_began(
    seed: int, ranks: int, server_delay: float, rests: Rests
) -> None:
    crawled(random_plan(seed, ranks, server_delay, 0.3, rests=rests, is_resumed=True))


@pytest.mark.parametrize("ranks", [1, 4])
def test_a_run_that_goes_on_loses_no_more_time_than_one_rest(ranks: int) -> None:
    names = [f"s{number}.example" for number in range(40)]
    sites = [SimulatedSite(name, (f"192.0.2.{number % 4}",)) for number, name in enumerate(names)]
    delays = Delays(2.0, 0.1)
    plan = Plan(sites, spread(dict.fromkeys(names, 6), ranks), ranks, delays, latency=(0.0, 0.002), is_resumed=True)
    cluster = crawled(plan)
    assert 2.0 <= min(visited.began for visited in cluster.log) <= 2.1
    assert makespan(cluster) <= 1.15 * least_seconds(cluster)


class _Forgetful(Delays):
    """Takes no note of when the run began."""

    def rests_left(self, *_said: object, **_more: object) -> tuple[float, float]:
        return 0.0, 0.0


def test_a_visit_soon_after_the_run_began_is_noticed() -> None:
    site = SimulatedSite("a.example", ("192.0.2.1",))
    plan = Plan([site], [(0.0, 0, ["http://a.example/"])], 1, _Forgetful(1.0, 0.5), is_resumed=True)
    with pytest.raises(AssertionError, match="after the run began"):
        crawled(plan)


def spread(names: dict[str, int], ranks: int) -> list[tuple[float, int, list[str]]]:
    """So many pages of each site, dealt out to the ranks as a page hash would."""
    arrivals: dict[int, list[str]] = {}
    for name, pages in names.items():
        for page in range(pages):
            arrivals.setdefault(page % ranks, []).append(f"http://{name}/{page}")
    return [(0.0, rank, urls) for rank, urls in arrivals.items()]


def in_time(
    pages: dict[str, int], servers: dict[str, str], delays: Delays, ranks: int = 4, seconds: float = 0.01
) -> None:
    """Crawl on a fast network; it may take 1.15 times what the delays force."""
    sites = [SimulatedSite(name, (servers[name],), response_seconds=seconds) for name in pages]
    arrivals = spread(pages, ranks)
    cluster = crawled(Plan(sites, arrivals, ranks, delays, latency=(0.0, 0.002), loop=(0.0, 0.002)))
    assert makespan(cluster) <= 1.15 * least_seconds(cluster)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_one_site_that_all_ranks_want_is_never_left_alone(ranks: int) -> None:
    in_time({"a.example": 60}, {"a.example": "192.0.2.1"}, Delays(0.2, 0.2), ranks)


@pytest.mark.parametrize("delay", [0.2, 3.0])
def test_ranks_take_turns_at_a_site_that_all_want_with_few_messages(delay: float) -> None:
    site = SimulatedSite("a.example", ("192.0.2.1",))
    cluster = crawled(Plan([site], spread({"a.example": 240}, 4), 4, Delays(delay, 0.02)))
    ranks = [visited.rank for visited in cluster.log]
    turns = [len(list(turn)) for _, turn in groupby(ranks)]
    assert max(turns) <= min(VISITS_A_TURN, LONGEST_TURN_SECONDS / delay + 1)
    assert all(len(set(ranks[start : start + 4 * max(turns)])) == 4 for start in range(100))
    assert sum(rank.mailbox.sent for rank in cluster.ranks) <= 0.25 * 240 + 4 * 240 * delay / LONGEST_TURN_SECONDS


def test_ranks_take_turns_at_a_server_of_many_sites_with_few_messages() -> None:
    """A rank with one site there waits for no more than a turn of each of the others, whose many sites gain nothing."""
    names = [f"s{number}.example" for number in range(12)]
    arrivals = spread(dict.fromkeys(names, 24), 3)
    arrivals.append((0.0, 3, [f"http://lonely.example/{page}" for page in range(8)]))
    sites = [SimulatedSite(name, ("192.0.2.1",)) for name in [*names, "lonely.example"]]
    cluster = crawled(Plan(sites, arrivals, 4, Delays(0.5, 0.1), latency=(0.0, 0.002), loop=(0.0, 0.002)))
    turns = [len(list(turn)) for _, turn in groupby(visited.rank for visited in cluster.log)]
    assert max(turns) <= VISITS_A_TURN
    assert len(turns) <= len(cluster.log) / 4
    lonely = [visited.began for visited in cluster.log if visited.rank == 3 and "lonely" in visited.url]
    waits = [later - earlier for earlier, later in pairwise(lonely)]
    assert max(waits) <= 3 * VISITS_A_TURN * 0.11
    assert makespan(cluster) <= 1.15 * least_seconds(cluster)


@pytest.mark.parametrize("server_delay", [0.0, 0.005, 0.2])
def test_sites_of_a_server_do_not_wait_for_each_other(server_delay: float) -> None:
    names = [f"s{number}.example" for number in range(5)]
    in_time(dict.fromkeys(names, 12), dict.fromkeys(names, "192.0.2.1"), Delays(1.0, server_delay))


def test_a_site_with_three_times_the_pages_of_its_neighbours_is_not_what_the_crawl_waits_for() -> None:
    names = [f"s{number}.example" for number in range(6)]
    in_time({**dict.fromkeys(names, 10), "s0.example": 30}, dict.fromkeys(names, "192.0.2.1"), Delays(1.0, 0.3))


def test_many_sites_on_few_servers_over_all_ranks() -> None:
    names = [f"s{number}.example" for number in range(40)]
    servers = {name: f"192.0.2.{number % 4}" for number, name in enumerate(names)}
    in_time(dict.fromkeys(names, 8), servers, Delays(0.4, 0.2))


@pytest.mark.parametrize(("usual", "longest"), [(2, 3), (6, 100)])
def test_a_server_of_more_sites_than_a_turn_is_for_is_never_left_alone(usual: int, longest: int) -> None:
    """Nor is the site with most pages, which the crawl would last wait for."""
    names = [f"s{number}.example" for number in range(3 * SITES_A_TURN)]
    pages = {**dict.fromkeys(names, usual), "s0.example": longest}
    in_time(pages, dict.fromkeys(names, "192.0.2.1"), Delays(0.6, 0.1))


def test_slow_answers_cost_no_more_than_they_take() -> None:
    names = [f"s{number}.example" for number in range(4)]
    in_time(dict.fromkeys(names, 12), dict.fromkeys(names, "192.0.2.1"), Delays(0.4, 0.2, factor=0.0), seconds=0.3)


def test_a_robots_txt_and_an_address_are_asked_for_once_for_all_ranks() -> None:
    cluster = crawled(Plan([SimulatedSite("a.example", ("192.0.2.1",))], spread({"a.example": 40}, 4), 4, Delays(0.2)))
    assert sum(visited.url.endswith("/robots.txt") for visited in cluster.log) == 1
    assert cluster.lookups == {"http://a.example": 1}


def test_a_crawl_delay_holds_over_all_ranks() -> None:
    site = SimulatedSite("a.example", ("192.0.2.1",), crawl_delay=2.0)
    cluster = crawled(Plan([site], spread({"a.example": 12}, 4), 4, Delays(0.2)))
    assert makespan(cluster) >= 12 * 2.0


def test_the_back_off_from_a_failing_site_holds_over_all_ranks() -> None:
    site = SimulatedSite("a.example", ("192.0.2.1",), fails=1.0)
    cluster = crawled(Plan([site], spread({"a.example": 4}, 4), 4, Delays(0.1, retry_wait=1.0), retries=1))
    assert makespan(cluster) >= 1 + 2 + 4 + 8 + 16 + 32 + 32


def test_a_site_that_moves_rests_before_it_is_visited_where_it_is_now() -> None:
    site = SimulatedSite("a.example", ("192.0.2.1", "192.0.2.2"), dead=frozenset({"192.0.2.1"}))
    cluster = crawled(Plan([site], spread({"a.example": 12}, 4), 4, Delays(1.0, 0.5, retry_wait=3.0)))
    assert [visited.ip for visited in cluster.log] == ["192.0.2.1"] + ["192.0.2.2"] * (len(cluster.log) - 1)
    assert cluster.log[1].began >= cluster.log[0].ended + 3.0


def test_visits_that_cannot_be_made_go_to_other_ranks() -> None:
    """Rank 0 has one connection, and all of it is taken by a slow site."""
    slow = SimulatedSite("slow.example", ("192.0.2.1",), response_seconds=30.0)
    shared = SimulatedSite("shared.example", ("192.0.2.2",))
    arrivals = [
        (0.0, 0, ["http://slow.example/0"]),
        *((1.0, rank, [f"http://shared.example/{rank}-{page}" for page in range(5)]) for rank in (0, 1)),
    ]
    cluster = crawled(Plan([slow, shared], arrivals, 2, Delays(0.2, 0.2, factor=0.0), connections=1))
    others = [visited for visited in cluster.log if visited.url.startswith("http://shared.example/1-")]
    assert len(others) == 5
    assert others[-1].ended < 10.0


class _Impolite(ServerGatekeeper):
    """Forgets every rest that a rank tells it of."""

    def returned(self, rank: int, given_back: Return, now: float) -> None:
        super().returned(rank, given_back._replace(rest=0.0, standings={}), now)


@pytest.mark.parametrize("server_delay", [0.005, 0.03])
def test_servers_that_rest_longer_than_the_least_are_never_left_alone(server_delay: float) -> None:
    """Where the least is below what handing over takes, slices are lent that have room for one visit."""
    sites = [SimulatedSite(f"s{number}.example", (f"192.0.2.{number % 3}",)) for number in range(9)]
    delays = Delays(0.01, server_delay, rests=Various(0.0, 0.8))
    arrivals = spread({site.name: 12 for site in sites}, 3)
    cluster = crawled(Plan(sites, arrivals, 3, delays, latency=(0.0, 0.002), loop=(0.0, 0.002)))
    least = max(delays.rests.server_rest(site.addresses[0], ()) for site in sites) * (3 * 13 - 1)
    assert least <= makespan(cluster) <= 1.15 * least


@pytest.mark.parametrize("server_delay", [0.0, 0.5])
def test_a_rest_cut_short_is_noticed(monkeypatch: pytest.MonkeyPatch, server_delay: float) -> None:
    monkeypatch.setattr(simulation, "ServerGatekeeper", _Impolite)
    site = SimulatedSite("a.example", ("192.0.2.1",))
    with pytest.raises(AssertionError, match="too early"):
        crawled(Plan([site], spread({"a.example": 40}, 3), 3, Delays(1.0, server_delay)))

"""Random webs for the simulated cluster, and what comes to whom, and when."""

import random
from collections.abc import Collection

from crawler.politeness.delays import ALIKE, Delays, Rests
from tests.crawler.politeness.support.simulation import Plan, SimulatedSite


def random_site(dice: random.Random, number: int, servers: int) -> SimulatedSite:
    ip = f"192.0.2.{dice.randrange(servers)}"
    others = tuple(f"198.51.100.{dice.randrange(servers)}" for _ in range(dice.choice([0, 0, 0, 1, 2])))
    addresses = tuple(dict.fromkeys((ip, *others)))
    return SimulatedSite(
        f"s{number}.example",
        addresses,
        response_seconds=dice.choice([0.0, 0.01, 0.3]),
        crawl_delay=dice.choice([0.0, 0.0, 0.7]),
        fails=dice.choice([0.0, 0.0, 0.2]),
        dead=frozenset(addresses[: dice.choice([0, 1, 1, 3])]) if others else frozenset(),
        dns_error=dice.choice(["dns"] + [""] * 12),
        ttl=dice.choice([0.0, 2.0, 3600.0, 3600.0]),
    )


def random_arrivals(dice: random.Random, sites: list[SimulatedSite], ranks: int) -> list[tuple[float, int, list[str]]]:
    """URLs that come to the ranks over time: those of some sites to one rank, those of others to all."""
    owners = {site.name: dice.choice([None, None, dice.randrange(ranks)]) for site in sites}
    arrivals: dict[tuple[float, int], list[str]] = {}
    for number in range(dice.randint(1, 120)):
        name = dice.choice(sites).name
        owner = owners[name]
        rank = dice.randrange(ranks) if owner is None else owner
        scheme = dice.choice(["http", "http", "http", "https"])
        time = dice.choice([0.0, 0.0, 0.5, dice.uniform(0.0, 8.0)])
        arrivals.setdefault((time, rank), []).append(f"{scheme}://{name}/{number}")
    return [(time, rank, urls) for (time, rank), urls in sorted(arrivals.items())]


class Various:
    """Every site and every server rests differently long, by its name, up to so many seconds."""

    def __init__(self, most_at_site: float, most_at_server: float) -> None:
        self.most_at_site = most_at_site
        self.most_at_server = most_at_server

    def site_rest(self, site: str) -> float:
        return random.Random(site).uniform(0.0, self.most_at_site)

    def server_rest(self, server: str, _sites: Collection[str]) -> float:
        return random.Random(server).uniform(0.0, self.most_at_server)


def random_plan(
    seed: int, ranks: int, server_delay: float, delay: float, *, rests: Rests = ALIKE, is_resumed: bool = False
) -> Plan:
    dice = random.Random(seed)
    servers = dice.randint(1, 5)
    sites = [random_site(dice, number, servers) for number in range(dice.randint(1, 12))]
    return Plan(
        sites,
        random_arrivals(dice, sites, ranks),
        ranks,
        Delays(delay, server_delay, factor=dice.choice([0.0, 1.0, 3.0]), retry_wait=0.4, rests=rests),
        latency=dice.choice([(0.0, 0.0), (0.0, 0.002), (0.0, 0.05)]),
        loop=dice.choice([(0.0, 0.0), (0.0, 0.004), (0.0, 0.03)]),
        connections=dice.choice([1, 2, 64]),
        retries=dice.choice([0, 1, 2]),
        capacity=dice.choice([16, 1 << 16]),
        sites_of_a_server=dice.choice([1, 2, 32]),
        most_sites=dice.choice([1, 3, 1 << 16]),
        is_robots_on_disk=dice.random() < 0.2,
        is_resumed=is_resumed,
        seed=seed,
    )

"""What it costs to say which site is next: CPU microseconds for a pick and its release, and memory, by number of sites.

The sites lie on a tenth as many servers.  The clock is made up: it goes on to the next time at which a site may be
visited.  Each site is known already, has hundreds of URLs or more, and rests for some part of its delay when the
measuring begins, as in the middle of a crawl.

    python -m scripts.bench.agenda                 print the table
    python -m scripts.bench.agenda --save          and keep it in docs/politeness.md
"""

import argparse
import random
import tracemalloc
from statistics import median
from time import process_time

from crawler.politeness.agenda import Agenda, ScheduledServer, ScheduledSite
from scripts.shared.doc_tables import keep, table

SITES = (1_000, 100_000, 1_000_000)
SITES_PER_SERVER = 10
SITE_DELAY, SERVER_DELAY = 1.0, 0.05
_ROUNDS, _PICKS_PER_ROUND = 5, 40_000
_SEED = 1


def main() -> None:
    options = _options()
    rows = []
    for count in SITES:
        agenda, bytes_per_site = _filled(count)
        rows.append(
            [f"{count:,}", f"{count // SITES_PER_SERVER:,}", f"{_microseconds(agenda):.1f}", f"{bytes_per_site:.0f}"]
        )
    text = table(["sites", "servers", "CPU µs per visit", "bytes per site"], rows)
    print(text)
    if options.save:
        keep("politeness.md", "bench_agenda", text)


def _filled(count: int) -> tuple[Agenda[ScheduledSite], float]:
    """An agenda with so many sites, and the bytes that each takes, its part of a server included."""
    rng = random.Random(_SEED)
    tracemalloc.start()
    agenda: Agenda[ScheduledSite] = Agenda(lambda _: None, SERVER_DELAY)
    servers = [ScheduledServer(f"192.0.2.{number}") for number in range(count // SITES_PER_SERVER)]
    for number in range(count):
        agenda.enter(_site(f"www.site{number}.example", servers[number % len(servers)], rng))
    for server in servers:
        agenda.open(server)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return agenda, taken / count


def _site(name: str, server: ScheduledServer, rng: random.Random) -> ScheduledSite:
    site = ScheduledSite(name, server)
    site.visits = 2
    site.not_before = rng.uniform(0.0, SITE_DELAY)
    site.weigh(round(400 * rng.paretovariate(1.2)))
    return site


def _microseconds(agenda: Agenda[ScheduledSite]) -> float:
    """CPU time of a visit: pick, one URL fewer, release; the median of rounds, after one that does not count."""
    now = 0.0
    rounds = []
    for _ in range(1 + _ROUNDS):
        began = process_time()
        for _ in range(_PICKS_PER_ROUND):
            while (site := agenda.pick(now)) is None:
                now = _next_time(agenda)
            site.weigh(max(1, site.weight - 1))
            agenda.release(site, now + SITE_DELAY, now + SERVER_DELAY)
        rounds.append((process_time() - began) / _PICKS_PER_ROUND)
    return 1e6 * median(rounds[1:])


def _next_time(agenda: Agenda[ScheduledSite]) -> float:
    time = agenda.next_time()
    assert time is not None
    return time


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="keep the table in docs/politeness.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()

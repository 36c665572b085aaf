"""What a visit costs where ranks share one server, by the number of sites that lie on it: CPU microseconds.

Every rank has URLs of each site.  The ranks are those of the tests' simulation, in one process and in virtual time;
what that costs is in the figures, and does not grow with the sites.  A server delay of 50 ms is kept by turns, one of
10 ms by slices of time.  The median of several turns through all cases.

    python -m scripts.bench.crowded_server             print the table: five minutes
    python -m scripts.bench.crowded_server --save      and keep it in docs/politeness.md
"""

import argparse
from statistics import median
from time import process_time

from crawler.politeness.delays import Delays
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from tests.crawler.politeness.support.simulation import Cluster, Plan, SimulatedSite

SITES = (25, 100, 400, 1600, 6400)
CASES = ((2, 0.05, 1), (2, 0.05, 4), (4, 0.05, 1), (2, 0.01, 4))
"""Ranks, server delay in seconds, and how many URLs of each site each rank has."""
_SITE_DELAY, _RESPONSE_SECONDS = 1.0, 0.01
_SEED = 1


def main() -> None:
    """Print the table, or keep it in the docs."""
    options = _options()
    head = ["ranks", "server delay, s", "URLs a site and rank", *(f"{count:,} sites" for count in options.sites)]
    turns = [[[microseconds(count, *case) for count in options.sites] for case in CASES] for _ in range(options.runs)]
    rows = [
        [*map(str, case), *(f"{median(figures):.0f}" for figures in zip(*of_case, strict=True))]
        for case, of_case in zip(CASES, zip(*turns, strict=True), strict=True)
    ]
    text = f"Medians of {options.runs} turns; {this_machine()}:\n\n{table(head, rows)}"
    print(text)
    if options.save:
        keep("politeness.md", "crowded_server", text)


def microseconds(count: int, ranks: int, server_delay: float, urls: int) -> float:
    """What a visit costs, if ``count`` sites lie on the server."""
    sites = [SimulatedSite(f"s{number}.example", ("192.0.2.1",), _RESPONSE_SECONDS) for number in range(count)]
    delays = Delays(delay=_SITE_DELAY, server_delay=server_delay, factor=0.0, retry_wait=1.0)
    arrivals = [(0.0, rank, _urls(rank, count, urls)) for rank in range(ranks)]
    cluster = Cluster(Plan(sites, arrivals, ranks, delays, seed=_SEED))
    began = process_time()
    cluster.run()
    seconds = process_time() - began
    assert len(cluster.done) == count * ranks * urls
    return 1e6 * seconds / len(cluster.done)


def _urls(rank: int, sites: int, urls: int) -> list[str]:
    return [f"http://s{site}.example/{rank}-{number}" for number in range(urls) for site in range(sites)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, nargs="+", default=SITES, metavar="N", help="how many sites (25 to 6,400)")
    parser.add_argument("--runs", type=int, default=3, help="turns (3)")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/politeness.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()

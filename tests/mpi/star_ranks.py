"""Run under mpiexec by test_star.py: ranks find links, stage domains and say what budgets they were told."""

import json
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

from crawler.exchange.link_exchange import LinkExchange
from crawler.frontier.budgets import trust
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.star import Star
from tests.crawler.frontier.budgets.support.streams import FakeStaging

DOMAINS, LINKS, SUPERSTEPS = 750, 12_000, 4
MEMORY = {"degree": 1 << 19, "top": 1 << 24, "trust": 1 << 24}
"""Too little for the pairs, so that they go to disk, and plenty."""
SEEDS = range(20)


def url(domain: int, page: int) -> str:
    """A page on one of a domain's hosts."""
    return f"http://h{page % 5}.example{domain}.org/{page}"


def stream() -> list[tuple[int, int]]:
    """The same links on every rank and at every K: from and to which domain."""
    random = np.random.default_rng(20080421)
    sources = random.integers(0, DOMAINS, LINKS)
    return list(zip(sources.tolist(), (random.zipf(1.3, LINKS) % DOMAINS).tolist(), strict=True))


def run(exchange: LinkExchange, folder: Path, function: str, memory: int) -> dict[str, list[object]] | None:
    """What each rank was told in the end, on rank 0."""
    ordering = FakeStaging()
    seeds = domain_hashes([url(domain, 0) for domain in SEEDS])
    star = Star(folder / f"{function}-{exchange.rank}", ordering, function, memory, seeds=seeds)
    links = stream()
    for superstep in range(SUPERSTEPS):
        mine = links[superstep::SUPERSTEPS][exchange.rank :: exchange.ranks]
        sources = domain_hashes([url(source, page) for page, (source, _) in enumerate(mine)])
        star.links(sources, domain_hashes([url(target, page) for page, (_, target) in enumerate(mine)]))
        ordering.staged = list(range(superstep * 100))
        star.settle(exchange)
    star.flush()
    for _ in range(60 if function == "trust" else 0):
        star.settle(exchange)
    everything = domain_hashes([url(domain, 0) for domain in range(DOMAINS)])
    ordering.staged = [0]
    ordering.staged_domains = lambda: everything  # type: ignore[method-assign]
    star.settle(exchange)
    sites = [star.of_site(f"www.example{domain}.org") for domain in range(DOMAINS)]
    ordering.waiting = lambda domains: np.full(len(domains), exchange.rank + 1)  # type: ignore[method-assign]
    star.settle(exchange)
    parts = star.parts_of(everything) / star.of(everything)
    reports = exchange.gather(
        {
            "told": star.of(everything).tolist(),
            "sites": sites,
            "wire_bytes": star.wire_bytes,
            "parts": [parts.min(), parts.max()],
        }
    )
    star.close()
    return None if reports is None else {name: [report[name] for report in reports] for name in reports[0]}


def main() -> None:
    trust._TOLD_AGAIN = 1 << 20  # to be compared with what does not wait for changes
    exchange = LinkExchange(MPI.COMM_WORLD)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    reports = {function: run(exchange, folder, function, memory) for function, memory in MEMORY.items()}
    if exchange.rank == 0:
        print(json.dumps(reports))


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        import traceback

        traceback.print_exc()
        MPI.COMM_WORLD.Abort(1)

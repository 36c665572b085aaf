"""What politeness costs: CPU and packets a page of crawls with delays, over those of the same crawl without.

There are two webs.  Of the *contested* one (20 sites, each on a loopback address of its own, by page hash) all ranks
have URLs of all sites, and the longest delays bind.  In the *spread* one (2,000 sites of 10 pages on 500 addresses),
four sites share an address, and no delay is waited for.  A server delay below 20 ms is kept among ranks by short
leases, a longer one by turns of several visits: both are measured.

Both are served by nginx.  The cases take turns, so that a slow spell of the machine hits all alike; figures are
medians.

    python -m scripts.bench.politeness                    print the tables
    python -m scripts.bench.politeness --webs contested   of one web
    python -m scripts.bench.politeness --save             and keep them in docs/politeness.md
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from scripts.bench.measured_crawl import measured_crawl
from scripts.bench.nginx_server import served_by_nginx
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.localweb.generate.make import make_web

Case = tuple[int, str, str, str]


@dataclass(frozen=True)
class SharedWeb:
    """A web whose sites lie on ``addresses`` in turn, and how it is crawled.

    ``delays`` are those of sites and servers, in seconds, the first of them none; ``mark`` is its table's in the docs.
    """

    mark: str
    sites: int
    pages: int
    addresses: Sequence[str]
    port: int
    kinds: Sequence[tuple[int, str]]
    delays: Sequence[tuple[str, str]]

    @property
    def cases(self) -> list[Case]:
        """Ranks, assignment and delays of each crawl."""
        return [(*kind, *delays) for kind in self.kinds for delays in self.delays]


WEBS = {
    "contested": SharedWeb(
        mark="contested_sites",
        sites=20,
        pages=4_000,
        addresses=[f"127.0.3.{1 + number}" for number in range(20)],
        port=8385,
        kinds=[(ranks, "page-hash") for ranks in (1, 2, 4, 8)],
        delays=[("0", "0"), ("0.005", "0.00001"), ("0.02", "0.02")],
    ),
    "spread": SharedWeb(
        mark="bench_politeness",
        sites=2_000,
        pages=20_000,
        addresses=[f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(500)],
        port=8381,
        kinds=[(1, "site-hash"), (4, "site-hash"), (4, "page-hash")],
        delays=[("0", "0"), ("0.05", "0.002"), ("0.05", "0.02")],
    ),
}


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server is stopped
    for name in options.webs:
        web = WEBS[name]
        runs = _measured(web, ROOT / "build" / f"bench_politeness_{name}", options.runs)
        text = f"Machine: {this_machine()}.  Medians of {options.runs} runs.\n\n{_table(web, runs)}"
        print(text)
        if options.save:
            keep("politeness.md", web.mark, text)


def _measured(web: SharedWeb, folder: Path, times: int) -> dict[Case, list[dict[str, Any]]]:
    """The figures of so many crawls of each case, which take turns."""
    warc = folder / "web.warc.gz"
    if not warc.exists():
        print("inventing the web to crawl ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        make_web(warc, sites=web.sites, pages=web.pages, skew=0.0, seed=1, links=60.0, page_kb=22.0, gzip=True)
    arguments = _arguments(web, folder)
    runs: dict[Case, list[dict[str, Any]]] = {case: [] for case in web.cases}
    with served_by_nginx([warc], folder / "nginx", web.port, addresses=web.addresses):
        for number in range(times):
            for case, figures in runs.items():
                print(f"run {number + 1} of {times}: {case} ...", file=sys.stderr)
                ranks, assignment, delay, server_delay = case
                options = ["--ranks", str(ranks), "--assign", assignment, "--delay", delay]
                figures.append(measured_crawl([*options, "--server-delay", server_delay, *arguments]))
    return runs


def _arguments(web: SharedWeb, folder: Path) -> list[str]:
    """What tells a crawl where to begin, and at which address each site lies."""
    seeds, config = folder / "web.seeds.txt", folder / "crawl.toml"
    hosts = [url.split("/")[2] for url in seeds.read_text().split()]
    rules = [f"{host}::{web.addresses[number % len(web.addresses)]}:{web.port}" for number, host in enumerate(hosts)]
    config.write_text(f"connect_to = {rules!r}\n")
    return ["--seeds", str(seeds), "--config", str(config)]


def _table(web: SharedWeb, runs: dict[Case, list[dict[str, Any]]]) -> str:
    names = ("seconds", "cpu_ms", "stage_fetch", "stage_exchange", "packets")
    figures = {case: {name: median(run[name] for run in of_case) for name in names} for case, of_case in runs.items()}
    rows = []
    for (ranks, assignment, *delays), of in figures.items():
        without = figures[ranks, assignment, *web.delays[0]]
        cells = [str(ranks), assignment, *delays, f"{of['seconds']:.1f}", f"{of['cpu_ms']:.3f}"]
        cells += [f"{of['cpu_ms'] / without['cpu_ms']:.3f}"]
        rows.append([*cells, *(f"{of[name]:.3f}" for name in names[2:])])
    head = ["K", "assignment", "site delay s", "server delay s", "crawl s", "CPU ms/page", "ratio"]
    return table([*head, "of it fetch", "of it exchange", "packets/page"], rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each case (default 3)")
    parser.add_argument("--webs", nargs="+", choices=list(WEBS), default=list(WEBS), help="which webs (default both)")
    parser.add_argument("--save", action="store_true", help="keep the tables in docs/politeness.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""What it costs that ranks share sites: CPU and packets a page where all have URLs of the same few.

The web (20 sites, each on a loopback address of its own) is crawled by page hash, so that a site's pages lie on all
ranks.  A server delay below 20 ms is kept among ranks by short leases, a longer one by turns of several visits.  The
cases take turns, so that a slow spell of the machine hits all alike; figures are medians.

    python -m scripts.bench.contested_sites             print the table
    python -m scripts.bench.contested_sites --save      and keep it in docs/politeness.md
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from typing import Any

from scripts.bench.measured_crawl import measured_crawl
from scripts.bench.nginx_server import served_by_nginx
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.localweb.generate.make import make_web

SITES, PAGES = 20, 4_000
ADDRESSES = [f"127.0.3.{1 + number}" for number in range(SITES)]
PORT = 8385
RANKS = (1, 2, 4, 8)
DELAYS = (("0", "0"), ("0.005", "0.00001"), ("0.02", "0.02"))

Case = tuple[int, str, str]


def main() -> None:
    options = _options()
    folder = ROOT / "build" / "bench_contested"
    web = folder / "web.warc.gz"
    if not web.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_web(web, sites=SITES, pages=PAGES, skew=0.0, seed=1, links=60.0, page_kb=22.0, gzip=True)
    asked = _asked(folder)
    runs: dict[Case, list[dict[str, Any]]] = {(ranks, *delays): [] for ranks in RANKS for delays in DELAYS}
    with served_by_nginx([web], folder / "nginx", PORT, addresses=ADDRESSES):
        for number in range(options.runs):
            for case, figures in runs.items():
                print(f"run {number + 1} of {options.runs}: {case} ...", file=sys.stderr)
                figures.append(_run(case, asked))
    text = f"Machine: {this_machine()}.  Medians of {options.runs} runs.\n\n{_table(runs)}"
    print(text)
    if options.save:
        keep("politeness.md", "contested_sites", text)


def _asked(folder: Path) -> list[str]:
    """What tells a crawl where to begin, and at which address each site lies."""
    seeds, config = folder / "web.seeds.txt", folder / "crawl.toml"
    hosts = [url.split("/")[2] for url in seeds.read_text().split()]
    config.write_text(f"connect_to = {[f'{host}::{ip}:{PORT}' for host, ip in zip(hosts, ADDRESSES, strict=True)]!r}\n")
    return ["--seeds", str(seeds), "--config", str(config), "--assign", "page-hash"]


def _run(case: Case, asked: list[str]) -> dict[str, Any]:
    ranks, delay, server_delay = case
    return measured_crawl([*asked, "--ranks", str(ranks), "--delay", delay, "--server-delay", server_delay])


def _table(runs: dict[Case, list[dict[str, Any]]]) -> str:
    rows = []
    for case, figures in runs.items():
        of = {name: median(run[name] for run in figures) for name in ("seconds", "cpu_ms", "stage_fetch", "packets")}
        rows.append(
            [
                *map(str, case),
                f"{of['seconds']:.1f}",
                f"{of['cpu_ms']:.3f}",
                f"{of['stage_fetch']:.3f}",
                f"{of['packets']:.3f}",
            ]
        )
    head = ["K", "site delay s", "server delay s", "crawl s", "CPU ms/page", "of it fetch", "packets/page"]
    return table(head, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each case (default 3)")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/politeness.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()

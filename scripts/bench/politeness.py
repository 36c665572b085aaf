"""What politeness costs: CPU per page of a crawl with delays that never bind, over that of one without delays.

The web (2,000 sites of 10 pages each, as in scripts/bench/page_cost.py otherwise) lies on 500 loopback addresses, so
that no delay is waited for: the crawls take as long as each other.  It is served by nginx.  A server delay below 20 ms
is kept among ranks by short leases, a longer one by single visits: both are measured.  Runs with and without delays
take turns, so that a slow spell of the machine hits all alike; figures are medians.

    python -m scripts.bench.politeness             print the table
    python -m scripts.bench.politeness --save      and keep it in docs/politeness.md
"""

import argparse
import signal
import sys
from pathlib import Path
from statistics import median
from typing import Any

from scripts.bench.measured_crawl import measured_crawl
from scripts.bench.nginx_server import served_by_nginx
from scripts.shared.doc_tables import ROOT, keep, table
from sessions.localweb.generate.make import make_web

SITES, PAGES = 2_000, 20_000
WEB = {"sites": SITES, "pages": PAGES, "skew": 0.0, "seed": 1, "links": 60.0, "page_kb": 22.0, "gzip": True}
ADDRESSES = [f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(500)]
PORT = 8381
KINDS = [(1, "site-hash"), (4, "site-hash"), (4, "page-hash")]
DELAYS = [("0", "0"), ("0.05", "0.002"), ("0.05", "0.02")]

Kind = tuple[int, str, str, str]


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server is stopped
    folder = ROOT / "build" / "bench_politeness"
    web = folder / "web.warc.gz"
    if not web.exists():
        print("inventing the web to crawl ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        make_web(web, **WEB)  # type: ignore[arg-type]
    kinds = [(ranks, assignment, *delays) for ranks, assignment in KINDS for delays in DELAYS]
    runs: dict[Kind, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    arguments = _arguments(folder)
    with served_by_nginx([web], folder / "nginx", PORT, addresses=ADDRESSES):
        for number in range(options.runs):
            for kind in kinds:
                print(f"run {number + 1} of {options.runs}: {kind} ...", file=sys.stderr)
                runs[kind].append(_run(kind, arguments))
    text = _table({kind: _medians(of_kind) for kind, of_kind in runs.items()})
    print(text)
    if options.save:
        keep("politeness.md", "bench_politeness", text)


def _arguments(folder: Path) -> list[str]:
    """What tells a crawl where to begin, and at which address each site lies."""
    seeds = folder / "web.seeds.txt"
    hosts = [url.split("/")[2] for url in seeds.read_text().split()]
    rules = [f"{host}::{ADDRESSES[number % len(ADDRESSES)]}:{PORT}" for number, host in enumerate(hosts)]
    config = folder / "crawl.toml"
    config.write_text(f"connect_to = {rules!r}\n")
    return ["--seeds", str(seeds), "--config", str(config)]


def _run(kind: Kind, arguments: list[str]) -> dict[str, Any]:
    ranks, assignment, delay, server_delay = kind
    options = ["--ranks", str(ranks), "--assign", assignment, "--delay", delay, "--server-delay", server_delay]
    return measured_crawl([*options, *arguments])


def _medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    return {name: median(run[name] for run in runs) for name in runs[0]}


def _table(figures: dict[Kind, dict[str, float]]) -> str:
    head = ["K", "assignment", "site delay s", "server delay s", "crawl s", "CPU ms/page", "ratio", "exchange ms/page"]
    rows = []
    for (ranks, assignment, delay, server_delay), measured in figures.items():
        ratio = measured["cpu_ms"] / figures[ranks, assignment, *DELAYS[0]]["cpu_ms"]
        rows.append(
            [
                str(ranks),
                assignment,
                delay,
                server_delay,
                f"{measured['seconds']:.1f}",
                f"{measured['cpu_ms']:.3f}",
                f"{ratio:.3f}",
                f"{measured['stage_exchange']:.3f}",
            ]
        )
    return table(head, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each kind (default 3)")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/politeness.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()

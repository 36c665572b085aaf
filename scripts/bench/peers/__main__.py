"""Pages per CPU second of other crawlers and of this one: the same web, the same server, the same run.

Others reach the web through nginx as a forward proxy, this one straight; in turns, so that a slow spell of the machine
hits all alike.  CPU is of the whole process, its start included.  All crawl on one core at most but wget2, which has
threads.  Scrapy and aiohttp get environments of their own in build/peers, with the versions of requirements/*.txt;
wget and wget2 are skipped with a line where they are not installed.

    python -m scripts.bench.peers                   print the table
    python -m scripts.bench.peers --save            and keep it in docs/peers.md
    python -m scripts.bench.peers --pages 2000 --runs 1
"""

import argparse
import shutil
import sys
from pathlib import Path
from statistics import median
from typing import Any

from scripts.bench.measured_crawl import measured_crawl
from scripts.bench.nginx_server import served_by_nginx
from scripts.bench.peers.crawlers import CRAWLERS, Cost, Task, cost_of
from scripts.shared.doc_tables import keep, table
from scripts.shared.other_commit import named
from scripts.shared.this_machine import this_machine
from sessions.localweb.generate.make import make_web

ROOT = Path(__file__).resolve().parents[3]
PORT = 8381
CUTWEB = "Cutweb, one rank"
CUTWEB_LOOP = "the same, without its start and end"


def main() -> None:
    options = _options()
    if shutil.which("nginx") is None:
        sys.exit("scripts.bench.peers: nginx is not installed, and others need it as a proxy: apt install nginx-light")
    folder = ROOT / "build" / "peers"
    web = folder / f"peers-{options.pages}.warc.gz"
    if not web.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_web(web, sites=200, pages=options.pages, seed=1, links=60.0, page_kb=22.0, gzip=True)
    seeds = folder / f"peers-{options.pages}.seeds.txt"
    task = Task(seeds, f"http://127.0.0.1:{PORT}", folder)
    costs: dict[str, list[Cost]] = {}
    with served_by_nginx([web], folder / "nginx", PORT):
        for number in range(options.runs):
            print(f"run {number + 1} of {options.runs}: {CUTWEB} ...", file=sys.stderr)
            whole, loop = _our_costs(seeds)
            costs.setdefault(CUTWEB, []).append(whole)
            costs.setdefault(CUTWEB_LOOP, []).append(loop)
            for crawler in CRAWLERS:
                print(f"run {number + 1} of {options.runs}: {crawler.name} ...", file=sys.stderr)
                cost = cost_of(crawler, task)
                if cost is None:
                    print(f"{crawler.name} is not installed: left out", file=sys.stderr)
                else:
                    costs.setdefault(crawler.name, []).append(cost)
    crawlers = [_medians(name, of_one) for name, of_one in costs.items()]
    text = f"Machine: {this_machine()}.  Commit {named()}.  Medians of {options.runs} runs.\n\n{_table(crawlers)}"
    print(text)
    if options.save:
        keep("peers.md", "peers", text)


def _our_costs(seeds: Path) -> tuple[Cost, Cost]:
    """What a crawl by one rank costs: the whole process, and the rank's loop alone."""
    delays = ["--delay", "0", "--server-delay", "0"]
    figures = measured_crawl(["--seeds", str(seeds), *delays, "--connect-to", f"::127.0.0.1:{PORT}"])
    pages, seconds = figures["pages"], figures["seconds"]
    whole, loop = (Cost(pages, figures[kind] * pages / 1000, seconds) for kind in ("process_cpu_ms", "cpu_ms"))
    return whole, loop


def _medians(name: str, costs: list[Cost]) -> dict[str, Any]:
    lacks = {crawler.name: crawler.lacks for crawler in CRAWLERS}
    return {
        "name": name,
        "pages": median(cost.pages for cost in costs),
        "ms": median(1000 * cost.cpu / cost.pages for cost in costs),
        "pages_per_second": median(cost.pages / cost.seconds for cost in costs),
        "lacks": lacks.get(name, ""),
    }


def _table(crawlers: list[dict[str, Any]]) -> str:
    ours = crawlers[0]["ms"]
    head = [
        "crawler",
        "pages",
        "CPU ms/page",
        "pages per CPU second",
        "pages/s",
        "Cutweb's CPU against it",
        "does not do",
    ]
    rows = [
        [
            crawler["name"],
            f"{crawler['pages']:,.0f}",
            f"{crawler['ms']:.2f}",
            f"{1000 / crawler['ms']:,.0f}",
            f"{crawler['pages_per_second']:,.0f}",
            f"1 / {crawler['ms'] / ours:.1f}",
            crawler["lacks"],
        ]
        for crawler in crawlers
    ]
    return table(head, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000, help="pages of the web (default 20,000)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each crawler (default 3)")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/peers.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()

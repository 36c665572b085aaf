"""What memory a rank takes whose frontier grows by thousands of URLs a page (docs/scale.md).

    python -m scripts.irlbot.long_frontier                         two million URLs, a minute
    python -m scripts.irlbot.long_frontier --urls 50000000 --save  what docs/scale.md has; some GB of disk, half an hour

A server makes pages with nothing but links to pages that nobody has seen, on many hosts of many domains.  They are
really crawled, by one rank and without delays, once in each order, until so many URLs wait.  Told is the largest memory
that the rank had, beside the sum of the budgets that it was given.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_intdigest

from scripts.irlbot.frontier_section import rank_table
from scripts.irlbot.scale_json import keep_in_scale
from scripts.shared.page_server import PageServer
from scripts.shared.this_machine import this_machine
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.analysis.summary import summarise
from sessions.session import Session

LINKS = 2000
DOMAINS = 100_000
HOSTS = 3
BUDGETS = {
    "frontier": 64,
    "seen": 256,
    "sent": 16,
    "content": 16,
    "duplicate": 16,
    "budget": 64,
}
"""In MiB, by the option ``--...-memory``."""
_ORDERS = ("bfs", "budget")


def page(host: str, path: str) -> bytes | None:
    """A page with links to `LINKS` others, of which no two pages have the same."""
    if path == "/robots.txt":
        return None
    seed = xxh3_64_intdigest(f"{host}{path}".encode())
    links = []
    for number in range(LINKS):
        drawn = xxh3_64_intdigest(number.to_bytes(4, "little"), seed)
        domain, host_number = drawn % DOMAINS, (drawn >> 32) % HOSTS
        links.append(f"<a href=http://h{host_number}.domain-{domain}.example/a/path/{drawn:016x}.html>x</a>")
    return "".join(("<!doctype html><title>links</title>", *links)).encode()


def main() -> None:
    """Crawl, and print, and keep if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=2_000_000, help="URLs in the frontier (2 million)")
    parser.add_argument("--order", nargs="+", choices=_ORDERS, default=_ORDERS)
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json, write docs/scale.md")
    asked = parser.parse_args()
    rows = []
    with PageServer(page) as server:
        for order in asked.order:
            print(f"{order}: {asked.urls:,} URLs ...", file=sys.stderr, flush=True)
            rows.append(_crawled(order, asked.urls, server.port))
    figures = {"rows": rows, "links": LINKS, "domains": DOMAINS, "budgets": BUDGETS, "machine": this_machine()}
    print(rank_table(figures))
    if asked.save:
        keep_in_scale("rank", figures)


def _crawled(order: str, urls: int, port: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "session"
        cutweb = str(Path(sys.executable).parent / "cutweb")
        command = [cutweb, "crawl", "http://h0.domain-0.example/", "--out", str(out), "--order", order]
        command += ["--delay", "0", "--server-delay", "0", "--connect-to", f"::127.0.0.1:{port}"]
        command += ["--max-pages", str(-(-urls // LINKS)), "--no-store-bodies", *WITHOUT_RULES]
        for name, mebibytes in BUDGETS.items():
            command += [f"--{name}-memory", str(mebibytes)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        total = summarise(Session.open(out)).total
        kept = {name: total[name] for name in ("queued", "fetched", "seconds", "peak_rss")}
        return {"order": order, **kept, "cpu": sum(total["cpu"].values())}


if __name__ == "__main__":
    main()

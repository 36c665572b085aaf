"""Crawl many sites on few servers with several ranks, and let the servers' log judge the delays.

    .venv/bin/python scripts/judge_politeness.py --ranks 4 --delay 1 --server-delay 0.2 [--save]

The sites are invented, each on one of the loopback addresses; their pages are spread over the ranks by page hash, so
that every site is visited by every rank.  Printed: the smallest distance between the end of a request and the start of
the next to one site and to one server, over the delay asked for (must be at least 0.99), and the time of the crawl
over the least time that the delays force: the largest, over sites and servers, of (requests - 1) x delay.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from kept_tables import keep, table
from polite_web import PoliteWeb


def main() -> int:
    """Run one crawl and print the verdict; 1 if a delay was broken or the crawl took too long."""
    arguments = _arguments()
    with PoliteWeb(
        arguments.sites, arguments.addresses, arguments.pages, seed=arguments.seed, equal=arguments.equal
    ) as web:
        with tempfile.TemporaryDirectory() as folder:
            seconds = _crawl(web, arguments, Path(folder) / "session")
        requests = web.requests()
    return _judge(requests, arguments, seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--addresses", type=int, default=20)
    parser.add_argument("--pages", type=int, default=1500, help="over all sites, whose sizes differ")
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--server-delay", type=float, default=0.2)
    parser.add_argument("--equal", action="store_true", help="all sites have as many pages")
    parser.add_argument("--assign", default="page-hash")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/politeness.md")
    return parser.parse_args()


def _crawl(web: PoliteWeb, arguments: argparse.Namespace, out: Path) -> float:
    seeds = out.parent / "seeds.txt"
    seeds.write_text("".join(f"{url}\n" for url in web.seeds()))
    config = out.parent / "crawl.toml"
    config.write_text(f"connect_to = {web.connect_to()!r}\n")
    began = time.monotonic()
    command = [str(Path(sys.executable).parent / "cutweb"), "crawl", "--ranks", str(arguments.ranks)]
    command += ["--seeds", str(seeds), "--config", str(config), "--assign", arguments.assign, "--out", str(out)]
    command += ["--delay", str(arguments.delay), "--server-delay", str(arguments.server_delay)]
    subprocess.run(command, check=True)
    subprocess.run([command[0], "check", str(out)], check=False)
    return time.monotonic() - began


def _judge(requests: list[tuple[str, str, float, float]], arguments: argparse.Namespace, seconds: float) -> int:
    by_site, by_address = defaultdict(list), defaultdict(list)
    for site, address, began, ended in requests:
        by_site[site].append((began, ended))
        by_address[address].append((began, ended))
    worst_site = min(map(_closest, by_site.values())) / arguments.delay if arguments.delay else float("inf")
    worst_server = (
        min(map(_closest, by_address.values())) / arguments.server_delay if arguments.server_delay else float("inf")
    )
    least = max(
        max(len(visits) - 1 for visits in by_site.values()) * arguments.delay,
        max(len(visits) - 1 for visits in by_address.values()) * arguments.server_delay,
    )
    crawl = max(ended for *_, ended in requests) - min(began for _, _, began, _ in requests)
    print(f"requests: {len(requests):,} to {len(by_site)} sites on {len(by_address)} addresses, seed {arguments.seed}")
    print(f"closest two requests: {worst_site:.3f} x --delay (sites), {worst_server:.3f} x --server-delay (servers)")
    print(f"least time forced: {least:.2f} s; first request to last: {crawl:.2f} s = {crawl / least:.3f} x")
    print(f"with start, end and check of the session: {seconds:.2f} s")
    is_good = min(worst_site, worst_server) >= 0.99 and crawl <= 1.15 * least
    print("good" if is_good else "FELL SHORT")
    if arguments.save:
        head = ["ranks", "sites", "addresses", "requests", "site delay s", "server delay s"]
        head += ["closest, sites", "closest, servers", "least s", "crawl s", "ratio"]
        row = [arguments.ranks, len(by_site), len(by_address), f"{len(requests):,}"]
        row += [arguments.delay, arguments.server_delay, f"{worst_site:.3f} x", f"{worst_server:.3f} x"]
        row += [f"{least:.1f}", f"{crawl:.1f}", f"{crawl / least:.3f}"]
        keep("politeness.md", "judge_politeness", table(head, [[str(cell) for cell in row]]))
    return 0 if is_good else 1


def _closest(visits: list[tuple[float, float]]) -> float:
    """The least time from the end of a request to the start of the next."""
    visits.sort()
    return min((after[0] - before[1] for before, after in pairwise(visits)), default=float("inf"))


if __name__ == "__main__":
    sys.exit(main())

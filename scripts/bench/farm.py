"""A farm of any number of hosts on one server beside 25 sites on servers of their own: does it keep them waiting?

Two tables: the workbench under a clock that is made up, with a million URLs of the farm in front of all others, at 100
to a million hosts; and a real crawl of such a web on this machine, second by second as its server's log has it.

    python -m scripts.bench.farm                   print the tables
    python -m scripts.bench.farm --save            and keep them in docs/politeness.md
    python -m scripts.bench.farm --only crawl      one of them; --ranks, --seconds, --hosts, --domains for the crawl
"""

import argparse
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

from scripts.shared.doc_tables import keep, table
from scripts.shared.noting_server import NotingServer
from tests.crawler.support.farm import FarmRace

HOSTS = (100, 1_000, 10_000, 100_000, 1_000_000)
QUEUED = 1_000_000
OTHERS = 25
LINKS = 120
SITE_DELAY, SERVER_DELAY = 0.05, 0.01
_SIMULATED_SECONDS = 10
_ROBOTS = "/robots.txt"
_SIMULATED = ["hosts", "domains", "URLs queued", "others: visits/s", "longest wait s", "farm: visits/s"]
_SIMULATED += ["most sites held", "most URLs in FIFOs", "passing a URL, CPU µs", "a visit, CPU µs", "moves a URL"]
_CRAWLED = ["K", "hosts", "domains", "seconds", "requests to others", "requests to the farm", "longest pause of one s"]


def main() -> None:
    options = _options()
    if options.only != "crawl":
        cases = [(hosts, 1) for hosts in HOSTS] + [(100_000, 100_000)]
        with ProcessPoolExecutor(options.processes) as processes:
            text = table(_SIMULATED, processes.map(_simulated, *zip(*cases, strict=True)))
        print(text)
        if options.save:
            keep("politeness.md", "bench_farm", text)
    if options.only != "simulation":
        asked = [(1, 10_000, 1), (4, 10_000, 1), (1, 10_000, 10_000)] if options.save else []
        rows: list[list[str]] = []
        for ranks, hosts, domains in asked or [(options.ranks, options.hosts, options.domains)]:
            rows += _crawled(ranks, hosts, domains, options.seconds)
        text = table(_CRAWLED, rows)
        print(text)
        if options.save:
            keep("politeness.md", "farm_crawl", text)


def _simulated(hosts: int, domains: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        race = FarmRace(Path(folder), hosts, 2 * QUEUED, QUEUED, OTHERS, domains, LINKS, SITE_DELAY, SERVER_DELAY)
        bench, put, passing = race.desk.bench, race.desk.bench.supply.put, 0.0

        def timed_put(batch: object) -> None:
            nonlocal passing
            began = time.process_time()
            put(batch)  # type: ignore[arg-type]
            passing += time.process_time() - began

        bench.supply.put = timed_put  # type: ignore[method-assign,assignment]
        race.run(2.0)
        passed, before, began = len(bench.supply), race.visits_of_farm + race.visits_of_others, time.process_time()
        race.run(_SIMULATED_SECONDS - 2.0)
        seconds = time.process_time() - began
        visits = race.visits_of_farm + race.visits_of_others - before
        traffic = bench.backlogs.traffic
        race.close()
        return [
            f"{hosts:,}",
            f"{domains:,}",
            f"{QUEUED:,}",
            f"{race.visits_of_others / _SIMULATED_SECONDS:.0f}",
            f"{race.longest_wait:.3f}",
            f"{race.visits_of_farm / _SIMULATED_SECONDS:.0f}",
            f"{race.most_sites}",
            f"{race.most_waiting}",
            f"{1e6 * passing / passed:.1f}",
            f"{1e6 * seconds / visits:.0f}",
            f"{(traffic.urls_written + traffic.urls_read) / passed:.2f}",
        ]


class FarmWeb:
    """A server of ``hosts`` hosts of a farm at one address of this machine, and of other sites at others; its log."""

    def __init__(self, hosts: int, domains: int) -> None:
        self._hosts = hosts
        self._domains = domains
        self._server = NotingServer(self.answer)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    def arguments(self) -> list[str]:
        """The seeds, and where each site is, as ``cutweb crawl`` wants them."""
        port = self._server.port
        others = [f"www.other{number}.example" for number in range(OTHERS)]
        places = [f"{site}:80:127.0.2.{1 + number}:{port}" for number, site in enumerate(others)]
        seeds = [self._farm_url(0, 0), *(f"http://{site}/0" for site in others)]
        return [*seeds, *(f"--connect-to={place}" for place in [*places, f":80:127.0.1.1:{port}"])]

    @property
    def log(self) -> list[tuple[float, str]]:
        """When which site was asked for a page, in order."""
        requests = list(self._server.requests)
        return sorted((request.began, request.site) for request in requests if request.path != _ROBOTS)

    def answer(self, site: str, path: str) -> bytes | None:
        """A page: one of the farm leads to more of the farm, another to one more of its site."""
        if path == _ROBOTS:
            return None
        number = int(path[1:]) if path[1:].isdigit() else 0
        if ".farm" not in site:
            return f'<a href="/{number + 1}">next</a>'.encode()
        host = int(site[1:].partition(".")[0])
        first = (host + self._hosts * number) * LINKS + 1
        links = (self._farm_url(one % self._hosts, one // self._hosts) for one in range(first, first + LINKS))
        return "".join(f'<a href="{link}">more</a>' for link in links).encode()

    def _farm_url(self, host: int, number: int) -> str:
        return f"http://h{host}.farm{host % self._domains}.example/{number}"


def _crawled(ranks: int, hosts: int, domains: int, seconds: int) -> list[list[str]]:
    """A row for each quarter of a crawl."""
    with FarmWeb(hosts, domains) as web, tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "crawler", "crawl", *web.arguments(), "--ranks", str(ranks)]
        command += ["--out", f"{folder}/session", "--max-seconds", str(seconds), "--delay", str(SITE_DELAY)]
        command += ["--server-delay", str(SERVER_DELAY), "--no-store-bodies", "--scope", "all"]
        subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).resolve().parents[2])
        log = web.log
    began = log[0][0]
    rows = []
    for quarter in range(4):
        start, end = began + quarter * seconds / 4, began + (quarter + 1) * seconds / 4
        times: dict[str, list[float]] = {f"www.other{number}.example": [start] for number in range(OTHERS)}
        farm = 0
        for at, site in log:
            if start <= at < end:
                farm += site not in times
                times.get(site, []).append(at)
        pause = max(later - earlier for one in times.values() for earlier, later in pairwise([*one, end]))
        span = f"{quarter * seconds // 4} to {(quarter + 1) * seconds // 4}"
        others = sum(len(one) - 1 for one in times.values())
        rows.append([f"{ranks}", f"{hosts:,}", f"{domains:,}", span, f"{others:,}", f"{farm:,}", f"{pause:.2f}"])
    return rows


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="keep the tables in docs/politeness.md")
    parser.add_argument("--only", choices=["simulation", "crawl"])
    parser.add_argument("--processes", type=int, default=2, help="simulations at a time, each takes a GiB")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--hosts", type=int, default=10_000)
    parser.add_argument("--domains", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()

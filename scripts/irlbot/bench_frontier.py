"""What budgets cost the disk, BEAST beside the naive method; and what a frontier of many URLs takes in memory.

The first is a crawl made up: every page brings so many unseen URLs, each of any domain, and every domain has the same
budget, as in the paper's theorems.  The second adds URLs in batches, as links come, places and takes some meanwhile,
and takes more when all wait; each ordering in a process of its own.

    python -m scripts.irlbot.bench_frontier            print both, at sizes that take a minute or two
    python -m scripts.irlbot.bench_frontier --urls 50000000 --frontier-memory 64 --save
                                                       what docs/scale.md has; a quiet machine, half an hour
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, Protocol

import numpy as np

from crawler.feasibility.budget_disk_model import Crawl, beast_disk_rate, beast_queues, naive_disk_rate
from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.budget_functions import B0, MOST
from crawler.frontier.budgets.ring_placement import Budgets, Counts
from crawler.frontier.ordering import BreadthFirst
from crawler.frontier.url_files import FileTraffic
from crawler.urls.batch import UrlBatch
from scripts.irlbot.frontier_section import frontier_sections
from scripts.irlbot.naive_queues import TwoQueues
from scripts.irlbot.scale_json import keep_in_scale, renewed
from scripts.shared.doc_tables import ROOT
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory
from sessions.url import Hashes, url_hashes

_MIB = 1 << 20
_UNIQUE_URLS = 6.5
_TRAFFIC_DOMAINS, _TRAFFIC_MEMORY = 500, 512 << 10
_PAGES_AT_ONCE = 20
_LINKS_OF_A_SITE = 10
_TAKEN_MEANWHILE, _TAKEN_AT_LAST = 1 / 10, 1 / 20
_SCATTER = 381_966_011_250_107
"""What a URL's number is multiplied by, lest successive URLs be more alike than those of a web are."""
_SEED = 1


class Budgeted(Protocol):
    """What both methods of keeping budgets have."""

    queues: int
    traffic: FileTraffic

    def add(self, batch: UrlBatch) -> None: ...
    def place(self, budgets: Budgets) -> None: ...
    def take(self, count: int) -> UrlBatch: ...


def main() -> None:
    options = _options()
    if options.ordering:
        print(json.dumps(_filled(options.ordering, options)))
        return
    figures: dict[str, Any] = {}
    if options.passes:
        figures["traffic"] = _traffic(options.passes)
    if options.urls:
        names = ("urls", "domains", "batch", "frontier_memory")
        figures["memory"] = {
            **{name: getattr(options, name) for name in names},
            "text": _text(),
            "machine": this_machine(),
            "rows": [_in_a_process(ordering) for ordering in _ORDERINGS],
        }
    print(frontier_sections(figures))
    if options.save:
        keep_in_scale("beast", {**renewed().get("beast", {}), **figures})


def _traffic(most_passes: int) -> dict[str, Any]:
    """URLs read and written for a page after 1, 3, 7, 15, ... passes, by both methods."""
    one_pass = B0 * _TRAFFIC_DOMAINS
    pages = [((1 << number) - 1) * one_pass for number in range(1, (most_passes + 1).bit_length())]
    naive = _in_a_folder(TwoQueues, sorted({*pages, *(count - one_pass for count in pages)}))
    beast = _in_a_folder(partial(Beast, queues=1), pages)
    written = naive[pages[-1]][0].plus(beast[pages[-1]][0])
    crawl = Crawl(rate=1, url_bytes=1, unique_urls=_UNIQUE_URLS, budget=B0, domains=_TRAFFIC_DOMAINS)
    return {
        "domains": _TRAFFIC_DOMAINS,
        "budget": B0,
        "unique": _UNIQUE_URLS,
        "memory": _TRAFFIC_MEMORY,
        "text": _text(),
        "bytes_written": written.written,
        "urls_written": written.urls_written,
        "machine": this_machine(),
        "rows": [
            {
                "pages": count,
                "passes": count // one_pass,
                "naive": (_moved(naive[count][0]) - _moved(naive[count - one_pass][0])) / one_pass,
                "theorem_4": naive_disk_rate(crawl, count),
                "beast": _moved(beast[count][0]) / count,
                "theorem_5": beast_disk_rate(crawl, count),
                "queues": beast[count][1],
                "theorem_queues": beast_queues(crawl, count),
            }
            for count in pages
        ],
    }


def _moved(traffic: FileTraffic) -> int:
    return traffic.urls_read + traffic.urls_written


def _in_a_folder(method: Callable[[Path, int], Budgeted], until: list[int]) -> dict[int, tuple[FileTraffic, int]]:
    with tempfile.TemporaryDirectory(dir=_build()) as folder:
        return _crawled(method(Path(folder), _TRAFFIC_MEMORY), until)


def _crawled(method: Budgeted, until: list[int]) -> dict[int, tuple[FileTraffic, int]]:
    """What was read and written, and how many queues there were, when so many pages were fetched."""
    rng = np.random.default_rng(_SEED)
    made = pages = 0
    found = {}
    seeds = np.repeat(np.arange(_TRAFFIC_DOMAINS), B0)
    new = _made(rng.permutation(seeds), made)
    for limit in until:
        while pages < limit:
            method.add(new)
            made += len(new)
            method.place(_least)
            taken = len(method.take(min(_PAGES_AT_ONCE, limit - pages)))
            pages += taken
            links = round(_UNIQUE_URLS * pages) + len(seeds) - made
            new = _made(rng.integers(0, _TRAFFIC_DOMAINS, links), made)
        found[limit] = method.traffic, method.queues
    return found


def _in_a_process(ordering: str) -> dict[str, Any]:
    print(f"{ordering}: {' '.join(sys.argv[1:])}", file=sys.stderr)
    command = [sys.executable, "-m", "scripts.irlbot.bench_frontier", *sys.argv[1:], "--ordering", ordering]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def _filled(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Have an ordering hold so many URLs, and take some of them."""
    budget = round(options.frontier_memory * _MIB)
    seconds = dict.fromkeys(("add", "place", "take"), 0.0)
    counts = dict.fromkeys(seconds, 0)
    with tempfile.TemporaryDirectory(dir=_build()) as folder:
        ordering = _ORDERINGS[name](Path(folder), budget // 2)

        def took(what: str, count: int, began: float) -> None:
            seconds[what] += process_time() - began
            counts[what] += count

        def take(count: int) -> None:
            began = process_time()
            taken = len(ordering.take(count))
            took("take", taken, began)

        before = 0
        for batch in _links(options):
            before = before or peak_memory()
            began = process_time()
            ordering.add(batch)
            took("add", len(batch), began)
            if isinstance(ordering, Beast):
                began = process_time()
                ordering.staged_domains()
                ordering.place(_skewed)
                took("place", len(batch), began)
            take(round(_TAKEN_MEANWHILE * len(batch)))
        waiting = len(ordering)
        left = round(_TAKEN_AT_LAST * waiting)
        while left > 0:
            take(min(left, 4096))
            left -= 4096
        is_beast = isinstance(ordering, Beast)
        return {
            "ordering": name,
            "waiting": waiting,
            "peak": peak_memory(),
            "before": before,
            "budget": budget // 2,
            **{what: 1e6 * seconds[what] / max(1, counts[what]) for what in seconds},
            "queues": ordering.queues if is_beast else 1,
            "on_disk": sum(path.stat().st_size for path in Path(folder).iterdir()),
            "of_domains": ordering.domain_bytes if is_beast else 0,
        }


def _links(options: argparse.Namespace) -> Iterator[UrlBatch]:
    """Batches of links, until so many wait; a page links to some pages of a site, and large sites are linked more."""
    rng = np.random.default_rng(_SEED)
    left = round(options.urls / (1 - _TAKEN_MEANWHILE))
    made = 0
    while left > 0:
        sites = (options.domains * rng.random(options.batch // _LINKS_OF_A_SITE) ** 2).astype(np.int64)
        batch = _made(np.repeat(sites, _LINKS_OF_A_SITE), made)
        yield batch
        left -= len(batch)
        made += len(batch)


def _made(domains: Counts, first: int) -> UrlBatch:
    """A URL of each of these domains, numbered from ``first``; 59 bytes each, as in the paper."""
    urls = [
        f"http://www.domain{domain:08d}.example/page/{_SCATTER * number % 10**15:015d}.html"
        for number, domain in enumerate(domains.tolist(), first)
    ]
    zeros = np.zeros(len(urls), np.uint8)
    return UrlBatch(urls, url_hashes(urls), zeros.astype(np.uint16), zeros, zeros)


def _text() -> int:
    """Bytes of such a URL."""
    return len(_made(np.zeros(1, np.int64), 0).urls[0])


def _least(domains: Hashes) -> Counts:
    return np.full(len(domains), B0, np.int64)


def _skewed(domains: Hashes) -> Counts:
    """Budgets as of a web in which the number of referring domains has a long tail; some 70 in the mean."""
    evenly = (domains >> np.uint64(40)).astype(np.float64) / (1 << 24)
    return np.minimum(B0 / np.maximum(evenly, B0 / MOST), MOST).astype(np.int64)


_ORDERINGS = {"bfs": BreadthFirst, "budget": Beast}


def _build() -> Path:
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    return build


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", type=int, default=15, help="passes of the crawl on the disk (15); 0: none")
    parser.add_argument("--urls", type=int, default=2_000_000, help="URLs in the frontier (2 million); 0: none")
    parser.add_argument("--domains", type=int, default=100_000, help="of so many domains (100,000)")
    parser.add_argument("--batch", type=int, default=5_000, metavar="URLS", help="added at once (5,000)")
    parser.add_argument("--frontier-memory", type=float, default=64.0, metavar="MIB", help="as of a crawl (64)")
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json, write docs/scale.md")
    parser.add_argument("--ordering", choices=tuple(_ORDERINGS), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

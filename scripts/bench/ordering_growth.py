"""What an ordering costs a URL as its frontier grows beyond its memory, without a crawl around it.

A thousand URLs come at a time, a hundred are taken, and after each a superstep ends; then the half of what is left is
taken.  Each case has a process of its own, whose CPU seconds they are.

    python -m scripts.bench.ordering_growth            print the table
    python -m scripts.bench.ordering_growth --save     keep it in docs/ranking.md
"""

import argparse
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import process_time

import numpy as np

from crawler.frontier.ordering import Ordering, ordering_named
from crawler.urls.batch import UrlBatch
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.url import url_hashes

CASES = [
    *((order, urls, urls // 10) for order in ("bfs", "random", "backlink-page", "backlink") for urls in (10**5, 10**6)),
    ("backlink", 10**6, 10),
    ("backlink", 10**6, 10**9),
]
"""Order, URLs, and among how many sites they are drawn: with a thousand million nearly every URL is alone."""
MEMORY = 16 << 20
_ARRIVE, _TAKEN, _LINKED, _RERANK = 1000, 100, 300, 10


@dataclass
class Spent:
    """CPU seconds by what was done, and how many URLs were taken."""

    seconds: dict[str, float] = field(default_factory=lambda: {"add": 0.0, "take": 0.0, "settle": 0.0})
    taken: int = 0

    def on(self, what: str, work: Callable[[], object]) -> None:
        """Do something, and note how long it took."""
        began = process_time()
        work()
        self.seconds[what] += process_time() - began


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--save", action="store_true", help="write docs/ranking.md")
    is_saved = options.parse_args().save
    spawned = get_context("spawn")
    with ProcessPoolExecutor(1, spawned, max_tasks_per_child=1) as processes:
        rows = list(processes.map(_measured, *zip(*CASES, strict=True)))
    head = ["order", "URLs", "sites", "add, us a URL", "take, us a URL taken", "superstep, us a URL", "memory, MB"]
    text = f"{this_machine()}; {MEMORY >> 20} MiB for each ordering.\n\n{table(head, rows)}"
    print(text)
    if is_saved:
        keep("ranking.md", "growth", text)


def _measured(order: str, urls: int, sites: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        ordering = ordering_named(order, Path(folder) / "queue", MEMORY)
        _grow(ordering, 2 * _ARRIVE, sites, Spent())  # compiles
        before = getrusage(RUSAGE_SELF).ru_maxrss
        spent = Spent()
        _grow(ordering, urls, sites, spent)
        grown = (getrusage(RUSAGE_SELF).ru_maxrss - before) * 1024 / 1e6
    per = {"add": urls, "take": spent.taken, "settle": urls}
    costs = [f"{1e6 * spent.seconds[what] / per[what]:.1f}" for what in per]
    return [order, f"{urls:,}", f"{sites:,}", *costs, f"{grown:.0f}"]


def _grow(ordering: Ordering, urls: int, sites: int, spent: Spent) -> None:
    random = np.random.default_rng(1)
    for number, first in enumerate(range(0, urls, _ARRIVE)):
        drawn = random.integers(0, sites, _ARRIVE).tolist()
        batch = _batch([f"http://s{site}.example/some/path/{first + place}" for place, site in enumerate(drawn)])
        spent.on("add", lambda batch=batch: ordering.add(batch))  # type: ignore[misc]
        spent.on("settle", lambda batch=batch, number=number: _superstep(ordering, batch, number))  # type: ignore[misc]
        spent.on("take", lambda: _take(ordering, _TAKEN, spent))
    half = len(ordering) // 2
    while len(ordering) > half:
        spent.on("take", lambda: _take(ordering, _ARRIVE, spent))


def _superstep(ordering: Ordering, batch: UrlBatch, number: int) -> None:
    """Links to some of the URLs that came; every tenth superstep sites are ranked."""
    counted = ordering.back_links
    if counted is None:
        return
    if counted.is_counted_by_owner:
        counted.count(batch.hashes[:_LINKED], np.ones(_LINKED, np.uint32))
        counted.end_superstep()
    elif number % _RERANK == 0:
        wanted = counted.wanted()
        counted.rank(wanted, (wanted % np.uint64(1000)).astype(np.uint32))


def _take(ordering: Ordering, count: int, spent: Spent) -> None:
    if not ordering.current:
        ordering.move_on()
    spent.taken += len(ordering.take(count))


def _batch(urls: list[str]) -> UrlBatch:
    nothing = np.zeros(len(urls), np.uint8)
    return UrlBatch(urls, url_hashes(urls), nothing.astype(np.uint16), nothing, nothing)


if __name__ == "__main__":
    main()

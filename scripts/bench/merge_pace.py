"""How many pages a rank reads before, during and after merges of its URL-seen (docs/scale.md).

    python -m scripts.bench.merge_pace               2 and 20 million URLs seen, some five minutes of CPU
    python -m scripts.bench.merge_pace --save        and keep the figures in docs/scale.json, write docs/scale.md

A whole rank crawls a web that is made up as it is asked for, the same each time, after its URL-seen was given that many
URLs.  Time is CPU time of the process without what making pages takes, so that nothing else on the machine counts.
The first pages are left out: their sites are new, and each site's robots.txt is asked for.  Then, again and again, the
rank crawls until a merge is due, through that merge, and some pages more; then what waits is merged in one go, as it is
before an epoch closes.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.discovery import Discovery
from crawler.frontier.ordering import ordering_named
from crawler.launch.plan import plan
from crawler.monitoring.counters import Counters
from crawler.rank.assembly import Ground, frame_for, queued_in_memory
from crawler.rank.visiting_rank import live_discovery, visiting_rank
from scripts.bench.made_up_web import MadeUpWeb
from scripts.shared.doc_tables import ROOT
from scripts.shared.this_machine import this_machine
from sessions.writing.recorder import Recorder

_KEYS = [2_000_000, 20_000_000]
_KEYS_AT_ONCE = 1 << 17
_CONNECTIONS = 64
_WARM_PAGES = 4000
_PAGES_AFTER = 4000
_AGE = 1e8
"""Seconds that pass before the crawl begins: the first epochs of a crawl are as long as it is old, so one of these
closes at once, and no other while merges are measured."""


@dataclass
class Pace:
    """Pages read in so many CPU seconds; the longest time between two looks at the network."""

    pages: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def note(self, pages: int, seconds: float) -> None:
        """Add what came between two looks."""
        self.pages += pages
        self.seconds += seconds
        self.longest = max(self.longest, seconds)

    def figures(self) -> dict[str, float]:
        """These, by name."""
        return {"pages": self.pages, "seconds": self.seconds, "longest": self.longest}


class MergePaces:
    """The paces before, during and after the next merge of ``discovery``'s URL-seen.

    Pages that come after it, and after the one that follows was begun, count as none of these.
    """

    def __init__(self, discovery: Discovery) -> None:
        self.before, self.merging, self.after = Pace(), Pace(), Pace()
        self._discovery = discovery
        self._made = discovery.seen.merges
        self._has_ended = False

    @property
    def is_over(self) -> bool:
        """Has the merge ended, and have enough pages come after it, or was the next one begun?"""
        return self._has_ended and (self.after.pages >= _PAGES_AFTER or self._discovery.is_merging)

    def note(self, pages: int, seconds: float) -> None:
        """Add what came since the last look at the network."""
        is_merging, had_ended = self._discovery.is_merging, self._has_ended
        self._has_ended = self._discovery.seen.merges > self._made
        if not had_ended:
            (self.merging if is_merging or self._has_ended else self.before).note(pages, seconds)
        elif not is_merging:
            self.after.note(pages, seconds)

    def figures(self, in_one_go: float) -> dict[str, Any]:
        """The paces by name, and how many seconds the merge of what was found since took in one go."""
        paces = {"before": self.before, "merging": self.merging, "after": self.after}
        return {**{name: pace.figures() for name, pace in paces.items()}, "in_one_go": in_one_go}


class CrawlOfMergeBench:
    """A rank that crawls in ``folder``; URL-seen, in ``memory`` MiB, has ``keys`` URLs when it begins."""

    def __init__(self, keys: int, memory: int, folder: Path) -> None:
        crawl = plan(_options(memory, folder), 1)
        self._web = MadeUpWeb()
        recorder = Recorder(crawl.out, 0, crawl.run, store_bodies=False, epoch=1)
        scratch = folder / "scratch"
        scratch.mkdir()
        ground = Ground(MPI.COMM_SELF, crawl, self._web, recorder, scratch, Counters())
        ordering = ordering_named("bfs", scratch, queued_in_memory(crawl))
        frame = frame_for(ground, ordering, merges_in_pieces=True)
        self._discovery = live_discovery(frame, crawl.seeds)
        _fill(self._discovery, keys)
        self._discovery.seed(crawl.seeds, frame.seeding)
        self._rank = visiting_rank(frame, self._discovery)
        self._web.pass_time(_AGE)

    def warm_up(self) -> None:
        """Read the first pages, and merge what was found."""
        pace = Pace()
        self._web.watch(pace.note)
        while pace.pages < _WARM_PAGES:
            self._superstep()
        self._discovery.flush()

    def merged(self) -> dict[str, Any]:
        """Crawl through the next merge; its figures."""
        paces = MergePaces(self._discovery)
        self._web.watch(paces.note)
        while not paces.is_over:
            self._superstep()
        began = self._web.now()
        self._discovery.flush()
        return paces.figures(self._web.now() - began)

    def _superstep(self) -> None:
        _, verdict = self._rank.superstep()
        if verdict.closes_epoch:
            self._rank.close_epoch(is_last=False)
        if verdict.ending is not None:
            sys.exit(f"the crawl ended before its merges: {verdict.ending}")


def _options(memory: int, folder: Path) -> CrawlOptions:
    return CrawlOptions(
        urls=("http://s0.example/",),
        out=folder / "session",
        ranks=1,
        contact="https://crawler.example/",
        scope="all",
        delay=0.0,
        server_delay=0.0,
        connections=_CONNECTIONS,
        epoch_seconds=2 * _AGE,
        seen_memory=memory,
        store_bodies=False,
    )


def _fill(discovery: Discovery, keys: int) -> None:
    rng = np.random.default_rng(1)
    for start in range(0, keys, _KEYS_AT_ONCE):
        count = min(_KEYS_AT_ONCE, keys - start)
        hashes = rng.integers(0, 2**64, count, np.uint64)
        for _ in discovery.seen.note(hashes, np.zeros(count, np.uint16), np.zeros(count, np.uint8)):
            pass
    for _ in discovery.seen.merge():
        pass


def measured(keys: int, merges: int, memory: int, folder: Path) -> dict[str, Any]:
    """The figures of so many merges of a URL-seen that has ``keys`` URLs when the first begins."""
    crawl = CrawlOfMergeBench(keys, memory, folder)
    crawl.warm_up()
    return {"keys": keys, "merges": [crawl.merged() for _ in range(merges)]}


def main() -> None:
    """Measure, and print, and keep if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, nargs="+", default=_KEYS, help="URLs seen when the crawl begins")
    parser.add_argument("--merges", type=int, default=3, help="merges to be measured at each size (3)")
    parser.add_argument("--memory", type=int, default=16, metavar="MIB", help="memory of URL-seen (16)")
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json, write docs/scale.md")
    asked = parser.parse_args()
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    figures: dict[str, Any] = {"memory": asked.memory, "machine": this_machine(), "sizes": []}
    for keys in asked.keys:
        print(f"{keys:,} URLs seen ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=build) as folder:
            figures["sizes"].append(measured(keys, asked.merges, asked.memory, Path(folder)))
    from scripts.irlbot.merge_section import merge_section  # with libraries that a rank does not have
    from scripts.irlbot.scale_json import keep_in_scale

    print(merge_section(figures))
    if asked.save:
        keep_in_scale("merging", figures)


if __name__ == "__main__":
    main()

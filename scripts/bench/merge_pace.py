"""How many pages a rank reads while its URL-seen merges, beside those it reads before (docs/scale.md).

    python -m scripts.bench.merge_pace               20 million URLs seen, five minutes
    python -m scripts.bench.merge_pace --save        and keep the figures in docs/scale.json, write docs/scale.md

A whole rank crawls a web that is made up as it is asked for, after its URL-seen was given that many URLs.  The web's
clock is the CPU time of the process without what making pages takes, so that nothing else on the machine counts.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from mpi4py import MPI

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.discovery import Discovery
from crawler.frontier.ordering import ordering_named
from crawler.launch.plan import plan
from crawler.monitoring.counters import Counters
from crawler.network.prompt_web import PromptWeb
from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from crawler.rank.assembly import Ground, frame_for, queued_in_memory
from crawler.rank.live_rank import live_discovery, visiting_rank
from scripts.shared.doc_tables import ROOT
from scripts.shared.this_machine import this_machine
from sessions.url import url_hash
from sessions.writing.recorder import Recorder

_LINKS, _SITES = 60, 500
_KEYS_AT_ONCE = 1 << 17
_CONNECTIONS = 64
_HEAD = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html; charset=utf-8\r\n"]
_WORDS = b"<p>" + b"a page has words between its links, and these are some of them; " * 4


@dataclass
class Pace:
    """Pages read in so many CPU seconds; the longest time between two looks at the network."""

    pages: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def figures(self) -> dict[str, float]:
        """These, by name."""
        return {"pages": self.pages, "seconds": self.seconds, "longest": self.longest}


class MadeUpWeb(PromptWeb):
    """A web in which each page has some dozens of links, half of them to pages that nobody has linked to.

    ``respond`` makes what is answered; ``paces`` are those while ``discovery`` does not merge, and while it does, and
    ``in_one_go`` the merges that end between two looks at the network: where the crawl begins, or an epoch closes.
    """

    def __init__(self, respond: Callable[[Request], Response] | None = None) -> None:
        super().__init__()
        self._respond = respond or _response
        self.discovery: Discovery | None = None
        self.paces = {False: Pace(), True: Pace()}
        self.in_one_go = Pace()
        self.merges = 0
        self._merges_made = 0
        self._aside = 0.0
        self._found: list[Found] = []
        self._left_at: float | None = None
        self._was_merging = False
        self._read = 0

    def now(self) -> float:
        return process_time() - self._aside

    def look_up(self, lookup: Lookup) -> None:
        self._found.append(Found(lookup, (Endpoint("192.0.2.1", 80),), seconds=1e6))

    def wait(self, until: float) -> list[Response | Found]:
        began = process_time()
        self._note_pace(began - self._aside)
        found, self._found = self._found, []
        responses = [self._respond(request) for request in self.cancel()]
        self._read = sum(response.status == 200 for response in responses)
        self._aside += process_time() - began
        self._left_at = self.now()
        return [*found, *responses]

    def _note_pace(self, now: float) -> None:
        is_merging = self.discovery is not None and self.discovery.is_merging
        made = self.discovery.seen.merges if self.discovery is not None else 0
        is_in_one_go = made - self._merges_made > self._was_merging
        self._merges_made = made
        if self._left_at is not None:
            pace = self.in_one_go if is_in_one_go else self.paces[self._was_merging or is_merging]
            pace.pages += self._read
            pace.seconds += now - self._left_at
            pace.longest = max(pace.longest, now - self._left_at)
        self.merges += self._was_merging and not is_merging
        self._was_merging = is_merging


def _response(request: Request) -> Response:
    if request.url.endswith("/robots.txt"):
        return Response(request, 404, [b"HTTP/1.1 404 Not Found\r\n"])
    seed = url_hash(request.url)
    drawn = np.random.default_rng(seed).integers(0, 1 << 40, _LINKS)
    drawn[::2] %= 1 << 14
    links = b"".join(
        b'%s<a href="http://s%d.example/some/path/%d.html">x</a>' % (_WORDS, number % _SITES, number)
        for number in drawn.tolist()
    )
    return Response(request, 200, list(_HEAD), b"<!doctype html><title>page</title>" + links)


def measured(keys: int, merges: int, memory: int, folder: Path) -> dict[str, Any]:
    """Crawl until ``merges`` merges are over; URL-seen, in ``memory`` MiB, has ``keys`` URLs when the crawl begins."""
    seed = "http://s0.example/"
    asked = CrawlOptions(
        urls=(seed,),
        out=folder / "session",
        ranks=1,
        contact="https://crawler.example/",
        scope="all",
        delay=0.0,
        server_delay=0.0,
        connections=_CONNECTIONS,
        epoch_seconds=1e9,
        seen_memory=memory,
        store_bodies=False,
    )
    crawl = plan(asked, 1)
    web = MadeUpWeb()
    recorder = Recorder(crawl.out, 0, crawl.run, store_bodies=False, epoch=1)
    scratch = folder / "scratch"
    scratch.mkdir()
    ground = Ground(MPI.COMM_SELF, crawl, web, recorder, scratch, Counters())
    frame = frame_for(ground, ordering_named("bfs", scratch, queued_in_memory(crawl)))
    discovery = live_discovery(frame, crawl.seeds)
    _fill(discovery, keys)
    discovery.seed(crawl.seeds, frame.seeding)
    rank = visiting_rank(frame, discovery)
    web.discovery = discovery
    while web.merges < merges:
        _, verdict = rank.superstep()
        if verdict.closes_epoch:
            rank.close_epoch(is_last=False)
        if verdict.ending is not None:
            sys.exit(f"the crawl ended before that many merges: {verdict.ending}")
    paces = {"before": web.paces[False], "merging": web.paces[True], "closing": web.in_one_go}
    return {
        **{name: pace.figures() for name, pace in paces.items()},
        "keys": keys,
        "merges": web.merges,
        "memory": memory,
        "machine": this_machine(),
    }


def _fill(discovery: Discovery, keys: int) -> None:
    rng = np.random.default_rng(1)
    for start in range(0, keys, _KEYS_AT_ONCE):
        count = min(_KEYS_AT_ONCE, keys - start)
        hashes = rng.integers(0, 2**64, count, np.uint64)
        for _ in discovery.seen.note(hashes, np.zeros(count, np.uint16), np.zeros(count, np.uint8)):
            pass
    for _ in discovery.seen.merge():
        pass


def main() -> None:
    """Measure, and print, and keep if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=20_000_000, help="URLs seen when the crawl begins (20 million)")
    parser.add_argument("--merges", type=int, default=3, help="merges to be measured (3)")
    parser.add_argument("--memory", type=int, default=16, metavar="MIB", help="memory of URL-seen (16)")
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json, write docs/scale.md")
    asked = parser.parse_args()
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    print(f"{asked.keys:,} URLs seen ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=build) as folder:
        figures = measured(asked.keys, asked.merges, asked.memory, Path(folder))
    from scripts.irlbot.scale_json import keep_in_scale  # with libraries that a rank does not have
    from scripts.irlbot.structures_section import merge_section

    print(merge_section(figures))
    if asked.save:
        keep_in_scale("merging", figures)


if __name__ == "__main__":
    main()

"""How a rank's memory grows while it crawls: by pages and links, and by sites (docs/performance.md).

    python -m scripts.bench.crawl_memory                              100,000 pages, 20,000 sites; two minutes
    python -m scripts.bench.crawl_memory --pages 1000000 --sites 200000 --save
                                                                      what docs/performance.md has; half an hour

A whole rank crawls a web that answers at once, twice and each time in a process of its own: pages of ten links that
nobody has linked to before, on a thousand sites; and sites of one page each, with a robots.txt.  Every budget is small,
so that all are full soon.  What is its own is measured: libraries are shared by the ranks of a machine.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.verdict import Ending, Status
from crawler.launch.plan import plan
from crawler.network.web import Request, Response
from crawler.rank.crawl import run
from crawler.rank.live_rank import live_rank
from scripts.bench.made_up_web import MadeUpWeb
from scripts.shared.doc_tables import ROOT
from scripts.shared.memory_maps import memory_of
from sessions.url import url_hash

_BUDGET = 8.0
"""MiB, for each of the budgets below."""
_BUDGETS = ("frontier_memory", "seen_memory", "sent_memory", "content_memory", "duplicate_memory")
_SITE_MEMORY = 32.0
"""MiB, the least that there may be.  It fills with many sites only."""
_LINKS, _SITES = 10, 1000
_SAMPLES = 20
_MIB = 1 << 20
_HEAD = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html; charset=utf-8\r\n"]
_NOT_FOUND = [b"HTTP/1.1 404 Not Found\r\n"]
_TEXT_HEAD = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/plain\r\n"]
_RULES = "User-agent: *\nDisallow: /private/\nDisallow: /search\nAllow: /search/about\nDisallow: /{}\n"


def _page_of_new_links(request: Request) -> Response:
    if request.url.endswith("/robots.txt"):
        return Response(request, 404, list(_NOT_FOUND))
    return _page(request, "http://s{0}.example/some/path/{1}.html")


def _only_page_of_its_site(request: Request) -> Response:
    if request.url.endswith("/robots.txt"):
        return Response(request, 200, list(_TEXT_HEAD), _RULES.format(url_hash(request.url)).encode())
    return _page(request, "http://www.site-{2}.example/")


def _page(request: Request, link: str) -> Response:
    drawn = np.random.default_rng(url_hash(request.url)).integers(0, 1 << 40, _LINKS).tolist()
    links = "".join(f'<p>some words <a href="{link.format(n % _SITES, n, n % 10**7)}">x</a>' for n in drawn)
    return Response(request, 200, list(_HEAD), f"<!doctype html><title>{request.url}</title>{links}".encode())


WEBS: dict[str, tuple[str, Callable[[Request], Response]]] = {
    "pages": ("http://s0.example/", _page_of_new_links),
    "sites": ("http://www.site-0.example/", _only_page_of_its_site),
}


class _Samples:
    """Watches a crawl of so many pages, and notes the memory now and then."""

    def __init__(self, pages: int) -> None:
        self.taken: list[dict[str, float]] = [_sample(0)]
        self._every = pages / _SAMPLES

    def show(self, states: Sequence[Status], *, is_last: bool) -> None:
        pages = states[0].pages
        if is_last or pages >= self.taken[-1]["pages"] + self._every:
            self.taken.append(_sample(pages) | {"queued": states[0].queued})


def _sample(pages: int) -> dict[str, float]:
    gc.collect()
    held = memory_of()
    return {"pages": pages, "own": held["Own"] / _MIB, "resident": held["Rss"] / _MIB}


def _crawled(web: str, pages: int, folder: Path) -> dict[str, Any]:
    seed, respond = WEBS[web]
    asked = CrawlOptions(
        urls=(seed,),
        out=folder / "session",
        ranks=1,
        contact="https://crawler.example/",
        scope="all",
        delay=0.0,
        server_delay=0.0,
        max_pages=pages,
        site_memory=_SITE_MEMORY,
        **dict.fromkeys(_BUDGETS, _BUDGET),
    )
    samples = _Samples(pages)
    ending = run(MPI.COMM_SELF, plan(asked, 1), MadeUpWeb(respond), live_rank, [samples])
    if ending != Ending.MAX_PAGES:
        sys.exit(f"{web}: the crawl ended for another reason: {ending}")
    held = _BUDGET * len(_BUDGETS) + (_SITE_MEMORY if web == "sites" else 0.0)
    return {"web": web, "samples": samples.taken, "budgets": held}


def _in_a_process(web: str, pages: int) -> dict[str, Any]:
    print(f"{web}: {pages:,} pages ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "scripts.bench.crawl_memory", "--one", web, f"--{web}", str(pages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(done.returncode)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure, and print, and keep if that is wanted."""
    asked = _options()
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    if asked.one:
        with tempfile.TemporaryDirectory(dir=build) as folder:
            print(json.dumps(_crawled(asked.one, getattr(asked, asked.one), Path(folder))))
        return
    from scripts.bench.page_cost import render  # with libraries that a rank does not have
    from scripts.bench.page_cost_report import growth_table
    from scripts.shared.this_machine import this_machine

    crawls = [_in_a_process(web, getattr(asked, web)) for web in WEBS]
    figures = {"crawls": crawls, "links": _LINKS, "machine": this_machine()}
    print(growth_table(figures))
    if asked.save:
        file = ROOT / "docs" / "performance.json"
        kept = {**json.loads(file.read_text()), "growth": figures}
        file.write_text(json.dumps(kept, indent=1) + "\n")
        render(kept)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000, help="pages of new links (100,000)")
    parser.add_argument("--sites", type=int, default=20_000, help="sites of one page each (20,000)")
    parser.add_argument("--save", action="store_true", help="write docs/performance.json and docs/performance.md")
    parser.add_argument("--one", choices=tuple(WEBS), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

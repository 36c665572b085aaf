"""The loads that the guard weighs: small fixed pieces of what a rank does, through the doors that production code has.

A load is prepared once, run once unweighed, so that what is made at first use is made, and then weighed.  It says how
many units of work a run does; what is recorded is the weight of one unit.  All is fixed: no clock, no chance without a
seed, no network but the loopback.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.depth_limits import Limits
from crawler.discovery.url_seen import Seen
from crawler.launch.plan import plan
from crawler.monitoring.counters import Counters
from crawler.network.web import Request, Response
from crawler.pages.link_finder import LinkFinder
from crawler.pages.response_reader import read, references_in
from crawler.politeness.delays import Delays
from crawler.rank import crawl as crawl_module
from crawler.rank.assembly import Ground
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.batch_columns import BatchColumns
from crawler.urls.front_coding import decode, encode_all
from partition.assignment.assignment import assignment_named
from sessions.url import url_hashes
from sessions.writing.recorder import Recorder
from tests.crawler.politeness.support.simulation import Cluster, Plan, SimulatedSite
from tests.crawler.support.batches import bounds_of
from tests.crawler.support.fake_web import CONTACT, FakeWeb, page, robots_txt
from tests.crawler.support.single_rank_discovery import Found
from tests.guard import disk_loads
from tests.guard.fetch_loads import FETCHED, fetches
from tests.guard.packed_pages import HOST, LINKS, packed_page
from tests.guard.replay_load import PAGES, virtual_time

_SEED = 1
_PACKED_PAGES = 8
_URLS, _EXCHANGES = 1000, 4
_SEEN_BATCH, _SEEN_BATCHES = 4096, 3
_VISITS = 160
_SUPERSTEPS = 40
_FETCH_TURNS = 5
_DOCUMENT_LIMIT = 1 << 24


class Load(NamedTuple):
    """``run`` does ``units`` of what ``unit`` names; it may be called any number of times.

    It is weighed ``turns`` times, and the least counts: a rank that waits for a server wakes up more or less often.
    """

    unit: str
    units: int
    run: Callable[[], object]
    turns: int = 1


@contextmanager
def prepared(folder: Path) -> Iterator[dict[str, Load]]:
    """All loads by name, ready to run; what they keep on disk is in ``folder``."""
    with fetches(folder / "fetches") as (plain, secure):
        yield {
            "fetch": Load("page", FETCHED, plain, _FETCH_TURNS),
            "fetch over TLS": Load("page", FETCHED, secure, _FETCH_TURNS),
            "parse and links": _parse_and_links(),
            "send and receive": _send_and_receive(folder),
            "seen": _seen(folder),
            "merge in pieces": Load("URL", *disk_loads.merge_in_pieces(folder / "merges")),
            "budgets": Load("URL", *disk_loads.budgets(folder / "budgets")),
            "visit, leased": visits(ranks=1),
            "visit, handed over": visits(ranks=2),
            "empty superstep": _empty_supersteps(folder),
            "virtual time": Load("page", PAGES, virtual_time(folder / "replay")),
        }


def _parse_and_links() -> Load:
    """A page of 21 kB with 60 links: take gzip off, find its links, resolve them."""
    responses = [_response(number) for number in range(_PACKED_PAGES)]
    finder = LinkFinder()
    finder.load_compiled()

    def run() -> None:
        for response in responses:
            references = references_in(response, read(response, _DOCUMENT_LIMIT), finder)
            assert references is not None
            assert len(references.targets().flags) == LINKS

    return Load("page", _PACKED_PAGES, run)


def _response(number: int) -> Response:
    head = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html; charset=utf-8\r\n", b"Content-Encoding: gzip\r\n"]
    return Response(Request(f"http://{HOST}/s/{number}.html", None), 200, head, packed_page(number))


def _batch(urls: list[str]) -> UrlBatch:
    count = len(urls)
    zeros = np.zeros(count, np.uint8)
    return UrlBatch(urls, url_hashes(urls), np.full(count, 3, np.uint16), zeros, zeros)


def _urls(count: int, start: int = 0) -> list[str]:
    numbers = range(start, start + count)
    return sorted(f"http://www.site{number % 97}.example/folder{number % 13}/page-{number}.html" for number in numbers)


def _send_and_receive(folder: Path) -> Load:
    """A thousand URLs for four ranks: encoded, decoded, and known already to those who receive them."""
    assignment = assignment_named("page-hash", 1)
    rank = Found(folder / "receive", 0, assignment)
    batches = [_batch(_urls(_URLS // 4, start)) for start in range(0, _URLS, _URLS // 4)]

    def run() -> None:
        for _ in range(_EXCHANGES):
            payloads = encode_all(BatchColumns.of(joined(batches), bounds_of(batches)))
            rank.discovery.receive([decode(payload) for payload in payloads])

    return Load("1,000 URLs", _EXCHANGES, run)


def _seen(folder: Path) -> Load:
    """URL-seen in memory: two of three URLs are known."""
    known = [_batch(_urls(_SEEN_BATCH, start * _SEEN_BATCH)) for start in range(_SEEN_BATCHES)]
    made = 0

    def run() -> None:
        nonlocal made
        made += 1
        seen = Seen(folder / "seen", f"seen-{made}", 64 << 20, Limits(None, 20))
        for batch in known:
            for _ in seen.check_and_add(batch, 0):
                pass
        for batch in known * 2:
            assert seen.is_stale(batch.hashes, batch.depths, batch.hops).all()

    (folder / "seen").mkdir(parents=True, exist_ok=True)
    return Load("URL", 3 * _SEEN_BATCHES * _SEEN_BATCH, run)


def visits(ranks: int, count: int = _VISITS) -> Load:
    """Visits from the workbench to the answer, in a simulated cluster.

    With two ranks both have URLs of every site, so that nearly every visit is handed over; what the simulation itself
    costs is weighed, too, and stays the same.
    """
    sites = [SimulatedSite(f"s{number}.example", (f"192.0.2.{number % 4}",), 0.01) for number in range(8)]
    urls = [f"http://s{number % 8}.example/{number}" for number in range(count)]
    plan = Plan(
        sites,
        [(0.0, rank, urls[rank::ranks]) for rank in range(ranks)],
        ranks,
        Delays(delay=0.2, server_delay=0.05, factor=0.0, retry_wait=1.0),
        seed=_SEED,
    )

    def run() -> None:
        cluster = Cluster(plan)
        cluster.run()
        assert len(cluster.done) == count

    return Load("visit", count, run)


def _empty_supersteps(folder: Path) -> Load:
    """Supersteps of a whole rank, alone, in which nothing happens: its only page has to wait."""
    url = "http://a.example/"
    web = FakeWeb({url: page(), f"{url}robots.txt": robots_txt("User-agent: *\nCrawl-delay: 1e6\n")})
    out = folder / "superstep"
    asked = CrawlOptions(
        urls=(url,), out=out, ranks=1, contact=CONTACT, scope="all", max_crawl_delay=1e6, epoch_seconds=1e9
    )
    crawl_plan = plan(asked, 1)
    recorder = Recorder(out, 0, crawl_plan.run, store_bodies=True, epoch=1)
    scratch = folder / "superstep-scratch"
    scratch.mkdir()
    rank = crawl_module.live_rank(Ground(MPI.COMM_SELF, crawl_plan, web, recorder, scratch, Counters()))

    def run() -> None:
        for _ in range(_SUPERSTEPS):
            rank.superstep()

    return Load("superstep", _SUPERSTEPS, run)

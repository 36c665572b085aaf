"""What is put into each structure that grows with a crawl, and what it is asked, by `scripts.bench.structures`.

Each load has ``entries`` different URLs, or documents, in its structure in the end.  Only what the structure does is
measured: URLs are made outside of it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from mpi4py import MPI

from crawler.discovery.depth_limits import Limits
from crawler.discovery.sent_urls import SentUrls
from crawler.discovery.url_seen import Seen
from crawler.exchange.link_exchange import LinkExchange
from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.star import Star
from crawler.frontier.ordering import BreadthFirst, Ordering
from crawler.intake.duplicates.content_messages import ContentQuestion, Wanted
from crawler.intake.duplicates.content_seen import ContentSeen, Settled
from crawler.intake.duplicates.pending_pages import SPOOL_BYTES, SPOOL_BYTES_OF_A_DOCUMENT
from crawler.politeness.backlogs import Backlog, Backlogs
from crawler.politeness.entry import Entry
from crawler.urls.batch import UrlBatch
from scripts.irlbot.structures_section import PAGES_IN_SPOOL
from sessions.url import Hashes, url_hashes

MEMORY = 32 << 20
"""Bytes of memory that each structure is given; STAR has as much beside BEAST."""
DOMAINS, HOSTS = 100_000, 3
_BATCH = 4096
_LINKS_OF_A_PAGE = 50
_BATCHES_OF_A_SUPERSTEP = 48
_TAKEN = 20
"""Of what is put into a queue one part in so many is taken, so that it grows."""
_RANKS = 4
_QUEUES = 1000
_SCATTER = 0x9E3779B97F4A7C15


@dataclass
class Spent:
    """CPU seconds, and bytes that were read and written, by the structure alone."""

    cpu: float = 0.0
    read: int = 0
    written: int = 0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count what is done meanwhile."""
        read, written = _moved()
        began = process_time()
        yield
        self.cpu += process_time() - began
        read_by_now, written_by_now = _moved()
        self.read += read_by_now - read
        self.written += written_by_now - written


def _moved() -> tuple[int, int]:
    """Bytes that this process has asked the system to read and to write (Linux: proc(5), io)."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(lines[0].split()[1]), int(lines[1].split()[1])


def bfs(folder: Path, entries: int, spent: Spent) -> None:
    """The ordering that is one queue."""
    _fill(BreadthFirst(folder, MEMORY), entries, spent, lambda batch: None, lambda: None)


def budget(folder: Path, entries: int, spent: Spent) -> None:
    """BEAST, and STAR, which counts the links between domains and says the budgets at each superstep's end."""
    ordering = Beast(folder, MEMORY)
    star = Star(folder, ordering, "degree", MEMORY)
    exchange = LinkExchange(MPI.COMM_SELF)

    def links(batch: UrlBatch) -> None:
        domains = domain_hashes(batch.urls)
        star.links(np.repeat(domains[::_LINKS_OF_A_PAGE], _LINKS_OF_A_PAGE)[: len(domains)], domains)

    _fill(ordering, entries, spent, links, lambda: star.settle(exchange))


def _fill(
    ordering: Ordering,
    entries: int,
    spent: Spent,
    links: Callable[[UrlBatch], None],
    end_superstep: Callable[[], None],
) -> None:
    for number, batch in enumerate(_batches(entries)):
        with spent.measured():
            links(batch)
            ordering.add(batch)
            if not number % _BATCHES_OF_A_SUPERSTEP:
                end_superstep()
            if not ordering.current:
                ordering.move_on()
            ordering.take(len(batch) // _TAKEN)


def url_seen(folder: Path, entries: int, spent: Spent) -> None:
    """The URLs that a rank owns: each comes as new, and once again later."""
    seen = Seen(folder, "seen", MEMORY, Limits(None, 20))
    for batch in _twice(entries):
        with spent.measured():
            news = batch.where(~seen.is_stale(batch.hashes, batch.depths, batch.hops))
            for _ in seen.check_and_add(news, 0):
                pass
    with spent.measured():
        for _ in seen.merge():
            pass
    assert len(seen) == entries


def sent(folder: Path, entries: int, spent: Spent) -> None:
    """The URLs that others own: each comes as new, goes to its owner, and comes once again later."""
    urls = SentUrls(Seen(folder, "sent", MEMORY, Limits(None, 20)), _RANKS, folder)
    for number, batch in enumerate(_twice(entries)):
        with spent.measured():
            news = batch.where(~urls.seen.is_stale(batch.hashes, batch.depths, batch.hops))
            urls.send(news, (news.hashes % np.uint64(_RANKS)).astype(np.int32))
            if not number % _BATCHES_OF_A_SUPERSTEP:
                urls.outgoing()
    with spent.measured():
        urls.merge()
        while len(urls):
            urls.outgoing()


def content_seen(folder: Path, entries: int, spent: Spent) -> None:
    """The documents of pages: every other one has come before."""
    seen = ContentSeen(folder, MEMORY)
    exchange = LinkExchange(MPI.COMM_SELF)
    waiting = 0
    for batch in _twice(entries):
        questions = [
            ContentQuestion(key.to_bytes(8, "big") * 2 + bytes(4), bytes(20), key, url, 0.0)
            for key, url in zip(batch.hashes.tolist(), batch.urls, strict=True)
        ]
        with spent.measured():
            waiting += len(questions)
            room = max(SPOOL_BYTES, SPOOL_BYTES_OF_A_DOCUMENT * len(seen))
            wants = Wanted.ALL_NOW if waiting > PAGES_IN_SPOOL * room / SPOOL_BYTES else Wanted.ANSWERS
            waiting -= _taken(seen.ask(exchange, questions, wants=wants))
    with spent.measured():
        _taken(seen.ask(exchange, [], wants=Wanted.ALL_NOW))


def _taken(answers: Settled) -> int:
    """How many answers there are, once they are looped over."""
    return sum(1 for _ in answers)


def workbench(folder: Path, entries: int, spent: Spent) -> None:
    """What the workbench has no room for: parked, by site, and brought back in its turn."""
    backlogs = Backlogs(folder, MEMORY)
    queues = [Backlog(backlogs) for _ in range(_QUEUES)]
    turn = 0
    for batch in _batches(entries):
        rows = [Entry(url, url_hash, 0, 0) for url, url_hash in zip(batch.urls, batch.hashes.tolist(), strict=True)]
        with spent.measured():
            for row in rows:
                queues[row.hash % _QUEUES].push(row)
            backlogs.relieve()
            for _ in range(len(rows) // _TAKEN):
                turn = (turn + 1) % _QUEUES
                if len(queues[turn]):
                    queues[turn].pop()


LOADS: dict[str, Callable[[Path, int, Spent], None]] = {
    "bfs": bfs,
    "budget": budget,
    "workbench": workbench,
    "url-seen": url_seen,
    "sent": sent,
    "content-seen": content_seen,
}


def _batches(entries: int) -> Iterator[UrlBatch]:
    for start in range(0, entries, _BATCH):
        yield _urls(np.arange(start, min(start + _BATCH, entries), dtype=np.uint64))


def _twice(entries: int) -> Iterator[UrlBatch]:
    """Half a batch of new URLs, and half a batch of those before, each drawn as often as any other."""
    rng = np.random.default_rng(1)
    half = _BATCH // 2
    for start in range(0, entries, half):
        new = np.arange(start, min(start + half, entries), dtype=np.uint64)
        again = np.unique(rng.integers(0, max(start, 1), len(new)).astype(np.uint64))
        yield _urls(np.concatenate([new, again[again < start]]))


def _urls(numbers: Hashes) -> UrlBatch:
    """The URLs of these numbers; successive ones are no more alike than those of a page are."""
    drawn = (numbers + np.uint64(1)) * np.uint64(_SCATTER)
    sites = zip((drawn >> np.uint64(20)).tolist(), drawn.tolist(), strict=True)
    urls = [f"http://h{n % HOSTS}.domain-{site % DOMAINS}.example/a/path/{n:016x}.html" for site, n in sites]
    zeros = np.zeros(len(urls), np.uint8)
    return UrlBatch(urls, url_hashes(urls), zeros.astype(np.uint16), zeros, zeros)

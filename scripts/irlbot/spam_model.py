"""A crawl of a web with a spam farm by K ranks in one process: real budgets and queues, but neither HTTP nor time.

Each rank has the crawl's own ordering (`crawler.frontier.budgets.beast`), its STAR and its rule of letting sites in;
what is simpler than in a crawl is told here.  In a superstep each rank fetches so many pages, at each turn one of every
site that has some, as many as there are connections; no request fails, and nobody rests.  URLs that were found and
pairs of domains move at a superstep's end.  The same arguments give the same crawl.
"""

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, Thread
from typing import Any, NamedTuple

import numpy as np

from crawler.fetching.refill_policy import RefillPolicy, few_sites
from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.domain_hashes import domain_hash_of_site, domain_hashes
from crawler.frontier.budgets.star import Star
from crawler.frontier.ordering import BreadthFirst, Ordering
from crawler.urls.batch import UrlBatch
from partition.assignment.assignment import assignment_named
from scripts.irlbot.spam_web import SpamWeb, domain_numbered
from sessions.url import site_of, url_hashes

_CAPACITY = 1 << 14
_BATCH = 1024
_MEMORY = 16 << 20
_SITES = "site-hash"


class Load(NamedTuple):
    """How a model crawl is made: K, the order as in `spam_farm.Kind`, pages in all, and of one superstep of all ranks;
    the transfers at once of each rank."""

    ranks: int = 1
    order: str = "budget degree"
    pages: int = 6000
    superstep: int = 1000
    connections: int = 64


class Course(NamedTuple):
    """What came of it: pages of each legitimate domain, those of the farm, pairs of domains that link, supersteps."""

    fetched: list[int]
    in_farm: int
    pairs: set[tuple[str, str]]
    supersteps: int
    wire_bytes: int


class _Exchange:
    """One rank's end of an exchange between threads."""

    def __init__(self, rank: int, barrier: Barrier, table: list[list[Any]]) -> None:
        self.rank = rank
        self.ranks = len(table)
        self._barrier = barrier
        self._table = table

    def ask(self, questions: list[bytes], answer: Callable[[list[memoryview]], list[bytes]]) -> list[memoryview] | None:
        received = self._all_to_all(questions)
        is_asked = any(len(payload) for row in self._table for payload in row)
        self._barrier.wait()
        return self._all_to_all(answer(received)) if is_asked else None

    def _all_to_all(self, payloads: list[bytes]) -> list[memoryview]:
        self._table[self.rank] = list(payloads)
        self._barrier.wait()
        received = [memoryview(row[self.rank]) for row in self._table]
        self._barrier.wait()
        return received


class _Rank:
    """One rank: what it has found, what waits, and the sites that are being visited."""

    def __init__(self, number: int, load: Load, folder: Path, web: SpamWeb) -> None:
        self._load = load
        self._web = web
        order, _, budget = load.order.partition(" ")
        self.ordering: Ordering = Beast(folder, _MEMORY) if order == "budget" else BreadthFirst(folder, _MEMORY)
        seeds = domain_hashes(web.seeds)
        self.star: Star | None = None
        if isinstance(self.ordering, Beast):
            self.star = Star(folder, self.ordering, budget or "degree", _MEMORY, seeds=seeds)
        self._owner = assignment_named(_SITES, load.ranks)
        self._sites: dict[str, deque[str]] = {}
        self._waiting = 0
        self._let_in = RefillPolicy(self._sites_with_urls, few_sites(load.connections, load.ranks))
        self._seen: set[str] = set()
        self._turn: deque[str] = deque()
        self.found: list[dict[str, None]] = [{} for _ in range(load.ranks)]
        self.fetched: list[str] = []
        self.pairs: set[tuple[str, str]] = set()
        self._number = number

    def accept(self, urls: list[str]) -> None:
        """Queue URLs that are new here."""
        new = [url for url in dict.fromkeys(urls) if url not in self._seen]
        self._seen.update(new)
        if new:
            self.ordering.add(_batch_of(new))

    def fetch(self, pages: int) -> int:
        """Fetch up to so many pages, a turn of the sites at a time; how many it were."""
        done = 0
        while done < pages:
            self._hand_over()
            turn = [self._turn.popleft() for _ in range(min(len(self._turn), self._load.connections, pages - done))]
            if not turn:
                break
            for site in turn:
                self._visit(self._sites[site].popleft())
                self._waiting -= 1
                self._let_in.visited()
                if self._sites[site]:
                    self._turn.append(site)
                else:
                    del self._sites[site]
            done += len(turn)
        return done

    def settle(self, exchange: _Exchange) -> None:
        """The end of a superstep, but for URLs."""
        if self.star is not None:
            settle_star(self.star, exchange)

    def _hand_over(self) -> None:
        while self._waiting + _BATCH <= _CAPACITY:
            if self.ordering.current:
                self._put(self.ordering.take(_BATCH))
            elif self.ordering.ready and self._let_in.is_time:
                self.ordering.move_on()
            else:
                return

    def _put(self, batch: UrlBatch) -> None:
        self._let_in.came()
        for url in batch.urls:
            site = site_of(url)
            if site not in self._sites:
                self._sites[site] = deque()
                self._turn.append(site)
            self._sites[site].append(url)
        self._waiting += len(batch)

    def _sites_with_urls(self) -> int:
        return len(self._sites)

    def _visit(self, url: str) -> None:
        site = site_of(url)
        links = self._web.links(site, int(url.split("/", 3)[3] or "0", 16)) or []
        self.fetched.append(url)
        targets = list(dict.fromkeys(link for link in links if link != url))
        if not targets:
            return
        if self.star is not None:
            domains = domain_hashes(targets)
            self.star.links(np.full(len(targets), domain_hash_of_site(site), np.uint64), domains)
        self.pairs.update((_domain(site), _domain(site_of(target))) for target in targets)
        owners = self._owner.owners(url_hashes(targets), targets).tolist()
        mine = []
        for target, owner in zip(targets, owners, strict=True):
            if owner == self._number:
                mine.append(target)
            else:
                self.found[owner][target] = None
        self.accept(mine)


def settle_star(star: Star, exchange: _Exchange) -> None:
    """By a name of its own, so that what it costs can be measured."""
    star.settle(exchange)


def crawl_in_model(web: SpamWeb, load: Load) -> Course:
    """The course of a crawl."""
    with TemporaryDirectory() as folder:
        ranks = [_Rank(number, load, Path(folder) / str(number), web) for number in range(load.ranks)]
        owners = assignment_named(_SITES, load.ranks).owners(url_hashes(web.seeds), web.seeds).tolist()
        for rank in ranks:
            rank.accept([seed for seed, owner in zip(web.seeds, owners, strict=True) if owner == rank._number])
        supersteps = fetched = 0
        while fetched < load.pages:
            _settle(ranks)
            due = min(max(load.superstep // 10, fetched // 10), load.superstep, load.pages - fetched)
            shares = [(due * (number + 1)) // load.ranks - (due * number) // load.ranks for number in range(load.ranks)]
            came = sum(rank.fetch(share) for rank, share in zip(ranks, shares, strict=True))
            for receiver in ranks:
                for sender in ranks:
                    receiver.accept(list(sender.found[receiver._number]))
            for sender in ranks:
                sender.found = [{} for _ in ranks]
            fetched += came
            supersteps += 1
            if not came and not any(len(rank.ordering) for rank in ranks):
                break
        pages = Counter(domain_numbered(url) for rank in ranks for url in rank.fetched)
        pairs = set().union(*(rank.pairs for rank in ranks))
        wire = sum(rank.star.wire_bytes for rank in ranks if rank.star is not None)
        for rank in ranks:
            if rank.star is not None:
                rank.star.close()
    return Course([pages[domain] for domain in range(web.domains)], pages[-1], pairs, supersteps, wire)


def _settle(ranks: list[_Rank]) -> None:
    barrier = Barrier(len(ranks))
    table: list[list[Any]] = [[] for _ in ranks]
    threads = [
        Thread(target=rank.settle, args=(_Exchange(number, barrier, table),)) for number, rank in enumerate(ranks)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _domain(site: str) -> str:
    return ".".join(site.split(".")[-2:])


def _batch_of(urls: list[str]) -> UrlBatch:
    zeros = np.zeros(len(urls), np.uint8)
    return UrlBatch(urls, url_hashes(urls), zeros.astype(np.uint16), zeros, zeros)

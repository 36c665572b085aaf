"""Guarded loads of what a rank has on disk: URL-seen that merges in pieces, and a frontier with budgets."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from mpi4py import MPI

from crawler.discovery.depth_limits import Limits
from crawler.discovery.url_seen import Seen
from crawler.exchange.link_exchange import LinkExchange
from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.star import Star
from crawler.urls.batch import UrlBatch
from sessions.url import url_hashes

_SEED = 1
_BATCH, _MEMORY = 2048, 1 << 20
_KEYS, _BATCHES = 60_000, 8
_DOMAINS, _LINKS_OF_A_PAGE, _TAKEN = 500, 32, 4


def merge_in_pieces(folder: Path) -> tuple[int, Callable[[], object]]:
    """New URLs for a URL-seen on disk, which merges when it must, a piece at a time: how many, and do it."""
    batches = [_batch(number) for number in range(2 * _BATCHES)]
    known = np.random.default_rng(_SEED).integers(0, 2**64, _KEYS, np.uint64)
    folder.mkdir()

    def run() -> None:
        seen = Seen(folder, "seen", _MEMORY, Limits(None, 20), in_pieces=True)
        for _ in seen.note(known, np.zeros(_KEYS, np.uint16), np.zeros(_KEYS, np.uint8)):
            pass
        for _ in seen.merge():
            pass
        admitted = 0
        for batch in batches:
            admitted += sum(len(new.batch) for new in seen.check_and_add(batch, 0))
            while seen.is_merging:
                admitted += sum(len(new.batch) for new in seen.merge_on())
        assert admitted + seen.pending == 2 * _BATCHES * _BATCH

    return 2 * _BATCHES * _BATCH, run


def budgets(folder: Path) -> tuple[int, Callable[[], object]]:
    """URLs for BEAST, their links counted by STAR, some taken while they come and the rest at the end."""
    batches = [_batch(number) for number in range(_BATCHES)]
    exchange = LinkExchange(MPI.COMM_SELF)
    folder.mkdir()
    made = 0

    def run() -> None:
        nonlocal made
        made += 1
        here = folder / str(made)
        here.mkdir()
        ordering = Beast(here, _MEMORY)
        star = Star(here, ordering, "degree", _MEMORY)
        for batch in batches:
            domains = domain_hashes(batch.urls)
            star.links(np.repeat(domains[::_LINKS_OF_A_PAGE], _LINKS_OF_A_PAGE), domains)
            ordering.add(batch)
            star.settle(exchange)
            if not ordering.current:
                ordering.move_on()
            ordering.take(_BATCH // _TAKEN)
        assert 0 < sum(len(batch) for batch in ordering.drain()) < _BATCHES * _BATCH

    return _BATCHES * _BATCH, run


def _batch(number: int) -> UrlBatch:
    numbers = np.random.default_rng(_SEED + number).integers(0, 1 << 60, _BATCH).tolist()
    urls = [f"http://h{n % 3}.domain-{n % _DOMAINS}.example/a/path/{n:016x}.html" for n in numbers]
    zeros = np.zeros(_BATCH, np.uint8)
    return UrlBatch(urls, url_hashes(urls), zeros.astype(np.uint16), zeros, zeros)

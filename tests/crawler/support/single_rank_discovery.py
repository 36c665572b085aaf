"""One rank's `Discovery`, to test with: a real queue on disk, and a recorder in memory."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.discovery.admission import Admission, AdmissionSettings, UrlRules
from crawler.discovery.depth_limits import Limits
from crawler.discovery.discovery import LINKS_PER_BATCH, Discovery
from crawler.discovery.external_links import ExternalLinks
from crawler.discovery.scope import Scope
from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE
from crawler.frontier.ordering import BreadthFirst
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.urls.targets import listed
from partition.assignment.assignment import Assignment
from sessions.url import url_hash
from tests.crawler.support.discovery_of import discovery_of

ALL = Scope()
ADMITS_ALL = UrlRules(settings_from(CrawlOptions(), AdmissionSettings), (), 2026)
FAR = Limits(None, 20)
BUDGET = 1 << 20
PAGE = url_hash("http://page.example/")
"""A page whose links are found; no test has a link to it."""


class Remembering:
    """A recorder in memory."""

    def __init__(self) -> None:
        self.known: list[tuple[int, str]] = []
        self.found: list[tuple[int, int, int]] = []
        self.outcomes: list[tuple[int, str, str]] = []

    def urls(self, hashes: np.ndarray, urls: Sequence[str], depths: np.ndarray, hops: np.ndarray) -> None:
        self.known += zip(hashes.tolist(), urls, strict=True)

    def nearer(self, hashes: np.ndarray, depths: np.ndarray, hops: np.ndarray) -> None:
        """Nobody looks."""

    def links(self, sources: np.ndarray, targets: np.ndarray, flags: np.ndarray) -> None:
        self.found += zip(sources.tolist(), targets.tolist(), flags.tolist(), strict=True)

    def outcome(self, url_hash: int, state: str, reason: str) -> None:
        self.outcomes.append((url_hash, state, reason))


class Found:
    """A rank's `Discovery` with what is around it."""

    def __init__(
        self,
        folder: Path,
        rank: int,
        assignment: Assignment,
        *,
        scope: Scope = ALL,
        admission: Admission = ADMITS_ALL,
        limits: Limits = FAR,
        budget: int = BUDGET,
        honours_nofollow: bool = False,
        links_per_batch: int = LINKS_PER_BATCH,
        mode: str = EXCHANGE,
        external: ExternalLinks | None = None,
        merges_in_pieces: bool = False,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.ordering = BreadthFirst(folder / f"rank-{rank}", 8)
        self.later = BreadthFirst(folder / f"later-{rank}", 8) if mode == CROSS_OVER else None
        self.recorder = Remembering()
        self.counters = Counters()
        self.clock = StageClock()
        self.discovery = discovery_of(
            rank,
            assignment,
            scope=scope,
            admission=admission,
            limits=limits,
            ordering=self.ordering,
            recorder=self.recorder,
            folder=folder / f"known-{rank}",
            budget=budget,
            counters=self.counters,
            clock=self.clock,
            honours_nofollow=honours_nofollow,
            links_per_batch=links_per_batch,
            mode=mode,
            later=self.later,
            external=external,
            merges_in_pieces=merges_in_pieces,
        )

    def find(self, urls: Sequence[str], *, depth: int = 1, hops: int = 0, source: int = PAGE) -> None:
        """A page's links, decided on at once."""
        self.discovery.links_of(source, depth, listed(list(urls), [0] * len(urls)), hops=hops)
        self.discovery.settle()

    def queued(self) -> list[str]:
        """Take all that is queued."""
        return self.ordering.take(len(self.ordering)).urls

    @property
    def pending(self) -> int:
        """URLs that wait for a merge."""
        return self.discovery.seen.pending + self.discovery._sent.seen.pending

    def way_to(self, url: str) -> tuple[int, int]:
        """The shortest way to a URL that was seen."""
        return way_to(self.discovery, url)


def way_to(discovery: Discovery, url: str) -> tuple[int, int]:
    """The shortest way to a URL that this rank has seen as its own."""
    for hashes, ways in discovery.seen.all():
        (places,) = np.nonzero(hashes == np.uint64(url_hash(url)))
        if len(places):
            return int(ways["depth"][places[0]]), int(ways["hops"][places[0]])
    raise AssertionError(f"{url} was never seen")


def is_seen(discovery: Discovery, url: str) -> bool:
    """Has this rank seen a URL as its own?"""
    return any(np.uint64(url_hash(url)) in hashes for hashes, _ in discovery.seen.all())

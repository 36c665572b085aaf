"""What rules would hit in a session: the sites, URLs and pages of which each rule decides something."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from crawler.site_rules.rule_book import NOTHING, RuleBook, Ruling
from crawler.site_rules.rule_file import SiteRule
from sessions.hash_arrays import are_among, hashes_of
from sessions.session import Session
from sessions.url import Hashes, site_of


@dataclass(slots=True)
class RuleHits:
    """What a ``rule`` decides something of, since no more specific rule gives all of its keys, too.

    ``urls`` are those discovered, ``queued`` those of them that are neither fetched nor given up, ``bytes`` those of
    the pages' bodies.
    """

    rule: SiteRule
    sites: int = 0
    urls: int = 0
    queued: int = 0
    pages: int = 0
    bytes: int = 0


def hits_of(session: Session, rules: Sequence[SiteRule]) -> list[RuleHits]:
    """What each of the rules would hit.

    Where rules are on networks, a site is where its last page came from, and one without a page nowhere.  In memory
    are 8 bytes for each page and outcome, and what rules say of each site that they are about.
    """
    reading = _Reading(RuleBook(rules), {rule.target: RuleHits(rule) for rule in rules})
    if reading.book.has_networks:
        for batch in session.batches("pages", ["site", "ip"]):
            reading.addresses.update(zip(*(batch[name].to_pylist() for name in ("site", "ip")), strict=True))
    for batch in session.batches("pages", ["url", "bytes"]):
        reading.pages(batch)
    settled = _settled(session)
    for batch in session.batches("urls", ["hash", "url"]):
        reading.urls(batch, settled)
    return [reading.hits[rule.target] for rule in rules]


def _settled(session: Session) -> Hashes:
    tables = (session.batches(table, ["hash"]) for table in ("pages", "outcomes"))
    parts = [hashes_of(pa.Table.from_batches([batch]), "hash") for batches in tables for batch in batches]
    return np.sort(np.concatenate(parts)) if parts else np.empty(0, np.uint64)


class _Reading:
    """What has been counted so far; ``addresses`` are by site, None where that is not known."""

    def __init__(self, book: RuleBook, hits: dict[object, RuleHits]) -> None:
        self.book = book
        self.hits = hits
        self.addresses: dict[str, str | None] = {}
        self._rulings: dict[str, Ruling] = {}
        self._seen: set[tuple[str, object]] = set()

    def pages(self, batch: pa.RecordBatch) -> None:
        """Count pages."""
        for url, received in zip(batch["url"].to_pylist(), batch["bytes"].to_pylist(), strict=True):
            for hit in self._deciding(url):
                hit.pages += 1
                hit.bytes += received

    def urls(self, batch: pa.RecordBatch, settled: Hashes) -> None:
        """Count URLs, and sites as they come up."""
        is_queued = ~are_among(batch["hash"].to_numpy(), settled)
        urls = batch["url"].to_pylist()
        for url, queued in zip(urls, is_queued.tolist(), strict=True):
            for hit in self._deciding(url):
                hit.urls += 1
                hit.queued += queued
                if (place := (site_of(url), hit.rule.target)) not in self._seen:
                    self._seen.add(place)
                    hit.sites += 1

    def _deciding(self, url: str) -> Iterator[RuleHits]:
        """The rules that decide something of a URL."""
        site = site_of(url)
        ruling = self._rulings.get(site)
        if ruling is None:
            ruling = self.book.of(site, self.addresses.get(site) or "")
            if ruling is not NOTHING:
                self._rulings[site] = ruling
        if ruling is not NOTHING:
            for target in Counter(rule.target for rule in ruling.at(url).rules.values()):
                yield self.hits[target]

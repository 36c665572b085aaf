"""Builds small sessions the way a crawl does, counting what it hands over as a rank does."""

import gzip
import zlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np

from sessions.schema import EMBEDDED, EXCHANGES, FAILED, FILTERED, NOFOLLOW, REDIRECT, Page, RestRow, RobotsRow
from sessions.session import Session
from sessions.storage.stored_head import protocol_of, stored_head
from sessions.storage.warc import Exchange, Revisit
from sessions.url import site_of, url_hash, url_hashes
from sessions.writing.commit import claim, commit, fence_and_take_over
from sessions.writing.recorder import Recorder
from sessions.writing.truncate import truncate_to_commit

RUN = "20260102T030405-abcdef"
START = 1767323045.25
_SENT = ("sent_urls", "sent_numbers", "sent_bytes", "wire_bytes", "messages")
BIG_BODY = bytes(range(256)) * 300
"""76,800 bytes: more than one stored block of a gzip member takes."""


class Rank:
    """One rank of a made-up crawl: hands rows to its Recorder and keeps the report's counters.

    ``epoch`` is the first that it closes, ``superstep`` how many there were before.
    """

    def __init__(
        self,
        path: Path,
        rank: int,
        ranks: int,
        store_bodies: bool = True,
        *,
        run: str = RUN,
        epoch: int = 1,
        superstep: int = 0,
    ) -> None:
        self.rank = rank
        self.recorder = Recorder(path, rank, run, store_bodies=store_bodies, epoch=epoch)
        self.queue: dict[str, str] = {}
        self._run = run
        self._superstep = superstep
        self._left: Counter[str] = Counter()
        self._clock = START
        self._counts = Counter({"fetched": 0, "failed": 0, "filtered": 0, "discovered": 0})
        self._reasons: dict[str, Counter[str]] = {FAILED: Counter(), FILTERED: Counter()}
        self._statuses: Counter[str] = Counter()
        self._sent = dict.fromkeys(_SENT, 0)
        self._messages: Counter[int] = Counter()
        self._outside = 0

    def leave_scope(self) -> None:
        """Find links out of scope."""
        self._outside += len(OUTSIDE)
        self.recorder.external_sites(["a.example"] * len(OUTSIDE), map(site_of, OUTSIDE))
        sources, flags = np.full(len(OUTSIDE), url_hash(HOME), np.uint64), np.zeros(len(OUTSIDE), np.uint8)
        self.recorder.external_urls(sources, OUTSIDE, flags)

    def discover(self, urls: Sequence[str]) -> None:
        depths, hops = np.ones(len(urls), np.uint16), np.zeros(len(urls), np.uint8)
        self.recorder.urls(url_hashes(urls), urls, depths, hops)
        self.queue |= dict.fromkeys(urls, "max-pages")
        self._counts["discovered"] += len(urls)

    def take_back(self, urls: Sequence[str]) -> None:
        """Queue URLs that an earlier run discovered."""
        self.queue |= dict.fromkeys(urls, "max-pages")

    def find_nearer(self, urls: Sequence[str], depth: int = 0) -> None:
        """Note that URLs that were discovered with depth 1 are nearer."""
        self.recorder.nearer(url_hashes(urls), np.full(len(urls), depth, np.uint16), np.zeros(len(urls), np.uint8))

    def refer(self, source: int, target: int) -> None:
        """Note that one domain, by hash, links to another."""
        self.recorder.referrals(np.array([source], np.uint64), np.array([target], np.uint64))

    def rest(self, site: str, seconds: float, failures: int) -> None:
        """Note that a site has failed so often in a row, and is to rest."""
        self.recorder.rest(RestRow(site, datetime.fromtimestamp(self._clock, UTC), seconds, failures))

    def send(self, to: int, urls: Sequence[str]) -> None:
        amounts = [len(urls), len(urls) // 4, sum(map(len, urls)), 8 * len(urls)]
        for name, amount in zip(_SENT, [*amounts, 1], strict=True):
            self._sent[name] += amount
        row = [self._superstep + self._messages[to], self.rank, to, *amounts]
        self.recorder.exchanges(
            [np.array([value], field.type.to_pandas_dtype()) for value, field in zip(row, EXCHANGES, strict=True)]
        )
        self._messages[to] += 1

    def settle(self, url: str, state: str, reason: str) -> None:
        self.queue.pop(url)
        self.recorder.outcome(url_hash(url), state, reason)
        self._counts[state] += 1
        self._reasons[state][reason] += 1

    def fetch(
        self,
        url: str,
        body: bytes = b"",
        *,
        content: bytes | None = None,
        lines: Sequence[bytes] = (),
        status_line: bytes = b"HTTP/1.1 200 OK",
        links: Sequence[tuple[str, int]] = (),
        truncated: str = "",
        is_kept: bool = True,
        revisit: Revisit | None = None,
        **facts: Any,
    ) -> None:
        """Record a page whose stored body is ``body`` and decoded body ``content`` (the same, if None)."""
        self.queue.pop(url)
        self._clock += 0.5
        content = body if content is None else content
        head = [line + b"\r\n" for line in (status_line, *lines)]
        exchange = Exchange(
            url,
            self._clock,
            stored_head(head, len(body)),
            body,
            b"GET / HTTP/1.1\r\nHost: " + site_of(url).encode() + b"\r\n\r\n",
            "192.0.2.1",
            truncated,
            protocol_of(head),
            revisit=revisit,
        )
        place = self.recorder.store(self.recorder.prepare(exchange)) if is_kept else None
        page = Page(
            url=url,
            hash=url_hash(url),
            site=site_of(url),
            status=int(status_line.split()[1]),
            bytes=len(body),
            decoded_bytes=len(content),
            content_type="text/html",
            content_encoding=None,
            content_digest=sha1(content).digest(),
            etag='"1"',
            last_modified=None,
            fetched=datetime.fromtimestamp(self._clock, UTC),
            milliseconds=12.5,
            depth=1,
            hops=0,
            ip="192.0.2.1",
            truncated=truncated or None,
            simhash=None,
            rank=self.rank,
            superstep=1,
            run=self._run,
            warc_file=place.file if place else None,
            warc_offset=place.offset if place else None,
            error=None,
            redirect=None,
            noindex=False,
            nofollow=False,
        )
        self.recorder.page(page._replace(**facts))
        targets = url_hashes([target for target, _ in links])
        sources = np.full(len(links), url_hash(url), dtype=np.uint64)
        self.recorder.links(sources, targets, np.array([flags for _, flags in links], dtype=np.uint8))
        self._counts += Counter(fetched=1, links=len(links), bytes=len(body), decoded_bytes=len(content))
        self._counts += Counter(duplicates="duplicate_of" in facts, unchanged="unchanged_since" in facts)
        self._statuses[str(page.status)] += 1

    def ask_robots(self, origin: str, **facts: Any) -> None:
        """Record an answer to the question for an origin's robots.txt."""
        self._clock += 0.5
        row = RobotsRow(
            origin=origin,
            url=f"{origin}/robots.txt",
            status=200,
            error=None,
            ip="192.0.2.1",
            fetched=datetime.fromtimestamp(self._clock, UTC),
            bytes=120,
            crawl_delay=2.5,
            sitemaps=[f"{origin}/sitemap.xml", f"{origin}/sitemap.xml.gz"],
            rank=self.rank,
        )
        self.recorder.robots(row._replace(**facts))

    def save_frontier(self) -> None:
        hashes = url_hashes(list(self.queue))
        depths, hops = np.ones(len(hashes), np.uint16), np.zeros(len(hashes), np.uint8)
        self.recorder.frontier(hashes, depths, hops, list(self.queue.values()))
        self._left = Counter(self.queue.values())

    def report(self) -> dict[str, Any]:
        counts = ("discovered", "fetched", "failed", "filtered", "links", "bytes", "decoded_bytes")
        counts += ("duplicates", "near_duplicates", "unchanged")
        return {
            **{name: self._counts[name] for name in counts},
            "queued": 2 * self._counts["discovered"] - sum(self._counts[name] for name in counts[:4]),
            "reasons": {**self._reasons, "queued": self._left},
            "statuses": self._statuses,
            "links_out_of_scope": self._outside,
            "links_nofollow": 1,
            "links_over_limit": 0,
            "robots_fetched": 1,
            "errors": {"timeout": 2},
            **self._sent,
            "resent": 0,
            "supersteps": self._superstep + 2,
            "seconds": 4.0,
            "cpu": {"fetch": 0.5, "parse": 0.25, "other": 0.125},
            "peak_rss": 100 << 20,
        }


class Crawl:
    """A made-up crawl: give its ranks things to record, then `commit` epochs, the last one with a reason to end.

    If it ``merges``, small files of earlier epochs are merged when one is committed.
    """

    merges = False

    def __init__(
        self,
        path: Path,
        ranks: int = 2,
        assignment: str = "page-hash",
        *,
        store_bodies: bool = True,
        honour_nofollow: bool = False,
        mode: str = "exchange",
    ) -> None:
        self.path = path
        asked = {"seeds": [HOME], "honour_nofollow": honour_nofollow, "mode": mode, "external": "all"}
        self.header = claim(path, run=RUN, ranks=ranks, assignment=assignment, configuration=asked, seeds=[HOME])
        self.ranks = [Rank(path, rank, ranks, store_bodies) for rank in range(ranks)]
        self._superstep = 0

    def end(self, reason: str) -> None:
        """End as a crawl does: with an epoch, and then another for the last words."""
        self.commit()
        self._superstep -= 2
        self.commit(reason)

    def commit(self, end: str | None = None) -> None:
        """Close an epoch on every rank; ``end`` is the reason why the crawl ends, if it does."""
        self._superstep += 2
        for rank in self.ranks:
            rank.recorder.remove_replaced()
            if end:
                rank.save_frontier()
        merges = self.merges and end is None
        closed = [rank.recorder.close_epoch(merges=merges) | {"report": rank.report()} for rank in self.ranks]
        commit(self.path, self.header, self._superstep, closed, {"reason": end, "seconds": 4.0} if end else None)

    def close(self) -> None:
        for rank in self.ranks:
            rank.recorder.close()


class GoingOn(Crawl):
    """Another run, which takes a session over."""

    def __init__(self, path: Path, run: str, ranks: int = 2, assignment: str = "page-hash") -> None:
        before = Session.open(path)
        asked = before.header["configuration"]
        self.path = path
        self.header = fence_and_take_over(before, run=run, ranks=ranks, assignment=assignment, configuration=asked)
        session = Session.open(path)
        truncate_to_commit(session)
        self._superstep = session.superstep
        epoch = self.header["epochs"] + 1
        self.ranks = [
            Rank(path, rank, ranks, run=run, epoch=epoch, superstep=session.superstep) for rank in range(ranks)
        ]


HOME = "http://a.example/"
OUTSIDE = ["http://out.example/", "http://out.example/1", "http://other.example/"]
PAGES = [f"http://a.example/{name}" for name in ("gzip", "deflate", "raw", "zstd", "big", "cut", "h2", "empty")]
OTHERS = [f"https://b.example:8443/{number}" for number in range(8)]
LOST = ["http://gone.example/", "http://a.example/private", "http://a.example/later", "http://a.example/never"]


def small_session(path: Path, end: str | None = "max-pages") -> None:
    """Two ranks, three epochs, every kind of body, some of everything that can become of a URL."""
    crawl = Crawl(path)
    first, second = crawl.ranks
    first.discover([HOME])
    first.leave_scope()
    second.leave_scope()
    first.fetch(HOME, b"<p>home", links=[(url, 0) for url in PAGES] + [(url, EMBEDDED) for url in OTHERS])
    crawl.commit()
    first.discover([*PAGES, *LOST])
    first.find_nearer(PAGES[:2])
    first.refer(1, 2)
    first.rest("a.example", 45.0, 1)
    first.send(1, OTHERS)
    first.ask_robots("http://a.example")
    first.ask_robots("http://gone.example", status=None, error="dns", ip=None, bytes=0, crawl_delay=None, sitemaps=[])
    second.discover(OTHERS)
    second.refer(2, 1)
    second.rest("a.example", 1.0, 0)
    _fetch_all_kinds(first)
    first.settle(LOST[0], FAILED, "dns")
    first.settle(LOST[1], FILTERED, "robots")
    for url in OTHERS[:4]:
        second.fetch(url, url.encode() * 50, links=[(HOME, NOFOLLOW), (OTHERS[7], 0), (LOST[3], 0)])
    second.send(0, [HOME, LOST[3]])
    crawl.commit()
    second.fetch(OTHERS[4], status_line=b"HTTP/1.1 302 Found", links=[(HOME, REDIRECT)], redirect=HOME)
    second.settle(OTHERS[5], FAILED, "timeout")
    crawl.commit(end)
    crawl.close()


def _fetch_all_kinds(rank: Rank) -> None:
    text = b"<p>a page of some length</p>" * 40
    packed = gzip.compress(text, mtime=0)
    raw = zlib.compressobj(wbits=-15)
    gzipped = [b"Content-Type: text/html", b"Content-Encoding: gzip"]
    rank.fetch(PAGES[0], packed, content=text, lines=gzipped, links=[(PAGES[1], 0), (PAGES[2], 0)])
    rank.fetch(PAGES[1], zlib.compress(text), content=text, lines=[b"content-encoding: Deflate"])
    rank.fetch(PAGES[2], raw.compress(text) + raw.flush(), content=text, lines=[b"Content-Encoding: deflate"])
    rank.fetch(PAGES[3], b"not unpacked here", content=text, lines=[b"Content-Encoding: zstd"])
    rank.fetch(PAGES[4], BIG_BODY, lines=[b"Transfer-Encoding: chunked"])
    rank.fetch(PAGES[5], packed[:30], content=text[:10], lines=gzipped, truncated="length")
    rank.fetch(PAGES[6], gzip.compress(BIG_BODY), content=BIG_BODY, lines=gzipped, status_line=b"HTTP/2 200")
    rank.fetch(PAGES[7], lines=gzipped, status_line=b"HTTP/1.1 404 Not Found", content_digest=None)

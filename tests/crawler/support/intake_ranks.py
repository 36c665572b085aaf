"""Ranks that take in pages as if they had fetched them, into a session that is checked afterwards."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType

from crawler.exchange.asking import Asking
from crawler.frontier.ordering import BreadthFirst
from crawler.intake.comparisons import PageComparisons
from crawler.intake.intake import NOTHING_COMPARED, Intake
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.network.web import Request, Response
from crawler.politeness.entry import Entry
from partition.assignment.assignment import assignment_named
from sessions.checking.check import check_session
from sessions.counters import nothing_counted
from sessions.session import Session
from sessions.url import url_hash, url_hashes
from sessions.writing.commit import claim, commit
from sessions.writing.recorder import Recorder
from tests.crawler.support.batches import by_rank
from tests.crawler.support.discovery_of import discovery_of
from tests.crawler.support.single_rank_discovery import ADMITS_ALL, ALL, FAR, is_seen, way_to
from tests.crawler.support.thread_ranks import on_ranks
from tests.sessions.checking.test_check_warc import accepted_by_warcio

RUN = "20260102T030405-abcdef"
START = 1767323045.25
DOCUMENT_LIMIT = 1 << 20
_NEVER_MORE = 1 << 30


def answer(
    url: str,
    body: bytes = b"",
    *lines: bytes,
    status: int = 200,
    asked: tuple[str, ...] = (),
    **facts: Any,
) -> Response:
    """A response as the web gives it; ``asked`` are the header lines of the request."""
    head = [b"HTTP/1.1 %d Whatever\r\n" % status, *(line + b"\r\n" for line in lines)]
    facts = {"started": START, "request_head": b"GET / HTTP/1.1\r\n\r\n", "ip": "192.0.2.1"} | facts
    return Response(Request(url, None, headers=asked), status, head, body, **facts)


def html(url: str, body: bytes, *lines: bytes, **facts: Any) -> Response:
    """A response that is a page."""
    return answer(url, body, b"Content-Type: text/html", *lines, **facts)


class Taker:
    """One rank that takes in pages."""

    def __init__(
        self, path: Path, rank: int, ranks: int, comparing: PageComparisons, *, store_bodies: bool = True, **more: Any
    ) -> None:
        self.rank = rank
        self.recorder = Recorder(path, rank, RUN, store_bodies=store_bodies)
        self.counters = Counters()
        self.ordering = BreadthFirst(path / f"queue-{rank}", 1000)
        self.fetched: set[str] = set()
        self.assignment = assignment_named("page-hash", ranks)
        clock = StageClock()
        self.discovery = discovery_of(
            rank,
            self.assignment,
            scope=ALL,
            admission=ADMITS_ALL,
            limits=FAR,
            ordering=self.ordering,
            recorder=self.recorder,
            folder=path / f"known-{rank}",
            budget=1 << 20,
            counters=self.counters,
            clock=clock,
            honours_nofollow=more.get("honours_noindex", False),
        )
        self.intake = Intake(
            rank,
            RUN,
            document_limit=DOCUMENT_LIMIT,
            comparing=comparing,
            discovery=self.discovery,
            recorder=self.recorder,
            counters=self.counters,
            clock=clock,
            **more,
        )

    def take(self, *responses: Response) -> None:
        """Take those of the responses whose URLs this rank owns, as if they had been in its frontier."""
        for response in responses:
            url = response.request.url
            if self.assignment.owners(url_hashes([url]), [url])[0] == self.rank:
                if not is_seen(self.discovery, url):
                    self.discovery.seed([url])
                self.intake.take(Entry(url, url_hash(url), *way_to(self.discovery, url)), response)
                self.fetched.add(url)

    def save_frontier(self) -> None:
        """Record what was found and not taken."""
        batch = self.ordering.take(len(self.ordering))
        left = batch.where(np.array([url not in self.fetched for url in batch.urls], bool))
        self.recorder.frontier(left.hashes, left.depths, left.hops, ["max-pages"] * len(left))

    def superstep(self, exchange: Asking, responses: Sequence[Response], *, wants_all: bool = True) -> None:
        """Take pages in, and ask what came before."""
        self.take(*responses)
        self.intake.settle_duplicates(exchange, wants_all=wants_all)

    def report(self) -> dict[str, Any]:
        """What a rank reports, as far as there is anything to it here."""
        counters = self.counters
        queued = counters.discovered - counters.fetched
        return nothing_counted() | {
            "discovered": counters.discovered,
            "fetched": counters.fetched,
            "queued": queued,
            "reasons": {"failed": {}, "filtered": {}, "queued": {"max-pages": queued}},
            "statuses": {str(status): count for status, count in counters.statuses.items()},
            "links": counters.links,
            "bytes": counters.bytes,
            "decoded_bytes": counters.decoded_bytes,
            "duplicates": counters.duplicates,
            "near_duplicates": counters.near_duplicates,
            "unchanged": counters.unchanged,
            "seconds": 1.0,
        }


class Crawl:
    """Ranks that take in pages together; ``comparing`` makes what each compares with, by its rank."""

    def __init__(
        self,
        path: Path,
        comparing: Callable[[int], PageComparisons] = lambda _: NOTHING_COMPARED,
        *,
        ranks: int = 1,
        **more: Any,
    ) -> None:
        self.path = path
        configuration = {"honour_nofollow": more.get("honours_noindex", False)}
        self._header = claim(path, run=RUN, ranks=ranks, assignment="page-hash", configuration=configuration)
        self.takers = [Taker(path, rank, ranks, comparing(rank), **more) for rank in range(ranks)]

    def superstep(self, *responses: Response, wants_all: bool = True) -> None:
        """Take pages in, ask what came before, and exchange the links."""
        on_ranks(
            len(self.takers),
            lambda exchange: self.takers[exchange.rank].superstep(exchange, responses, wants_all=wants_all),
        )
        for taker in self.takers:
            taker.discovery.settle()
        outgoing = [by_rank(taker.discovery.outgoing(), len(self.takers)) for taker in self.takers]
        for rank, taker in enumerate(self.takers):
            taker.discovery.receive([batches[rank] for batches in outgoing])

    def end(self) -> Session:
        """The session, committed; it passes the check, and its WARC files that of warcio."""
        entries = []
        for taker in self.takers:
            taker.save_frontier()
            entries.append(taker.recorder.close_epoch() | {"report": taker.report()})
            taker.recorder.close()
            taker.intake.close()
        commit(self.path, self._header, 1, entries, {"reason": "max-pages", "seconds": 1.0})
        findings = check_session(self.path)
        assert findings.is_good, findings.problems
        session = Session.open(self.path)
        assert all(accepted_by_warcio(file.path) for file in session.warc_files())
        return session


def rows(session: Session) -> dict[str, dict[str, Any]]:
    """The rows of the pages table by URL."""
    return {row["url"]: row for row in session.read("pages").to_pylist()}


def links(session: Session) -> set[tuple[str, str, int]]:
    """Source, target and flags of all links; a target that was never discovered is an empty string."""
    urls = dict(zip(*(session.read("urls")[name].to_pylist() for name in ("hash", "url")), strict=True))
    table = session.read("links").to_pylist()
    return {(urls[link["source"]], urls.get(link["target"], ""), link["flags"]) for link in table}


def records(session: Session) -> dict[str, tuple[str, dict[str, str], bytes]]:
    """Type, headers and payload of the records of pages, by their URL."""
    found = {}
    for file in session.warc_files():
        for record in ArchiveIterator(str(file.path)):
            if record.record_type in (WarcRecordType.response, WarcRecordType.revisit):
                headers = dict(record.headers.items())
                found[headers["WARC-Target-URI"]] = (headers["WARC-Type"], headers, record.reader.read())
    return found

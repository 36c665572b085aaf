"""What becomes of a response: it is read and recorded, and its links go to discovery.

A page whose document may have come before waits with its record until the ranks have told each other, at the end of
this superstep or of a later one; its links need not wait.
"""

from dataclasses import replace
from hashlib import sha1
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crawler.config.filters import ContentTypes
from crawler.discovery.discovery import Discovery
from crawler.drum.disk_phase import NOT_MERGING
from crawler.exchange.asking import Asking
from crawler.frontier.budgets.domain_hashes import domain_hash_of_site
from crawler.intake.comparisons import PageComparisons
from crawler.intake.duplicates.content_messages import First
from crawler.intake.duplicates.page_spool import FoundLinks, PendingPage
from crawler.intake.largest_domain import LargestDomain
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.network.product_token import product_token
from crawler.network.web import Recorded, Response
from crawler.pages.link_finder import LinkFinder, PageReferences
from crawler.pages.page_row import exchange_of, page_row
from crawler.pages.response_reader import Reading, read, references_in
from crawler.pages.robots_meta import NOTHING_ASKED, PageDirectives, asked_of
from crawler.politeness.entry import Entry
from crawler.urls.kinds import KINDS
from crawler.urls.targets import PageTargets, listed
from sessions.schema import REDIRECT, UNFOLLOWED, Page
from sessions.storage.warc import IDENTICAL, NOT_MODIFIED, Members, Revisit
from sessions.writing.recorder import Recorder

if TYPE_CHECKING:
    from crawler.intake.previous_session import PreviousPage

_OK, _NOT_MODIFIED = 200, 304
_VALIDATORS = ("etag", "last_modified")
PARSE_TIME = "parse-time"
"""The error of a page in which no more links were looked for because that took too long."""


class PageLimits(NamedTuple):
    """What of a page counts: so many of its links, those found in so many seconds of processor time, its type.

    Of a page that is not of one of the types, the body is not kept and no link is followed; a redirect is.
    """

    links: int | None = None
    parse_seconds: float = float("inf")
    types: ContentTypes = ContentTypes(None)


NO_LIMITS = PageLimits()


NOTHING_COMPARED = PageComparisons()


class Intake:
    """Takes in the pages that a rank has fetched; ``document_limit`` is in bytes, of what a body decodes to.

    ``agent`` is the product token under which pages may ask something of this crawler; ``honours_noindex``: the body
    of a page that asks not to be indexed is not kept.
    """

    def __init__(
        self,
        rank: int,
        run: str,
        *,
        document_limit: int,
        agent: str = "",
        honours_noindex: bool = False,
        limits: PageLimits = NO_LIMITS,
        comparing: PageComparisons = NOTHING_COMPARED,
        discovery: Discovery,
        recorder: Recorder,
        counters: Counters,
        clock: StageClock,
    ) -> None:
        self._rank = rank
        self._run = run
        self._document_limit = document_limit
        self._agent = agent
        self._honours_noindex = honours_noindex
        self._limits = limits
        self._comparing = comparing
        self._finder = LinkFinder()
        self._discovery = discovery
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._largest_domain = LargestDomain()

    def request_headers(self, url_hash: int) -> tuple[str, ...]:
        """The header lines with which to ask for a page only if it has changed; none if that cannot be told."""
        previous = self._comparing.previous
        return previous.headers(url_hash) if previous is not None else ()

    def take(self, entry: Entry, response: Response) -> None:
        """Record the page that came and hand on its links."""
        if entry.kind:
            self._counters.listed_fetched[KINDS[entry.kind]] += 1
        if response.recorded is not None:
            self._take_recorded(entry, response.recorded)
            return
        self._clock.enter("parse")
        reading = read(response, self._document_limit)
        known = self._known_if_unchanged(entry, response)
        if known is not None:
            self._take_unchanged(entry, response, reading, known)
        else:
            self._take_page(entry, response, reading)
        self._clock.enter("fetch")

    @property
    def waiting(self) -> int:
        """Pages that were fetched and are not recorded yet: an epoch closes, and a crawl ends, when there are none."""
        return len(self._comparing.waiting) if self._comparing.waiting is not None else 0

    @property
    def is_merging(self) -> bool:
        """Is there a merge of documents to go on with?"""
        return self._comparing.waiting is not None and self._comparing.waiting.is_merging

    @property
    def merge_lag(self) -> float:
        """How far it is behind, as `crawler.intake.duplicates.pending_pages.PendingPages` has it."""
        return NOT_MERGING if self._comparing.waiting is None else self._comparing.waiting.merge_lag

    def merge_on(self) -> None:
        """Do a piece of the merge of documents that was begun."""
        if self._comparing.waiting is not None:
            self._comparing.waiting.merge_on()

    def settle_duplicates(self, exchange: Asking, *, wants_all: bool) -> None:
        """Find out which documents came before, and record the pages that waited for that.

        All ranks call this together, at the end of a superstep, before they compare their states.  If one of them
        ``wants_all``, no page waits any longer, on any.
        """
        waiting = self._comparing.waiting
        if waiting is None:
            return
        stage_before = self._clock.enter("exchange")
        settled = waiting.settle(exchange, wants_all=wants_all)
        self._clock.enter("record")
        for page, first in settled:
            if first is not None:
                self._record_duplicate(page, first)
            else:
                self._write(page.row, page.members)
                if page.links is not None:
                    self._follow(page.links)
        self._clock.enter(stage_before)

    def close(self) -> None:
        """The crawl has ended, and no page waits: let go of what pages were compared with."""
        if self._comparing.waiting is not None:
            self._comparing.waiting.close()

    def _take_page(self, entry: Entry, response: Response, reading: Reading) -> None:
        is_wanted = self._limits.types.accept(reading.header(b"content-type"))
        references = references_in(response, reading, self._finder, self._is_over) if is_wanted else None
        if references is not None and references.is_cut:
            reading = replace(reading, error=reading.error or PARSE_TIME)
        metas = references.metas if references is not None else ()
        asked = asked_of(self._agent_of(response), reading.header(b"x-robots-tag"), metas)
        row = self._row(entry, response, reading, asked)
        if references is not None and self._comparing.simhash is not None:
            row = row._replace(simhash=self._comparing.simhash(reading.document))
        self._clock.enter("links")
        links = self._links(row, references, asked)
        follows_all = not self._comparing.skips_duplicate_links
        if links is not None and follows_all:
            self._follow(links)
        self._clock.enter("record")
        is_kept = is_wanted and not (self._honours_noindex and asked.noindex)
        waits = self._record(row, response, reading, links, is_kept=is_kept)
        if links is not None and not (follows_all or waits):
            self._clock.enter("links")
            self._follow(links)

    def _agent_of(self, response: Response) -> str:
        """The product token by which a page may have been told what it asks of this crawler."""
        user_agent = response.request.user_agent
        return self._agent if user_agent is None else product_token(user_agent)

    def _known_if_unchanged(self, entry: Entry, response: Response) -> "PreviousPage | None":
        """What the previous session has of a page, if the server was asked and says that this still holds."""
        conditions = self.request_headers(entry.hash) if response.status == _NOT_MODIFIED else ()
        if self._comparing.previous is None or not conditions or not set(conditions) <= set(response.request.headers):
            return None
        return self._comparing.previous.page(entry.hash)

    def _take_unchanged(self, entry: Entry, response: Response, reading: Reading, known: "PreviousPage") -> None:
        """Copy a page's facts and links from the previous session."""
        assert self._comparing.previous is not None
        row = self._row(entry, response, reading, NOTHING_ASKED)
        renewed = {name: value for name in _VALIDATORS if (value := getattr(row, name)) is not None}
        row = row._replace(**known.facts | renewed, unchanged_since=known.fetched)
        self._counters.unchanged += 1
        is_wanted = self._limits.types.accept(row.content_type)
        self._clock.enter("links")
        links = self._found(row, self._comparing.previous.links(entry.hash)) if is_wanted else None
        self._clock.enter("record")
        self._count(row)
        is_kept = is_wanted and not (self._honours_noindex and row.noindex)
        revisit = Revisit(NOT_MODIFIED, row.url, known.fetched.timestamp())
        exchange = exchange_of(response, revisit=revisit)
        self._write(row, self._recorder.prepare(exchange) if is_kept else None)
        if links is not None:
            self._clock.enter("links")
            self._follow(links)

    def _take_recorded(self, entry: Entry, recorded: Recorded) -> None:
        """Take facts and links as a recording has them."""
        depth, hops = self._discovery.seen.shortest_way(entry.hash, entry.depth, entry.hops)
        self._clock.enter("record")
        row = recorded.page._replace(
            depth=depth, hops=hops, rank=self._rank, superstep=self._counters.superstep, run=self._run
        )
        self._count(row)
        self._recorder.page(row)
        self._clock.enter("links")
        flags = recorded.links.flags
        is_redirect = bool(len(flags)) and flags.item(0) & REDIRECT
        depth, hops = (depth, hops + 1) if is_redirect else (depth + 1, 0)
        self._follow(FoundLinks(row.site, row.hash, depth, hops, recorded.links))
        self._clock.enter("fetch")

    def _is_over(self) -> bool:
        return self._clock.spent() > self._limits.parse_seconds

    def _row(self, entry: Entry, response: Response, reading: Reading, asked: PageDirectives) -> Page:
        depth, hops = self._discovery.seen.shortest_way(entry.hash, entry.depth, entry.hops)
        return page_row(
            entry.hash,
            response,
            reading,
            run=self._run,
            rank=self._rank,
            superstep=self._counters.superstep,
            depth=depth,
            hops=hops,
            asked=asked,
        )

    def _links(self, row: Page, references: PageReferences | None, asked: PageDirectives) -> FoundLinks | None:
        if row.redirect is not None:
            return FoundLinks(row.site, row.hash, row.depth, row.hops + 1, listed([row.redirect], [REDIRECT]))
        if references is None:
            return None
        links = references.targets(nofollow=asked.nofollow, most=self._limits.links, is_over=self._is_over)
        self._counters.links_over_limit += links.dropped
        return self._found(row, links)

    def _found(self, row: Page, links: PageTargets) -> FoundLinks:
        """A page's links as they are handed on: not to be followed if the page is like another."""
        near = self._comparing.near_duplicates
        if near is not None and row.simhash is not None and near.meets(row.site, row.simhash):
            self._counters.near_duplicates += 1
            links = links._replace(flags=links.flags | np.uint8(UNFOLLOWED))
        return FoundLinks(row.site, row.hash, row.depth + 1, 0, links)

    def _follow(self, links: FoundLinks) -> None:
        domain = domain_hash_of_site(links.site) if self._discovery.wants_domains else 0
        self._discovery.links_of(
            links.source, links.depth, links.found, hops=links.hops, domain=domain, site=links.site
        )

    def _record(
        self, row: Page, response: Response, reading: Reading, links: FoundLinks | None, *, is_kept: bool
    ) -> bool:
        """Record a page, or let it wait for what the ranks say of its document; whether it waits."""
        self._count(row)
        if not is_kept:
            self._write(row, None)
            return False
        waiting = self._comparing.waiting
        if waiting is None or not _is_whole(row):
            self._write(row, self._recorder.prepare(exchange_of(response)))
            return False
        payload = reading.digest if reading.document is response.body else None
        if payload is None:
            payload = sha1(response.body).digest()
            row = row._replace(payload_digest=payload)
        exchange = exchange_of(response, payload_digest=payload)
        members = self._recorder.prepare(exchange)
        page = PendingPage(
            row, exchange._replace(body=b""), members, links if self._comparing.skips_duplicate_links else None
        )
        if waiting.add(page):
            return True
        self._write(row, members)
        return False

    def _record_duplicate(self, page: PendingPage, first: First) -> None:
        """Record a page whose document came before; its body is stored only if it is not the same as it came."""
        self._counters.duplicates += 1
        members = page.members
        if first.url and members is not None:
            revisit = Revisit(IDENTICAL, first.url, first.fetched)
            members = self._recorder.prepare(page.exchange._replace(revisit=revisit))
        self._write(page.row._replace(duplicate_of=first.url_hash), members)

    def _write(self, row: Page, members: Members | None) -> None:
        place = self._recorder.store(members)
        if place is not None:
            row = row._replace(warc_file=place.file, warc_offset=place.offset)
        self._recorder.page(row)

    def _count(self, row: Page) -> None:
        counters = self._counters
        counters.fetched += 1
        counters.largest_domain_pages += self._largest_domain.page(row.site)
        counters.statuses[row.status] += 1
        if row.error is not None:
            counters.defects[row.error] += 1
        counters.bytes += row.bytes
        counters.decoded_bytes += row.decoded_bytes


def _is_whole(row: Page) -> bool:
    """Is this a page whose document can be compared?"""
    return row.status == _OK and row.content_digest is not None and not row.truncated and not row.error

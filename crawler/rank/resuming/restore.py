"""Filling the parts of one rank with what the session's tables say, before its first superstep."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from crawler.discovery.discovery import Discovery
from crawler.exchange.asking import Asking
from crawler.fetching.rule_quotas import Limit
from crawler.frontier.budgets.star import Star
from crawler.network.product_token import recorded_token
from crawler.politeness.earlier_rests import EarlierRests
from crawler.politeness.page_caps import Caps, PageCaps
from crawler.politeness.robots_cache import RobotsCache
from crawler.rank.resuming import back_links, documents, referrals, rests, robots, rule_counts
from crawler.rank.resuming import page_counts as pagecounts
from crawler.rank.resuming.frontier import AreListed, IsMine, discovered
from crawler.rank.resuming.rows import Rows, rows_of, share_of
from crawler.rank.resuming.sent import delivered
from crawler.site_rules.rule_book import RuleBook
from crawler.site_rules.rules_in_force import RulesInForce
from crawler.urls.batch import Mask
from partition.assignment.assignment import Assignment
from sessions.rule_records import Since
from sessions.schema import NOFOLLOW
from sessions.session import Session
from sessions.url import Hashes


class Refill:
    """Fills the parts of ``rank`` of ``ranks`` from ``session``, which the crawl goes on with."""

    def __init__(self, session: Session, rank: int, ranks: int) -> None:
        self._session = session
        self._rank = rank
        self._ranks = ranks
        self._own = rows_of(session, rank)
        self._share = share_of(session, rank, ranks)

    def discovery(
        self,
        discovery: Discovery,
        assignment: Assignment,
        recounting: back_links.Recounting | None = None,
        *,
        are_listed: AreListed | None = None,
    ) -> None:
        """What was seen and sent is known, and what was not visited is queued, but for URLs that ``are_listed``.

        With ``recounting`` back-links are counted again before; then all ranks call this together.
        """
        is_mine = self._is_mine(assignment) if self._session.has_moved else None
        unfollowed = discovery.unfollowed | (NOFOLLOW if self._session.honours_nofollow else 0)
        owned = discovered(self._own, is_mine, are_listed=are_listed)
        if recounting is not None:
            counts = back_links.recount(self._share, unfollowed, recounting)
            owned = back_links.counted_before(owned, counts, recounting)
        discovery.restore(owned, delivered(self._share, unfollowed))

    @property
    def own_rows(self) -> Rows:
        """The rows in which this rank finds what became of URLs that are its own now."""
        return self._own

    def star(self, star: Star) -> None:
        """What STAR has counted is counted again."""
        rows = self._own.read("referrals", referrals.COLUMNS)
        referrals.recount_referrals(rows, star, rank=self._rank, ranks=self._ranks)
        if star.keeps_links:
            every = Rows(self._session, range(self._session.most_ranks))
            rows = every.read("referrals", referrals.COLUMNS)
            referrals.keep_links(rows, star, rank=self._rank, ranks=self._ranks)

    def robots(self, cache: RobotsCache, agent: str, rules: RulesInForce, now: float) -> None:
        """What robots.txt files said to ``agent``, or the name that rules give, is known; ``now`` is the web's time."""
        if any(recorded_token(run.configuration) != agent for run in self._session.runs):
            return  # rules are kept as far as they concern the agent that asked
        began = datetime.fromisoformat(self._session.runs[-1].started)
        rows = robots.newest(lambda: self._own.read("robots", robots.DATED_COLUMNS))
        robots.relearn_robots(rows, cache, rules, rank=self._rank, ranks=self._ranks, began=began, now=now)

    def rests(self, now: float) -> EarlierRests:
        """Which sites that fall to this rank have to rest yet, and how often they have failed; ``now`` as above."""
        every = Rows(self._session, range(self._session.most_ranks))
        began = datetime.fromisoformat(self._session.runs[-1].started)
        rows = every.read("rests", rests.COLUMNS)
        return rests.earlier_rests(rows, rank=self._rank, ranks=self._ranks, began=began, now=now)

    def page_counts(self, limits: PageCaps, caps: Caps) -> None:
        """Pages that any rank has fetched count."""
        every = Rows(self._session, range(self._session.most_ranks))
        rows = every.read("pages", pagecounts.COLUMNS)
        pagecounts.recount_pages(rows, limits, caps, rank=self._rank, ranks=self._ranks)

    def rule_counts(self, book: RuleBook, since: Since) -> dict[Limit, int]:
        """What earlier runs have fetched under limits of rules, as far as this rank has to look for it."""
        rows = self._share.read("pages", rule_counts.COLUMNS)
        return rule_counts.used_of_limits(rows, book, since)

    def documents(self, telling: documents.Telling, exchange: Asking, *, stores_bodies: bool) -> None:
        """What documents have come is known to those who remember them.  All ranks call this together."""
        rows = self._share.read("pages", documents.COLUMNS)
        documents.tell_of_documents(rows, telling, exchange, stores_bodies=stores_bodies)

    def _is_mine(self, assignment: Assignment) -> IsMine:
        """Which URLs are this rank's, where others had them before.

        What no map knows stays with the rank that discovered it, where that is the rule; where there is no such rank
        any more it goes by hash.
        """

        def is_mine(folder: int, hashes: Hashes, urls: Sequence[str]) -> Mask:
            return np.asarray(assignment.asked_by(folder).owners(hashes, urls) == self._rank)

        return is_mine

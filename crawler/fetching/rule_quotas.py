"""Rules that let no more than so many pages, or bytes, come: counted over all ranks, from when the rule holds.

At the end of each superstep the ranks add up what they have fetched under every such rule, and each takes its share of
the pages that are left, as `crawler.exchange.page_quota` does for a crawl as a whole: a page is requested against the
share only, so no page comes beyond the limit.  Bytes are known when they have come, and to the other ranks at the end
of the superstep: what comes until then, and what is in flight, comes in addition.

Of many limits only those are added up that concern a page by now or did the last time; the shares of all others are
what they would come to again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from crawler.site_rules.rule_book import Ruling
from crawler.site_rules.rule_difference import RuleDifference
from crawler.site_rules.rule_file import SiteRule
from crawler.site_rules.rule_keys import MAX_BYTES, MAX_PAGES
from crawler.site_rules.rules_in_force import RulesInForce
from crawler.site_rules.target import RuleTarget

REASONS = {MAX_PAGES: "rule-pages", MAX_BYTES: "rule-bytes"}
"""Why a URL is filtered when a limit is reached, by the key that sets it."""


class Summing(Protocol):
    """What the ranks' exchange has to offer here: `crawler.exchange.link_exchange.LinkExchange`, or a fake of it."""

    @property
    def rank(self) -> int:
        """This rank's number."""
        ...

    @property
    def ranks(self) -> int:
        """K."""
        ...

    def union(self, mine: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The distinct numbers that any rank has, in ascending order.  All ranks call it together."""
        ...

    def sums(self, mine: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The sums of an array over all ranks, and over those before this one.  All ranks call it together."""
        ...


class Limit(NamedTuple):
    """A limit of a rule: on what it is, and by which key."""

    target: RuleTarget
    key: str


@dataclass(slots=True, eq=False)
class Quota:
    """What there is under a limit: ``most``, of which all ranks had ``used`` when they last added up.

    Since then this rank has used ``mine``; it may request ``share`` more pages, and requests ``in_flight`` now.  It
    ``is_wanted`` if this rank has asked for some.  Its ``place`` among those that hold is the same on all ranks.
    """

    limit: Limit
    most: int
    place: int
    used: int = 0
    mine: int = 0
    share: int = 0
    in_flight: int = 0
    is_wanted: bool = False

    @property
    def is_used_up(self) -> bool:
        """Has everything come that may, as far as this rank knows?"""
        return self.used + self.mine >= self.most

    @property
    def may_be_taken(self) -> bool:
        """May one more page be requested now?"""
        return self.limit.key == MAX_BYTES or self.share > 0


LATER = "later"
"""What is in the way of a page if all that may be requested now is being requested."""
NO_QUOTAS: tuple[Quota, ...] = ()
"""Of a page that no limit is about."""
_FEW = 64
"""So many limits are added up sooner than ranks have told each other which."""


class RuleQuotas:
    """The quotas of the rules in force, on one rank of ``ranks``.

    ``used`` is what this rank has found that earlier runs have used of them; others may have found more, so before the
    ranks have added that up none takes any more.
    """

    def __init__(self, rules: RulesInForce, rank: int, ranks: int, used: Mapping[Limit, int] | None = None) -> None:
        self._rules = rules
        self._rank = rank
        self._ranks = ranks
        self._quotas: dict[Limit, Quota] = {}
        self._in_place: dict[int, Quota] = {}
        self._next_place = 0
        self._touched: set[int] = set()
        self._unsettled: set[int] = set()
        self.wire_bytes = 0
        for limit, most in _limits(rules.book.rules):
            self._add(limit, most, used or {})
        rules.tell_of_change(self._take_over)

    def of(self, ruling: Ruling) -> tuple[Quota, ...]:
        """The quotas that a page counts under of which the ruling is this; asked before each page is requested."""
        if not self._quotas:
            return NO_QUOTAS
        limits = (Limit(rule.target, key) for key, rule in ruling.rules.items() if key in REASONS)
        quotas = tuple(self._quotas[limit] for limit in limits)
        self._touched.update(quota.place for quota in quotas)
        return quotas

    def settle(self, exchange: Summing) -> None:
        """Add up what all ranks have used, and take this rank's shares of what is left.  All ranks call it together."""
        if not self._quotas:
            return
        quotas = [self._in_place[place] for place in self._to_settle(exchange)]
        mine = np.array([[quota.mine, quota.in_flight, quota.is_wanted] for quota in quotas], np.int64).reshape(-1, 3)
        sums, before = exchange.sums(mine)
        self.wire_bytes += 2 * mine.nbytes if self._ranks > 1 else 0
        self._touched.clear()
        self._unsettled = {quotas[row].place for row in np.flatnonzero(sums.any(axis=1)).tolist()}
        for quota, (used, in_flight, wanting), (_, _, ahead) in zip(
            quotas, sums.tolist(), before.tolist(), strict=True
        ):
            quota.used, quota.mine = quota.used + used, 0
            quota.share = self._share(quota, max(0, quota.most - quota.used - in_flight), wanting, ahead)
            quota.is_wanted = False

    def _to_settle(self, exchange: Summing) -> Iterable[int]:
        """The places of quotas of which any rank has anything to say, or had the last time."""
        if len(self._in_place) <= _FEW:
            return sorted(self._in_place)
        touched = np.array(sorted(self._touched - self._unsettled), np.int64)
        union = exchange.union(touched)
        self.wire_bytes += touched.nbytes if self._ranks > 1 else 0
        return sorted(self._unsettled.union(union.tolist()))

    def close(self) -> None:
        """Nothing is to be let go of."""

    def _share(self, quota: Quota, left: int, wanting: int, ahead: int) -> int:
        """What this rank may take of the pages that are left: those who want some share them, or all if nobody does."""
        if not wanting:
            return _part(left, self._ranks, self._rank)
        return _part(left, wanting, ahead) if quota.is_wanted else 0

    def _take_over(self, difference: RuleDifference) -> None:
        """Have quotas for the limits that hold now; a limit that was there before goes on counting."""
        new = dict(_limits(difference.new.values()))
        for limit, _ in _limits(difference.gone.values()):
            if limit not in new:
                place = self._quotas.pop(limit).place
                del self._in_place[place]
                self._touched.discard(place)
                self._unsettled.discard(place)
        for limit, most in new.items():
            quota = self._quotas.get(limit)
            if quota is None:
                self._add(limit, most, {})
            else:
                quota.most, quota.share = most, 0
                self._unsettled.add(quota.place)

    def _add(self, limit: Limit, most: int, used: Mapping[Limit, int]) -> None:
        place, self._next_place = self._next_place, self._next_place + 1
        quota = Quota(limit, most, place, mine=used.get(limit, 0))
        if limit not in used:
            quota.share = _part(most, self._ranks, self._rank)
        self._quotas[limit] = self._in_place[place] = quota
        self._unsettled.add(place)


def obstacle(quotas: Iterable[Quota]) -> str:
    """What is in the way of one more page: nothing (empty), for now (`LATER`), or for good one of `REASONS`."""
    found = ""
    for quota in quotas:
        quota.is_wanted = True
        if quota.is_used_up:
            return REASONS[quota.limit.key]
        if not quota.may_be_taken:
            found = LATER
    return found


def take(quotas: Iterable[Quota]) -> None:
    """A page is about to be requested."""
    for quota in quotas:
        quota.share -= 1
        quota.in_flight += 1


def give_back(quotas: Iterable[Quota]) -> None:
    """A page that was requested has not come."""
    for quota in quotas:
        quota.share += 1
        quota.in_flight -= 1


def spend(quotas: Iterable[Quota], received: int) -> None:
    """A page has come, with so many bytes of a body."""
    for quota in quotas:
        quota.in_flight -= 1
        quota.mine += 1 if quota.limit.key == MAX_PAGES else received


def _limits(rules: Iterable[SiteRule]) -> Iterator[tuple[Limit, int]]:
    for rule in rules:
        for key in REASONS:
            if key in rule.values:
                yield Limit(rule.target, key), rule.values[key]


def _part(amount: int, parts: int, number: int) -> int:
    """The size of one of as many equal parts; of the rest the first have one more each."""
    even, odd = divmod(amount, parts)
    return even + (number < odd)

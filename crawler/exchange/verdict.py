"""What the ranks decide together at the end of a superstep, each for itself, from the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.exchange.page_quota import shares
from crawler.network.web import ERROR_KINDS


class Ending(StrEnum):
    """Why a crawl ended."""

    COMPLETE = "complete"
    WORKLIST = "worklist"
    MAX_PAGES = "max-pages"
    MAX_SECONDS = "max-seconds"
    MAX_WAIT = "max-wait"
    SIGNAL = "signal"


class Status(NamedTuple):
    """A rank's state while all ranks stand in the exchange and none fetches.

    ``undelivered`` URLs were found and not sent yet; what one rank has ``sent`` and none ``received`` is under way, and
    so are messages between gatekeepers and visitors (``mail_sent``, ``mail_received``).  ``lookups`` are addresses
    asked for.
    ``wait_milliseconds`` is how long nothing can be requested: 0 if something can be now, or is in flight; but if the
    rank ``is_asking``, another rank's gatekeeper may let it visit a site at any time.
    ``waiting`` pages were fetched and are not recorded yet, because nobody knows whether their documents came before.
    It ``has_paused_sites`` if rules pause some of which URLs wait here.
    ``is_idle``: there is nothing in flight here, and nothing that could be.
    ``superstep`` is the number of the one that has ended, the same on all ranks.
    ``merges_early``: it merges what had gathered when an epoch became due, which waits for that.
    ``milliseconds`` since the start, ``is_epoch_due``, ``may_epoch_be_early`` and ``has_news`` count only as rank 0
    says them; an epoch is early if some rank ``has_long_rest``, one that a site asked for and no epoch has
    committed.  If rank 0 ``has_news``, all ranks hear it next (`crawler.exchange.announcements`).
    ``host`` is a number for the machine.  ``bandwidth_limit`` in bits per second, as rank 0 says it, and each rank's
    ``bandwidth_need`` in bytes per second follow `crawler.exchange.bandwidth_share`; ``network_bytes`` is what arrived.
    ``delay_debt_milliseconds`` is how long the site that waits longest might have been visited already;
    ``largest_domain_pages`` and ``written_bytes`` are counters; the process holds ``memory_bytes`` now.
    ``errors`` are counts by `crawler.network.web.ERROR_KINDS`.
    """

    queued: int
    in_flight: int
    pages_in_flight: int
    undelivered: int
    sent: int
    received: int
    mail_sent: int
    mail_received: int
    lookups: int
    pages: int
    waiting: int
    bytes: int
    failed: int
    filtered: int
    wait_milliseconds: int
    is_asking: int
    has_paused_sites: int
    is_idle: int
    is_stopping: int
    superstep: int
    milliseconds: int
    merges_early: int
    is_epoch_due: int
    may_epoch_be_early: int
    has_long_rest: int
    has_news: int
    host: int
    bandwidth_limit: int
    bandwidth_need: int
    bandwidth_lost: int
    network_bytes: int
    delay_debt_milliseconds: int
    largest_domain_pages: int
    written_bytes: int
    cpu_milliseconds: int
    memory_bytes: int
    wire_bytes: int
    errors: tuple[int, ...]


_SOON_MILLISECONDS = 1000

STATUS_NUMBERS = len(Status._fields) - 1 + len(ERROR_KINDS)
"""How many integers a state is when it travels."""


def as_row(status: Status) -> npt.NDArray[np.int64]:
    """A rank's state as it travels: int64[STATUS_NUMBERS]."""
    *numbers, errors = status
    return np.array([*numbers, *errors], np.int64)


def statuses_from(rows: npt.NDArray[np.int64]) -> list[Status]:
    """The states of all ranks, from int64[K, STATUS_NUMBERS]."""
    counts = len(ERROR_KINDS)
    return [Status._make([*row[:-counts], tuple(row[-counts:])]) for row in rows.tolist()]


@dataclass(frozen=True, slots=True)
class EndConditions:
    """When a crawl ends before it has fetched everything: pages, seconds, and the longest wait in seconds.

    If it ``keeps_to_list``, it ends when its worklist is used up, and leaves other URLs that it has found.
    """

    max_pages: int | None = None
    max_seconds: float | None = None
    max_wait: float = 300.0
    keeps_to_list: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """``ending`` is None while the crawl goes on; ``credits`` has each rank's share, None if there is no limit."""

    ending: Ending | None
    closes_epoch: bool
    credits: list[int] | None


def judge(ranks: Sequence[Status], conditions: EndConditions) -> Verdict:
    """The verdict over all ranks' states: the same on every rank."""
    ending = _ending(ranks, conditions)
    credits = None
    if conditions.max_pages is not None:
        used = sum(rank.pages + rank.pages_in_flight for rank in ranks)
        credits = shares(conditions.max_pages - used, _demands(ranks))
    is_due = ranks[0].is_epoch_due and not any(rank.merges_early for rank in ranks)
    is_early = ranks[0].may_epoch_be_early and any(rank.has_long_rest for rank in ranks)
    return Verdict(ending, ending is not None or bool(is_due or is_early), credits)


def _demands(ranks: Sequence[Status]) -> list[int]:
    """How many credits each rank can use: none as long as all its sites rest, unless all the others' do too."""
    ready = [rank.queued if rank.is_asking or rank.wait_milliseconds <= _SOON_MILLISECONDS else 0 for rank in ranks]
    return ready if any(ready) else [rank.queued for rank in ranks]


def _ending(ranks: Sequence[Status], conditions: EndConditions) -> Ending | None:
    is_waiting = not any(rank.in_flight for rank in ranks) and not _undelivered(ranks)
    if is_waiting and not any(rank.queued for rank in ranks):
        return Ending.WORKLIST if conditions.keeps_to_list else Ending.COMPLETE
    if any(rank.is_stopping for rank in ranks):
        return Ending.SIGNAL
    if conditions.max_pages is not None and sum(rank.pages for rank in ranks) >= conditions.max_pages:
        return Ending.MAX_PAGES
    if conditions.max_seconds is not None and ranks[0].milliseconds >= 1000 * conditions.max_seconds:
        return Ending.MAX_SECONDS
    if is_waiting and not _in_the_post(ranks):
        wait = min(rank.wait_milliseconds for rank in ranks)
        return Ending.MAX_WAIT if wait > 1000 * conditions.max_wait else None
    return None


def _undelivered(ranks: Sequence[Status]) -> int:
    return sum(rank.undelivered + rank.sent - rank.received for rank in ranks)


def _in_the_post(ranks: Sequence[Status]) -> int:
    return sum(rank.mail_sent - rank.mail_received + rank.lookups for rank in ranks)

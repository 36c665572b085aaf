"""Visits without politeness: so many in each superstep, in the order in which the URLs come."""

from collections.abc import Callable, Iterator

from crawler.exchange.page_quota import Credits
from crawler.fetching.visits import UnderWay, Waiting
from crawler.intake.intake import Intake
from crawler.network.web import Found, Request, Response, Web
from crawler.politeness.entry import Entry, entry_columns
from crawler.urls.batch import UrlBatch, empty_batch

_FOREVER = float("inf")
_AT_ONCE = 0.0


class PlainVisits:
    """``pages`` visits in a superstep, in rounds: what is queued is fetched, then all its links are settled at once.

    ``settle`` does that; what it queues belongs to the next round.
    """

    def __init__(self, web: Web, intake: Intake, credits: Credits, settle: Callable[[], None], *, pages: int) -> None:
        self._web = web
        self._intake = intake
        self._credits = credits
        self._settle = settle
        self._pages = pages
        self._left = 0
        self._waiting = empty_batch()
        self._in_flight = 0

    def begin(self) -> None:
        """A superstep begins."""
        self._left = self._credits.at_most(self._pages)

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def room(self) -> int:
        return 0 if self._in_flight or len(self._waiting) else self._left

    @property
    def is_thin(self) -> bool:
        return True

    @property
    def packets(self) -> int:
        return 0

    def put(self, batch: UrlBatch) -> None:
        self._waiting = batch
        self._left -= len(batch)

    def attend(self) -> None:
        """Nobody else has to be asked."""

    def start(self) -> bool:
        batch, self._waiting = self._waiting, empty_batch()
        columns = (batch.hashes.tolist(), batch.depths.tolist(), batch.hops.tolist())
        for url, url_hash, depth, hops in zip(batch.urls, *columns, strict=True):
            self._credits.take()
            self._web.start(Request(url, Entry(url, url_hash, depth, hops)))
        self._in_flight += len(batch)
        return False

    @property
    def is_low(self) -> bool:
        return False

    def resume(self) -> None:
        """Nothing is ever put off."""

    def take(self, arrival: Response | Found) -> None:
        assert isinstance(arrival, Response)
        self._intake.take(arrival.request.purpose, arrival)
        self._in_flight -= 1
        if not self._in_flight:
            self._settle()

    def next_event(self, now: float) -> float:
        return _FOREVER

    def next_due(self) -> float | None:
        return _AT_ONCE

    def under_way(self) -> UnderWay:
        return UnderWay(pages_in_flight=self._in_flight)

    def abandon(self) -> Iterator[Waiting]:
        requests = self._web.cancel()
        self._in_flight = 0
        yield entry_columns([request.purpose for request in requests])
        yield self._waiting.hashes, self._waiting.depths, self._waiting.hops
        self._waiting = empty_batch()

    def close(self) -> None:
        """Nothing is under way."""


class PagedPacing:
    """A superstep of a replay without a clock: it is over when this rank has made its visits.

    The exchange that follows waits for the other ranks.
    """

    def __init__(self, web: Web, visits: PlainVisits) -> None:
        self._web = web
        self._visits = visits

    def begin(self) -> None:
        self._visits.begin()

    def is_over(self, is_out_of_work: bool) -> bool:
        return not self._web.in_flight

    def at_most(self, now: float, until: float) -> float:
        return now

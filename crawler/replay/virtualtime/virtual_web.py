"""The web as a session recorded it, in virtual time: answers take as long as they took, and nobody waits for them."""

from dataclasses import replace
from datetime import UTC, datetime
from heapq import heappop, heappush
from itertools import count

from crawler.network.web import Found, Lookup, Recorded, Request, Response
from crawler.replay.recordedweb.recorded_sites import RecordedSites
from crawler.replay.recordedweb.recorded_web import RecordedAnswers
from crawler.replay.virtualtime.latency import Latencies
from crawler.replay.virtualtime.windows import SharedTime
from sessions.url import origin_of, site_of, url_hash

_MILLISECONDS = 1000.0


class VirtualWeb:
    """A `crawler.network.web.Web` of recorded pages, whose time is the ranks' common time.

    What comes at the same time comes in the order of the URLs' hashes.  ``latencies`` are those
    of its rank.  Pages are said to have been fetched so many virtual seconds after the
    recording's first.
    """

    def __init__(self, sites: RecordedSites, answers: RecordedAnswers, time: SharedTime, latencies: Latencies) -> None:
        self._answers = answers
        self._sites = sites
        self._time = time
        self._latencies = latencies
        self._zero = sites.first_fetched
        self._due: list[tuple[float, int, int, Response | Found]] = []
        self._numbers = count()
        self._in_flight = 0

    @property
    def bandwidth(self) -> None:
        return None

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def now(self) -> float:
        return self._time.now

    def look_up(self, lookup: Lookup) -> None:
        """A recorded site lies where it lay, and stays there."""
        found = Found(lookup, (self._sites.endpoint(lookup.origin),), seconds=float("inf"))
        self._answer(self._time.now, lookup.origin, found)

    def start(self, request: Request) -> None:
        self._in_flight += 1
        response = self._robots(request) if request.body_limit is not None else self._page(request)
        self._answer(self._time.now + response.milliseconds / _MILLISECONDS, request.url, response)

    def wait(self, until: float) -> list[Response | Found]:
        self._time.advance(min(until, self._due[0][0]) if self._due else until)
        arrivals = []
        while self._due and self._due[0][0] <= self._time.now:
            arrival = heappop(self._due)[3]
            self._in_flight -= isinstance(arrival, Response)
            arrivals.append(arrival)
        return arrivals

    def advance(self) -> None:
        """Nothing goes on while the rank is busy."""

    def stand_still(self, seconds: float) -> None:
        """Nobody pauses here."""

    def cancel(self) -> list[Request]:
        requests = [item[3].request for item in self._due if isinstance(item[3], Response)]
        self._due.clear()
        self._in_flight = 0
        return requests

    def close(self) -> None:
        self._due.clear()

    def _answer(self, due: float, url: str, answer: Response | Found) -> None:
        heappush(self._due, (due, url_hash(url), next(self._numbers), answer))

    def _page(self, request: Request) -> Response:
        (response,) = self._answers.respond([request])
        started = self._zero + self._time.now
        recorded = response.recorded
        size = recorded.page.bytes if recorded is not None else len(response.body)
        milliseconds = self._latencies.milliseconds(site_of(request.url), response.milliseconds, size)
        if recorded is not None:
            fetched = datetime.fromtimestamp(started, UTC)
            recorded = Recorded(recorded.page._replace(fetched=fetched, milliseconds=milliseconds), recorded.links)
        return replace(response, started=started, milliseconds=milliseconds, recorded=recorded)

    def _robots(self, request: Request) -> Response:
        """A robots.txt that asks for the crawl-delay that was recorded; what it forbade has no page."""
        body = self._sites.robots(origin_of(request.url))
        site = site_of(request.url)
        recorded = self._sites.milliseconds(site)
        return Response(
            request,
            status=200 if body else 404,
            head=[b"HTTP/1.1 200 OK" if body else b"HTTP/1.1 404 Not Found", b"Content-Type: text/plain"],
            body=body,
            started=self._zero + self._time.now,
            milliseconds=self._latencies.milliseconds(site, recorded, len(body)),
        )

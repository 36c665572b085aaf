"""Visits without politeness, in rounds, and when a superstep of them is over."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.page_quota import Credits
from crawler.fetching.visits import UnderWay
from crawler.frontier.ordering import BreadthFirst
from crawler.intake.intake import Intake
from crawler.network.web import Found, Lookup, Request, Response
from crawler.politeness.entry import Entry
from crawler.replay.recordedweb.plain_visits import PagedPacing, PlainVisits
from sessions.url import url_hash, url_hashes
from tests.crawler.support.batches import batch_of

URLS = [f"http://a.example/{number}" for number in range(60)]
DEPTHS, HOPS = [0, 1, 2, 0xFFFF, 7], [5, 0, 0xFF, 1, 2]


class AtOnce:
    """A web that answers everything when it is waited for."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    @property
    def in_flight(self) -> int:
        return len(self.asked)

    def now(self) -> float:
        return 7.0

    def look_up(self, lookup: Lookup) -> None:
        raise NotImplementedError

    def start(self, request: Request) -> None:
        self.asked.append(request)

    def wait(self, until: float) -> list[Response | Found]:
        asked, self.asked = self.asked, []
        return [Response(request, status=200) for request in asked]

    def advance(self) -> None:
        """Everything is answered at once."""

    def stand_still(self, seconds: float) -> None:
        """Nobody pauses here."""

    def cancel(self) -> list[Request]:
        asked, self.asked = self.asked, []
        return asked

    def close(self) -> None:
        pass


class Notes:
    """Instead of an intake: what was taken in and settled, in order."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def take(self, entry: Entry, response: Response) -> None:
        assert entry == Entry(response.request.url, url_hash(response.request.url))
        self.log.append(entry.url)


class Replayed:
    """Visits with what is around them; every page that is settled leads to so many new ones."""

    def __init__(self, folder: Path, queued: int, leads_to: int, pages: int, credits: Credits | None = None) -> None:
        self.web, self.notes, self.queue = AtOnce(), Notes(), BreadthFirst(folder, 1000)
        self.queue.add(batch_of(URLS[:queued]))
        self._met, self._leads_to, self._settled = queued, leads_to, 0
        self.visits = PlainVisits(
            self.web, cast(Intake, self.notes), credits or Credits(is_limited=False), self.settle, pages=pages
        )
        self.pacing = PagedPacing(self.web, self.visits)

    def settle(self) -> None:
        new = len([entry for entry in self.notes.log if entry != "settled"]) * self._leads_to - self._settled
        self._settled += new
        self.queue.add(batch_of(URLS[self._met : self._met + new]))
        self._met += new
        self.notes.log.append("settled")

    def superstep(self) -> None:
        """As `crawler.rank.rank.Rank` does it."""
        self.pacing.begin()
        while True:
            self.visits.attend()
            while len(self.queue) and (room := self.visits.room):
                self.visits.put(self.queue.take(room))
            assert not self.visits.start()
            if self.pacing.is_over(False):
                return
            for arrival in self.web.wait(self.pacing.at_most(0.0, self.visits.next_event(0.0))):
                self.visits.take(arrival)


def told(queued: int, leads_to: int, pages: list[int]) -> list[str]:
    """What is taken in and settled in supersteps of so many pages, told as docs/replay.md has it."""
    log, queue, met = [], URLS[:queued], queued
    for left in pages:
        while left and queue:
            batch, queue = queue[:left], queue[left:]
            left -= len(batch)
            queue += URLS[met : met + leads_to * len(batch)]
            met += leads_to * len(batch)
            log += [*batch, "settled"]
    return log


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.integers(0, 8), st.integers(0, 3), st.integers(1, 9), st.lists(st.integers(0, 12), max_size=3))
def test_a_superstep_is_so_many_pages_in_rounds(queued: int, leads_to: int, pages: int, credits: list[int]) -> None:
    with TemporaryDirectory() as folder:
        free = Credits(is_limited=True)
        replayed = Replayed(Path(folder), queued, leads_to, pages, free)
        for count in credits:
            free.replace(count)
            replayed.superstep()
        assert replayed.notes.log == told(queued, leads_to, [min(pages, count) for count in credits])
        assert len(replayed.visits) == replayed.web.in_flight == 0
        assert replayed.visits.under_way() == UnderWay()


def test_without_a_limit_only_the_pages_of_a_superstep_count(tmp_path: Path) -> None:
    replayed = Replayed(tmp_path, 5, 1, 7)
    replayed.superstep()
    replayed.superstep()
    assert replayed.notes.log == told(5, 1, [7, 7])


def test_every_request_takes_a_credit(tmp_path: Path) -> None:
    credits = Credits(is_limited=True)
    credits.replace(3)
    replayed = Replayed(tmp_path, 5, 0, 2, credits)
    replayed.superstep()
    assert credits.at_most(9) == 1


def test_nothing_is_visited_before_a_superstep_begins(tmp_path: Path) -> None:
    assert Replayed(tmp_path, 5, 0, 2).visits.room == 0


def test_what_is_broken_off_is_given_back(tmp_path: Path) -> None:
    replayed = Replayed(tmp_path, 0, 0, 5)
    visits = replayed.visits
    visits.begin()
    visits.put(batch_of(URLS[:3], DEPTHS[:3], HOPS[:3]))
    visits.start()
    assert visits.under_way().pages_in_flight == 3
    assert visits.room == 0, "a round ends before the next begins"
    visits.put(batch_of(URLS[3:5], DEPTHS[3:], HOPS[3:]))
    assert len(visits) == 2
    given_back = [
        row for columns in visits.abandon() for row in zip(*(column.tolist() for column in columns), strict=True)
    ]
    assert given_back == list(zip(url_hashes(URLS[:5]).tolist(), DEPTHS, HOPS, strict=True))
    assert (len(visits), replayed.web.in_flight, visits.under_way()) == (0, 0, UnderWay())


def test_nobody_is_waited_for_and_nobody_is_written_to(tmp_path: Path) -> None:
    visits = Replayed(tmp_path, 0, 0, 5).visits
    assert visits.next_event(3.0) == float("inf")
    assert visits.next_due() is not None
    assert visits.next_due() <= 0.0
    assert (visits.packets, visits.is_low) == (0, False)
    visits.resume()
    visits.close()


@pytest.mark.parametrize("is_out_of_work", [False, True])
def test_a_superstep_is_over_when_nothing_is_in_flight(tmp_path: Path, is_out_of_work: bool) -> None:
    replayed = Replayed(tmp_path, 2, 0, 5)
    assert replayed.pacing.is_over(is_out_of_work)
    replayed.web.start(Request(URLS[0], None))
    assert not replayed.pacing.is_over(is_out_of_work)
    assert replayed.pacing.at_most(3.0, 99.0) == 3.0

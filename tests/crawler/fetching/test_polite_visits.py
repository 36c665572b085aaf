"""Visits to the live web: which of their parts is asked what (whole crawls are in test_rank.py)."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crawler.fetching.polite_visits import PoliteVisits
from crawler.fetching.visits import UnderWay, Visits, Waiting
from crawler.network.web import Found, Lookup, Request, Response
from tests.crawler.support.batches import batch_of


class Parts:
    """Stand-ins for the parts, which write down what they are told."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.room, self.waiting, self.has_free_connection = 5000, 7, True
        self.is_thin, self.in_flight = False, 1
        self.is_running_dry, self.servers = False, 7
        self.comes_back = True
        self.release: float | None = 20.0
        self.due: float | None = None
        self.event = 50.0
        self.paused: set[str] = set()

    def visits(self) -> Visits:
        """Visits made of them."""
        said, log = self, self.log

        class Supply:
            looks_further = False
            is_running_dry = property(lambda _: said.is_running_dry)
            servers = property(lambda _: said.servers)
            room = property(lambda _: said.room)
            is_thin = property(lambda _: said.is_thin)

            def __len__(self) -> int:
                return said.waiting

            def put(self, batch: Any) -> None:
                log.append(f"put {len(batch)}")

            def unpark(self) -> bool:
                log.append("unpark")
                return said.comes_back

            def drain(self, still_queued: Any) -> Iterator[Waiting]:
                log.append("drain")
                yield np.array([3], np.uint64), np.array([2], np.uint16), np.array([1], np.uint8)

        class Fetching:
            connections, pages_in_flight = 8, 2
            has_free_connection = property(lambda _: said.has_free_connection)

            def free_from(self, now: float) -> float:
                return now

            def start(self) -> bool:
                log.append("start")
                return True

            turn_away = None

            def finish(self, response: Response) -> None:
                log.append(f"finish {response.request.url}")

            def abandon(self) -> None:
                log.append("abandon")

        parts: dict[str, Any] = {
            "web": SimpleNamespace(now=lambda: 10.0, in_flight=said.in_flight),
            "supply": Supply(),
            "picker": SimpleNamespace(next_release=lambda: said.release),
            "blocked": SimpleNamespace(has_more=False),
            "paused": said.paused,
            "leases": SimpleNamespace(is_asking=True),
            "fetcher": Fetching(),
            "mailbox": SimpleNamespace(sent=4, received=3, packets=9, close=lambda: log.append("close")),
            "site_gatekeeper": SimpleNamespace(
                lookups=6,
                waiting=5,
                found=lambda found, now: log.append(f"found {found.lookup.origin} at {now:g}"),
                flush=lambda now: log.append(f"flush at {now:g}"),
                close=lambda: log.append("close the keeper"),
            ),
            "message_dispatch": SimpleNamespace(
                carry=lambda now: log.append(f"carry at {now():g}"),
                next_event=lambda now: self.event,
                next_due=lambda: self.due,
            ),
        }
        return PoliteVisits(**parts)


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.mark.parametrize(("room", "wanted"), [(5000, 1024), (1024, 1024), (1023, 0), (0, 0)])
def test_the_workbench_takes_whole_batches(parts: Parts, room: int, wanted: int) -> None:
    parts.room = room
    assert parts.visits().room == wanted


def test_each_part_does_its_own(parts: Parts) -> None:
    visits = parts.visits()
    visits.put(batch_of(["http://a.example/"]))
    visits.attend()
    assert visits.start()
    visits.resume()
    visits.take(Response(Request("http://a.example/", None)))
    visits.take(Found(Lookup("http://b.example", None)))
    assert [[column.tolist() for column in columns] for columns in visits.abandon()] == [[[3], [2], [1]]]
    visits.close()
    assert parts.log == [
        "put 1",
        "carry at 10",
        "start",
        "unpark",
        "start",
        "finish http://a.example/",
        "found http://b.example at 10",
        "abandon",
        "drain",
        "close",
        "close the keeper",
    ]


def test_how_they_stand(parts: Parts) -> None:
    visits = parts.visits()
    assert (len(visits), visits.packets) == (7, 9)
    assert visits.under_way() == UnderWay(2, 4, 3, 6 + 5, True, False)


def test_when_nothing_is_in_flight_the_cache_of_robots_is_not_waited_for(parts: Parts) -> None:
    parts.in_flight = 0
    parts.visits().resume()
    assert parts.log == ["unpark", "flush at 10", "start"]


def test_connections_look_again_for_sites_only_if_urls_have_come(parts: Parts) -> None:
    parts.comes_back = False
    visits = parts.visits()
    visits.put(batch_of(["http://a.example/"]))
    visits.start()
    visits.resume()
    assert parts.log == ["put 1", "start", "unpark"]
    visits.put(batch_of(["http://a.example/b"]))
    visits.resume()
    assert parts.log[3:] == ["put 1", "unpark", "start"]


@pytest.mark.parametrize("is_thin", [True, False])
def test_the_workbench_says_when_others_had_better_come(parts: Parts, is_thin: bool) -> None:
    parts.is_thin = is_thin
    assert parts.visits().is_thin == is_thin


@pytest.mark.parametrize(("waiting", "is_low"), [(7, True), (8, False)])
def test_little_is_left_when_connections_could_go_idle(parts: Parts, waiting: int, is_low: bool) -> None:
    parts.waiting = waiting
    assert parts.visits().is_low == is_low


@pytest.mark.parametrize(("is_dry", "servers", "is_low"), [(True, 7, True), (True, 8, False), (False, 7, False)])
def test_little_is_left_when_a_site_has_run_dry_and_few_servers_have_something(
    parts: Parts, is_dry: bool, servers: int, is_low: bool
) -> None:
    parts.waiting, parts.is_running_dry, parts.servers = 1_000_000, is_dry, servers
    assert parts.visits().is_low == is_low


@pytest.mark.parametrize(
    ("release", "is_free", "event"), [(20.0, True, 20.0), (20.0, False, 50.0), (None, True, 50.0), (60.0, True, 50.0)]
)
def test_a_release_matters_only_to_a_free_connection(
    parts: Parts, release: float | None, is_free: bool, event: float
) -> None:
    parts.release, parts.has_free_connection = release, is_free
    assert parts.visits().next_event(10.0) == event


@pytest.mark.parametrize(
    ("release", "due", "soonest"), [(20.0, None, 20.0), (20.0, 15.0, 15.0), (None, 15.0, 15.0), (None, None, None)]
)
def test_what_is_due_first_counts(
    parts: Parts, release: float | None, due: float | None, soonest: float | None
) -> None:
    parts.release, parts.due = release, due
    assert parts.visits().next_due() == soonest

"""Who gets which message, and when a rank has to look again; the rest is told by test_simulation.py."""

from typing import Any, get_args

import pytest

from crawler.politeness import messages
from crawler.politeness.delays import Delays
from tests.crawler.politeness.support.simulation import Cluster, Plan, SimulatedRank, SimulatedSite


class Called:
    """Remembers the names of the methods that are called, of a part of a rank."""

    def __init__(self, part: str, calls: list[str]) -> None:
        self._part = part
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        return lambda *_: self._calls.append(f"{self._part}.{name}")


GOES_TO = {
    "Ask": "sites.asked",
    "Facts": "answers.known",
    "AskCrawlDelay": "sites.asked_for_delay",
    "CrawlDelay": "sites.delay_told",
    "HopWaits": "sites.hop_waits",
    "Unreached": "sites.unreached",
    "Forget": "answers.forget",
    "Forgotten": "sites.forgotten",
    "Want": "servers.wanted",
    "Turn": "leases.turn_given",
    "Lease": "leases.lease_given",
    "Recall": "leases.recalled",
    "Return": "servers.returned",
    "Spend": "caps.asked",
    "Allowance": "answers.allowed",
    "Spent": "caps.spent",
}


@pytest.fixture
def ranks(tmp_path: Any) -> list[SimulatedRank]:
    cluster = Cluster(Plan([SimulatedSite("a.example", ("192.0.2.1",))], [], 2, Delays(), latency=(0.0, 0.0)))
    cluster.ranks += [SimulatedRank(rank, cluster, tmp_path) for rank in range(2)]
    return cluster.ranks


@pytest.mark.parametrize("kind", get_args(messages.Message), ids=lambda kind: kind.__name__)
def test_every_message_goes_to_whom_it_is_for(ranks: list[SimulatedRank], kind: Any) -> None:
    calls: list[str] = []
    message_dispatch: Any = ranks[0].message_dispatch
    for part in ("answers", "leases", "sites", "servers", "caps"):
        setattr(message_dispatch, f"_{part}", Called(part, calls))
    message_dispatch._deliver(1, kind._make([None] * len(kind._fields)), 0.0)
    assert calls == [GOES_TO[kind.__name__]]


def test_a_rank_that_has_mail_to_send_does_not_wait(ranks: list[SimulatedRank]) -> None:
    one = ranks[0]
    now = one.web.now()
    one.mailbox.send(1, messages.Recall("192.0.2.1"))
    assert one.message_dispatch.next_event(now) == now
    one.message_dispatch.carry(lambda: now)
    assert one.mailbox.is_idle
    assert one.message_dispatch.next_event(now) > now


def test_a_rank_looks_for_mail_more_often_when_some_has_come(ranks: list[SimulatedRank]) -> None:
    one, other = ranks
    quiet = other.message_dispatch.next_event(5.0)
    one.mailbox.send(1, messages.Recall("192.0.2.1"))
    one.message_dispatch.carry(one.web.now)
    other.message_dispatch.carry(lambda: 5.0)
    lively = other.message_dispatch.next_event(5.0)
    assert 5.0 < lively < quiet < 5.02


def test_a_rank_that_waits_for_mail_looks_less_and_less_often(ranks: list[SimulatedRank]) -> None:
    """It notices an answer later by an eighth of how long it waited, and in a quarter of a second looks 50 times."""
    one, other = ranks
    one.mailbox.send(1, messages.Recall("192.0.2.1"))
    one.message_dispatch.carry(one.web.now)
    other.message_dispatch.carry(lambda: 5.0)
    looks = [5.0]
    while looks[-1] < 5.25:
        looks.append(other.message_dispatch.next_event(looks[-1]))
        assert looks[-1] - looks[-2] <= max(0.001, (looks[-2] - 5.0) / 8) + 1e-9
    assert len(looks) <= 60


def test_a_rank_alone_waits_for_nobody(tmp_path: Any) -> None:
    cluster = Cluster(Plan([], [], 1, Delays()))
    assert SimulatedRank(0, cluster, tmp_path).message_dispatch.next_event(0.0) == float("inf")

"""The link exchange of a single rank (tests/mpi has those of several)."""

from pathlib import Path

import numpy as np
from mpi4py import MPI

from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.verdict import Status
from crawler.exchange.wire_format import Wire
from crawler.network.web import ERROR_KINDS
from crawler.urls.outgoing import NOTHING_OUTGOING
from partition.map.partition_map import PartitionMap
from tests.crawler.support.batches import batch_of, outgoing_of, rows_of
from tests.partition.map.support.maps import URLS, make_map


def test_what_is_sent_arrives_and_is_counted() -> None:
    exchange = LinkExchange(MPI.COMM_SELF)
    batch = batch_of(["http://a.example/", "http://a.example/2"], [1, 2], [3, 4], [5, 6])
    (received,) = exchange.swap(outgoing_of([batch]))
    assert rows_of(received) == rows_of(batch)
    assert exchange.sent_urls == 2
    assert exchange.sent_bytes == len("http://a.example/" * 2 + "2")
    assert exchange.messages == 1
    assert exchange.sent_numbers == 0
    assert exchange.wire_bytes > 0


def test_nothing_is_sent_as_no_bytes() -> None:
    exchange = LinkExchange(MPI.COMM_SELF)
    assert exchange.swap(NOTHING_OUTGOING) == []
    assert exchange.wire_bytes == exchange.messages == 0


def test_what_was_sent_last_is_told_by_receiver(tmp_path: Path) -> None:
    make_map(tmp_path / "map")
    exchange = LinkExchange(MPI.COMM_SELF, Wire(PartitionMap.open(tmp_path / "map")))
    assert [len(column) for column in exchange.last_sent] == [0] * 5
    batch = batch_of(sorted([*URLS, "http://new.example/"]))
    sizes = []
    for _ in range(2):
        exchange.swap(outgoing_of([batch]))
        receivers, urls, numbers, size, wire_bytes = (column.tolist() for column in exchange.last_sent)
        assert (receivers, urls, numbers) == ([0], [len(batch)], [len(URLS)])
        assert size == [sum(map(len, batch.urls))]
        sizes += wire_bytes
    assert exchange.wire_bytes == sum(sizes)
    assert exchange.last_sent.receivers.dtype == np.uint16
    exchange.swap(NOTHING_OUTGOING)
    assert [column.tolist() for column in exchange.last_sent] == [[]] * 5


def test_ranks_meet_when_all_have_arrived() -> None:
    exchange = LinkExchange(MPI.COMM_SELF)
    for _ in range(3):
        assert not exchange.all_have_arrived()
        exchange.arrive()
        assert exchange.all_have_arrived()


def test_questions_are_answered_if_there_are_any() -> None:
    exchange = LinkExchange(MPI.COMM_SELF)
    assert exchange.ask([b"why"], lambda received: [bytes(one) + b"?" for one in received]) == [memoryview(b"why?")]
    assert exchange.ask([b""], lambda received: [b"nobody asked"]) is None


def test_states_and_reports_come_back() -> None:
    exchange = LinkExchange(MPI.COMM_SELF)
    state = Status._make([*range(len(Status._fields) - 1), tuple(range(len(ERROR_KINDS)))])
    assert exchange.states(state) == [state]
    assert exchange.gather({"x": [1]}) == [{"x": [1]}]


def test_what_both_sides_know_is_counted_as_numbers_and_as_the_text_it_stands_for(tmp_path: Path) -> None:
    make_map(tmp_path / "map")
    exchange = LinkExchange(MPI.COMM_SELF, Wire(PartitionMap.open(tmp_path / "map")))
    batch = batch_of(sorted([*URLS, "http://new.example/"]))
    (received,) = exchange.swap(outgoing_of([batch]))
    assert sorted(rows_of(received)) == rows_of(batch)
    assert exchange.sent_urls == exchange.received_urls == len(URLS) + 1
    assert exchange.sent_numbers == len(URLS)
    assert exchange.sent_bytes == sum(map(len, batch.urls))
    assert 0 < exchange.wire_bytes < exchange.sent_bytes / 5

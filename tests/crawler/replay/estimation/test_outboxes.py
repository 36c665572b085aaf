"""Messages between ranks, against the wire of a crawl."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.estimation import outboxes
from crawler.replay.estimation.outboxes import EstimatedOutboxes
from crawler.replay.estimation.url_rows import Findings
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.support.courses import Message
from tests.crawler.replay.support.oracle import Replay, Way, as_batch, as_ways
from tests.crawler.replay.support.webs import ownerships, recordings


def sendings(data: st.DataObject, urls: int, ranks: int) -> list[tuple[int, int, Way]]:
    """Sender, receiver and what is sent; nobody sends a URL twice."""
    sent = data.draw(
        st.lists(
            st.tuples(st.integers(0, ranks - 1), st.integers(0, urls - 1), st.integers(0, ranks - 1)),
            unique_by=lambda row: row[:2],
            max_size=40,
        )
    )
    columns = st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, 15))
    return [(s, r, Way(url, *data.draw(columns))) for s, url, r in sent]


@settings(deadline=None, derandomize=True)
@given(st.data(), recordings(), st.integers(1, 1000))
def test_messages_weigh_and_arrive_as_in_a_crawl(data: st.DataObject, recording: Recording, at_once: int) -> None:
    ownership: Ownership = data.draw(ownerships(len(recording)))
    rows = sendings(data, len(recording), ownership.ranks)
    replay = Replay(recording, ownership, ReplaySettings())
    messages: list[Message] = []
    arrived: list[tuple[int, Way]] = []
    for receiver in range(ownership.ranks):
        for sender in range(ownership.ranks):
            ways = [way for s, r, way in rows if (s, r) == (sender, receiver)]
            batch = as_batch(sorted(ways, key=lambda way: replay.urls[way.url]), replay)
            payload, numbers = replay.wire.encode(batch)
            if payload:
                size = sum(map(len, batch.urls))
                messages.append(Message(9, sender, receiver, len(batch), numbers, size, len(payload)))
            arrived += [(receiver, way) for way in as_ways(replay.wire.decode(payload), replay)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outboxes, "_URLS_AT_ONCE", at_once)
        found, received = EstimatedOutboxes(recording, ownership).send(9, *as_findings(rows))
    names = Message._fields
    assert list(zip(*(getattr(found, name).tolist() for name in names), strict=True)) == sorted(messages)
    columns = (received.ranks, received.urls, received.depths, received.hops, received.flags)
    expected = [(receiver, *way) for receiver, way in arrived]
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected


def as_findings(rows: list[tuple[int, int, Way]]) -> tuple[Findings, Any]:
    table = np.array([(sender, *way, receiver) for sender, receiver, way in rows], np.int64).reshape(-1, 6).T
    columns = [column.astype(dtype) for column, dtype in zip(table, ("i4", "i8", "u2", "u1", "u1"), strict=False)]
    return Findings(*columns), table[5].astype(np.int32)

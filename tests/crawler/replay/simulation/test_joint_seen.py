"""URL-seen by number, beside the URL-seen of a crawl."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.depth_limits import Limits
from crawler.discovery.url_seen import Admitted, Seen
from crawler.replay.recording import Recording
from crawler.replay.simulation.joint_seen import JointSeen
from crawler.urls.batch import UrlBatch
from tests.crawler.replay.support.webs import recordings

LIMITS = Limits(None, 254)


def batches(recording: Recording) -> st.SearchStrategy[UrlBatch]:
    """Some distinct URLs on any ways."""
    rows = st.tuples(st.integers(0, len(recording) - 1), st.integers(0, 9), st.integers(0, 9), st.integers(0, 3))
    return st.lists(rows, unique_by=lambda row: row[0], min_size=1).map(lambda drawn: as_batch(recording, drawn))


def as_batch(recording: Recording, rows: list[tuple[int, int, int, int]]) -> UrlBatch:
    urls, depths, hops, flags = np.array(rows, np.int64).T
    return UrlBatch(
        recording.texts(urls),
        recording.hashes[urls],
        depths.astype(np.uint16),
        hops.astype(np.uint8),
        flags.astype(np.uint8),
    )


def rows(answers: Iterable[Admitted]) -> list[tuple[Any, ...]]:
    """All that is admitted, a tuple for each URL."""
    return [
        row
        for batch, owners, is_new, _ in answers
        for row in zip(
            batch.urls,
            *(column.tolist() for column in (batch.hashes, batch.depths, batch.hops, batch.flags, owners, is_new)),
            strict=True,
        )
    ]


@settings(deadline=None, derandomize=True)
@given(st.data(), recordings())
def test_it_admits_and_knows_what_a_crawl_would(data: st.DataObject, recording: Recording) -> None:
    joint = JointSeen(recording, LIMITS)
    queued: dict[int, tuple[int, int]] = {}
    with TemporaryDirectory() as folder:
        seen = Seen(Path(folder), "seen", 1 << 20, LIMITS)
        for _ in range(data.draw(st.integers(1, 6))):
            batch, owner = data.draw(batches(recording)), data.draw(st.integers(0, 5))
            numbers = recording.numbers_of(batch.hashes)
            is_stale = seen.is_stale(batch.hashes, batch.depths, batch.hops)
            assert joint.are_news(numbers, batch.depths, batch.hops).tolist() == (~is_stale).tolist()
            depth, hop = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
            same = np.full(len(numbers), depth, np.uint16), np.full(len(numbers), hop, np.uint8)
            assert joint.are_news(numbers, depth, hop).tolist() == joint.are_news(numbers, *same).tolist()
            if data.draw(st.booleans()):
                mine, told = rows(joint.check_and_add(batch, owner)), rows(seen.check_and_add(batch, owner))
                assert mine == told
                queued |= {url_hash: (depth, hops) for _, url_hash, depth, hops, *_ in told}
            else:
                for its in (seen, joint):
                    assert not rows(its.settle(batch.hashes))
                for url_hash in batch.hashes.tolist():
                    queued.pop(url_hash, None)
            for url_hash, way in queued.items():
                expected = seen.shortest_way(url_hash, *way)
                assert joint.shortest_way(url_hash, *way) == expected
                columns = (np.array([value], kind) for value, kind in zip((url_hash, *way), "QHB", strict=True))
                assert [column.item() for column in joint.shortest(*columns)] == list(expected)

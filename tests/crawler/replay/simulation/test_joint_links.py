"""Links settled for all ranks at once, beside ranks that settle one page after the other with dictionaries."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.depth_limits import Limits
from crawler.exchange.parallel_modes import CROSS_OVER
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording, most_linked
from crawler.replay.settings import ReplaySettings
from crawler.replay.simulation.joint_links import FoundPages, JointLinks, may_settle
from crawler.replay.simulation.joint_seen import JointSeen
from crawler.urls.batch import UrlBatch
from tests.crawler.replay.support.courses import ownership_with, recording_with
from tests.crawler.replay.support.webs import ownerships, recordings

Way = tuple[int, int, int]
"""Depth, hops, flags."""


class Sequential:
    """What ranks find, have seen, and send, by URL number."""

    def __init__(self, recording: Recording, ownership: Ownership, replicated: int) -> None:
        self._recording = recording
        self._owners = ownership.owners.tolist()
        known = most_linked(recording, replicated).tolist()
        self.known = [*recording.seeds.tolist(), *known]
        self._ways = dict.fromkeys(self.known, (0, 0))
        self._sent = {(rank, url) for rank in range(ownership.ranks) for url in known}
        self._outgoing: list[tuple[int, int, Way]] = []

    def settle(self, rank: int, pages: FoundPages) -> dict[int, Way]:
        """Settle some pages of a rank; its own URLs that are news."""
        own: dict[int, Way] = {}
        others: dict[int, Way] = {}
        for url, way in self._links(pages):
            if self._owners[url] != rank:
                merge(others, url, way)
            elif self._is_news(url, way):
                merge(own, url, way)
        for url, way in others.items():
            if (rank, url) not in self._sent:
                self._sent.add((rank, url))
                self._outgoing.append((rank, url, way))
        return own

    def swap(self) -> tuple[Counter[tuple[int, int]], dict[int, dict[int, Way]]]:
        """How many URLs go from whom to whom, and what is news to each receiver."""
        counts = Counter((rank, self._owners[url]) for rank, url, _ in self._outgoing)
        received: dict[int, dict[int, Way]] = {}
        for _, url, way in self._outgoing:
            if self._is_news(url, way):
                merge(received.setdefault(self._owners[url], {}), url, way)
        self._outgoing = []
        return counts, received

    def _links(self, pages: FoundPages) -> Iterator[tuple[int, Way]]:
        recording = self._recording
        for page, depth, hops in pages:
            start, stop = recording.starts[page : page + 2].tolist()
            for link in range(start, stop):
                if recording.is_followed[link]:
                    yield int(recording.targets[link]), (depth, hops, int(recording.flags[link]))

    def _is_news(self, url: int, way: Way) -> bool:
        known = self._ways.get(url)
        return known is None or way[0] < known[0] or way[1] < known[1]

    def note(self, news: dict[int, Way]) -> None:
        for url, (depth, hops, _) in news.items():
            known = self._ways.get(url, (depth, hops))
            self._ways[url] = (min(depth, known[0]), min(hops, known[1]))


def merge(ways: dict[int, Way], url: int, way: Way) -> None:
    depth, hops, flags = ways.get(url, way)
    ways[url] = (min(depth, way[0]), min(hops, way[1]), flags)


def as_ways(batch: UrlBatch, recording: Recording, *, with_flags: bool) -> dict[int, Way]:
    urls = recording.numbers_of(batch.hashes).tolist()
    assert len(set(urls)) == len(urls), "each URL once"
    assert batch.urls == recording.texts(np.array(urls, np.int64))
    flags = batch.flags.tolist() if with_flags else [0] * len(urls)
    return dict(zip(urls, zip(batch.depths.tolist(), batch.hops.tolist(), flags, strict=True), strict=True))


def without_flags(ways: dict[int, Way]) -> dict[int, Way]:
    return {url: (depth, hops, 0) for url, (depth, hops, _) in ways.items()}


@settings(deadline=None, derandomize=True)
@given(st.data(), recordings(), st.integers(0, 3))
def test_ranks_hear_of_the_same_news_as_if_each_settled_by_itself(
    data: st.DataObject, recording: Recording, replicated: int
) -> None:
    ownership = with_owners(data.draw(ownerships(len(recording))))
    seen = JointSeen(recording, Limits(None, 254))
    joint = JointLinks(recording, ownership, ReplaySettings(replicated=replicated), seen)
    sequential = Sequential(recording, ownership, replicated)
    accept(seen, recording, dict.fromkeys(sequential.known, (0, 0, 0)))
    pages = st.tuples(st.integers(0, recording.page_count - 1), st.integers(0, 4), st.integers(0, 3))
    some = st.lists(pages, min_size=1, max_size=3)
    sent: list[tuple[int, ...]] = []
    for superstep in range(data.draw(st.integers(1, 4))):
        settlements = st.tuples(st.integers(0, ownership.ranks - 1), some)
        for rank, early in data.draw(st.lists(settlements, max_size=6)):
            read(joint, rank, early)
            told = as_ways(joint.own_news(rank), recording, with_flags=True)
            assert told == sequential.settle(rank, early)
            accept(seen, recording, told)
            sequential.note(told)
        own: dict[int, dict[int, Way]] = {}
        for rank in range(ownership.ranks):
            if late := data.draw(st.one_of(st.just([]), some)):
                read(joint, rank, late)
                own[rank] = sequential.settle(rank, late)
        delivered = joint.settle(superstep)
        counts, news = sequential.swap()
        for rank, ways in own.items():
            if ways:
                assert as_ways(delivered[rank].pop(0), recording, with_flags=True) == ways
        for ways in (*own.values(), *news.values()):
            accept(seen, recording, ways)
            sequential.note(ways)
        sent += [(superstep, *pair, count) for pair, count in sorted(counts.items())]
        received = {rank: batches for rank, batches in delivered.items() if batches}
        assert set(news) == set(received)
        for receiver, (batch,) in received.items():
            # Which sender's flags count is told by the order of arrival, which test_outboxes looks at.
            assert as_ways(batch, recording, with_flags=False) == without_flags(news[receiver])
            assert batch.depths.tolist() == sorted(batch.depths.tolist())
    messages = joint.messages()
    columns = (messages.superstep, messages.sender, messages.receiver, messages.urls)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == sent


def test_a_rank_that_settled_early_sends_a_url_on_the_way_of_that_time_whoever_read_something_since() -> None:
    recording = recording_with([1] * 4, [(0, 3, 0), (1, 3, 0), (2, 3, 0)], seeds=[0])
    ownership = ownership_with(3, [0, 1, 1, 2])
    joint = JointLinks(recording, ownership, ReplaySettings(), JointSeen(recording, Limits(None, 254)))
    for rank, page, depth in [(1, 1, 5), (0, 0, 7), (1, 2, 3)]:
        read(joint, rank, [(page, depth, 0)])
        joint.own_news(rank)
    (batch,) = joint.settle(0)[2]
    assert batch.depths.tolist() == [5]


def read(joint: JointLinks, rank: int, pages: FoundPages) -> None:
    joint.unsettled[rank].pages += pages


def accept(seen: JointSeen, recording: Recording, ways: dict[int, Way]) -> None:
    urls = np.array(list(ways), np.int64)
    depths, hops, flags = np.array(list(ways.values()), np.int64).reshape(-1, 3).T
    batch = UrlBatch(
        recording.texts(urls),
        recording.hashes[urls],
        depths.astype(np.uint16),
        hops.astype(np.uint8),
        flags.astype(np.uint8),
    )
    assert len(list(seen.check_and_add(batch, 0))) == 1


def with_owners(ownership: Ownership) -> Ownership:
    """The same, but what whoever finds it would own belongs to rank 0."""
    return replace(ownership, owners=np.where(ownership.owners == FINDER, 0, ownership.owners))


@settings(deadline=None, derandomize=True)
@given(st.data(), recordings())
def test_each_rank_settles_by_itself_where_that_may_show(data: st.DataObject, recording: Recording) -> None:
    ownership = with_owners(data.draw(ownerships(len(recording))))
    assert may_settle(recording, ownership, CrawlOptions(), ReplaySettings())
    assert not may_settle(recording, ownership, CrawlOptions(), ReplaySettings(mode=CROSS_OVER))
    assert not may_settle(recording, ownership, CrawlOptions(), ReplaySettings(order="budget"))
    found = replace(ownership, owners=np.full(len(recording), FINDER, np.int32))
    assert not may_settle(recording, found, CrawlOptions(), ReplaySettings())

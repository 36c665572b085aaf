"""An untimed replay as docs/replay.md tells it: rank by rank, page by page, link by link."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crawler.exchange.page_quota import shares
from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE
from crawler.exchange.verdict import EndConditions, Status, judge
from crawler.exchange.wire_format import Wire
from crawler.network.web import ERROR_KINDS
from crawler.replay.course import Course
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from crawler.urls.batch import UrlBatch
from partition.map.url_numbers import Numbers
from sessions.schema import REDIRECT
from sessions.url import Hashes, url_hashes
from tests.crawler.replay.support.courses import Fetch, Message


class Way(NamedTuple):
    """A URL as it was found: its number in the recording, and what travels with it."""

    url: int
    depth: int
    hops: int
    flags: int


class Told(NamedTuple):
    """A course in plain lists."""

    supersteps: int
    fetches: list[Fetch]
    messages: list[Message]
    discovered: list[int]


def told(course: Course) -> Told:
    """A course as a `Told`."""
    fetches, messages = course.fetches, course.messages
    rows = zip(
        *(getattr(messages, name).tolist() for name in Message._fields),
        strict=True,
    )
    return Told(
        course.supersteps,
        [
            Fetch(*row)
            for row in zip(fetches.superstep.tolist(), fetches.rank.tolist(), fetches.page.tolist(), strict=True)
        ],
        [Message(*row) for row in rows],
        course.discovered.tolist(),
    )


class Known:
    """The numbers of an ownership as ranks know them."""

    def __init__(self, recording: Recording, numbers: Numbers) -> None:
        self._number_of = dict(zip(recording.hashes.tolist(), numbers.tolist(), strict=True))
        self._url_of = dict(zip(numbers.tolist(), recording.urls.to_pylist(), strict=True))

    def numbers(self, hashes: Hashes, urls: Sequence[str]) -> Numbers:
        return np.array([self._number_of[url_hash] for url_hash in hashes.tolist()], np.int64)

    def urls_of(self, numbers: Numbers) -> list[str]:
        return [self._url_of[number] for number in numbers.tolist()]


class Replay:
    """All that the ranks have in common."""

    def __init__(self, recording: Recording, ownership: Ownership, settings: ReplaySettings) -> None:
        self.pages = recording.page_count
        self.urls = recording.urls.to_pylist()
        self.number_of = {url: number for number, url in enumerate(self.urls)}
        self.owners = ownership.owners.tolist()
        self.mode = settings.mode
        self.most = settings.pages_per_superstep
        self.wire = Wire(None if ownership.numbers is None else Known(recording, ownership.numbers))
        self.links: list[list[tuple[int, int]]] = []
        self.is_redirect: list[bool] = []
        for page in range(self.pages):
            edges = range(recording.starts[page], recording.starts[page + 1])
            self.is_redirect.append(len(edges) > 0 and bool(recording.flags[edges[0]] & REDIRECT))
            followed = [edge for edge in edges if recording.is_followed[edge]]
            self.links.append([(int(recording.targets[edge]), int(recording.flags[edge])) for edge in followed])


class Rank:
    """One rank; it forgets nothing."""

    def __init__(self, rank: int, replay: Replay) -> None:
        self.rank = rank
        self.replay = replay
        self.queue: deque[int] = deque()
        self.later: deque[int] = deque()
        self.seen: dict[int, tuple[int, int]] = {}
        self.sent: set[int] = set()
        self.fetched: list[int] = []

    def accept(self, way: Way, queue: deque[int]) -> None:
        self.seen[way.url] = way.depth, way.hops
        if way.url < self.replay.pages:
            queue.append(way.url)

    def superstep(self, credits: int | None) -> dict[int, list[Way]]:
        """Fetch and settle in rounds; what goes to which rank then."""
        left = self.replay.most if credits is None else min(self.replay.most, credits)
        self.fetched = []
        outboxes: dict[int, list[Way]] = {}
        while left and (queue := self.queue or self.later):
            pages = [queue.popleft() for _ in range(min(left, len(queue)))]
            left -= len(pages)
            self.fetched += pages
            for owner, ways in self.settle(self.links_of(pages)).items():
                outboxes.setdefault(owner, []).extend(ways)
        return outboxes

    def links_of(self, pages: list[int]) -> list[Way]:
        """The URLs that these pages lead to."""
        found = []
        for page in pages:
            depth, hops = self.seen[page]
            for target, flags in self.replay.links[page]:
                if self.replay.is_redirect[page]:
                    found.append(Way(target, depth, min(hops + 1, 255), flags))
                else:
                    found.append(Way(target, min(depth + 1, 65535), 0, flags))
        return found

    def take_note(self, ways: list[Way]) -> list[Way]:
        """Each URL that was not seen, once."""
        new: dict[int, Way] = {}
        seen_before = set(self.seen)
        for way in ways:
            if way.url in seen_before:
                depth, hops = self.seen[way.url]
                self.seen[way.url] = min(depth, way.depth), min(hops, way.hops)
            elif way.url in self.sent:
                continue
            elif way.url in new:
                first = new[way.url]
                new[way.url] = first._replace(depth=min(first.depth, way.depth), hops=min(first.hops, way.hops))
            else:
                new[way.url] = way
        return list(new.values())

    def settle(self, found: list[Way]) -> dict[int, list[Way]]:
        """What goes to which rank."""
        outboxes: dict[int, list[Way]] = {}
        for way in self.take_note(found):
            owner = self.replay.owners[way.url]
            if owner in (self.rank, FINDER):
                self.accept(way, self.queue)
            elif self.replay.mode == CROSS_OVER:
                self.accept(way, self.later)
            elif self.replay.mode == EXCHANGE:
                self.sent.add(way.url)
                outboxes.setdefault(owner, []).append(way)
        return outboxes

    def receive(self, ways: list[Way]) -> None:
        for way in sorted(self.take_note(ways), key=lambda way: way.depth):
            self.accept(way, self.queue)


def replayed(recording: Recording, ownership: Ownership, settings: ReplaySettings) -> Told:
    """The course, in plain lists."""
    replay = Replay(recording, ownership, settings)
    ranks = [Rank(rank, replay) for rank in range(ownership.ranks)]
    seed(ranks, recording, ownership, settings)
    fetches: list[Fetch] = []
    messages: list[Message] = []
    credits: list[int] | None = None
    if settings.max_pages is not None:
        credits = shares(settings.max_pages, [len(rank.queue) for rank in ranks])
    superstep = 0
    while True:
        outboxes = [rank.superstep(None if credits is None else credits[rank.rank]) for rank in ranks]
        for turn in range(max(len(rank.fetched) for rank in ranks)):
            fetches += [Fetch(superstep, rank.rank, rank.fetched[turn]) for rank in ranks if turn < len(rank.fetched)]
        mail: list[list[Way]] = [[] for _ in ranks]
        for rank, of_rank in zip(ranks, outboxes, strict=True):
            for receiver, ways in sorted(of_rank.items()):
                batch = as_batch(sorted(ways, key=lambda way: replay.urls[way.url]), replay)
                payload, numbers = replay.wire.encode(batch)
                size = sum(len(url.encode()) for url in batch.urls)
                messages.append(Message(superstep, rank.rank, receiver, len(batch), numbers, size, len(payload)))
                mail[receiver] += as_ways(replay.wire.decode(payload), replay)
        for rank in ranks:
            rank.receive(mail[rank.rank])
        superstep += 1
        verdict = judge([status(rank, fetches) for rank in ranks], EndConditions(max_pages=settings.max_pages))
        if verdict.ending is not None:
            return Told(superstep, fetches, messages, [len(rank.seen) for rank in ranks])
        credits = verdict.credits


def seed(ranks: list[Rank], recording: Recording, ownership: Ownership, settings: ReplaySettings) -> None:
    """What the ranks know at the start."""
    targets = recording.targets[recording.is_followed].tolist()
    by_links = sorted(set(targets), key=lambda url: (-targets.count(url), url))
    replicated = sorted(by_links[: settings.replicated])
    for url in dict.fromkeys(recording.seeds.tolist() + replicated):
        ranks[ownership.seed_owners[url]].accept(Way(url, 0, 0, 0), ranks[ownership.seed_owners[url]].queue)
    for rank in ranks:
        rank.sent.update(url for url in replicated if url not in rank.seen)


def status(rank: Rank, fetches: list[Fetch]) -> Status:
    """A rank's state as the others are told of it; only what it has queued and fetched is not 0."""
    nothing = dict.fromkeys(Status._fields, 0) | {"errors": (0,) * len(ERROR_KINDS)}
    queued = len(rank.queue) + len(rank.later)
    return Status(**nothing | {"queued": queued, "pages": sum(fetch.rank == rank.rank for fetch in fetches)})  # type: ignore[arg-type]


def as_batch(ways: list[Way], replay: Replay) -> UrlBatch:
    """The ways as they are written."""
    urls = [replay.urls[way.url] for way in ways]
    return UrlBatch(
        urls,
        url_hashes(urls),
        np.array([way.depth for way in ways], np.uint16),
        np.array([way.hops for way in ways], np.uint8),
        np.array([way.flags for way in ways], np.uint8),
    )


def as_ways(batch: UrlBatch, replay: Replay) -> list[Way]:
    """The ways as they are read."""
    columns = (batch.depths.tolist(), batch.hops.tolist(), batch.flags.tolist())
    return [Way(replay.number_of[url], *row) for url, *row in zip(batch.urls, *columns, strict=True)]

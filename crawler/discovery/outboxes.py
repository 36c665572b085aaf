"""What a rank hands to the owners of URLs at the end of the superstep, in bounded memory.

When URLs that were sent are known on disk, a merge decides on very many at once.  Those that are too many for one
exchange wait on disk for the next.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.frontier.url_queue import UrlQueue
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.outgoing import NOTHING_OUTGOING, Outgoing
from sessions.hash_arrays import are_first, grouped

MOST_URLS = 1 << 19
"""So many URLs go in one exchange at most: some 80 MB in memory."""
_QUEUES_MEMORY = 16 << 20

Owners = npt.NDArray[np.integer[Any]]


class Outboxes:
    """URLs on their way to each of ``ranks``; files are made in ``folder`` when they are needed."""

    def __init__(self, ranks: int, folder: Path, most: int = MOST_URLS) -> None:
        self._next: list[tuple[UrlBatch, Owners]] = []
        self._room = most
        self._most = most
        self._ranks = ranks
        self._later: dict[int, UrlQueue] = {}
        self._folder = folder
        self._length = 0

    def __len__(self) -> int:
        """How many URLs wait to be sent."""
        return self._length

    def add(self, batch: UrlBatch, owners: Owners) -> None:
        """Have URLs sent to their owners."""
        self._length += len(batch)
        if not self._later and len(batch) <= self._room:
            self._put(batch, owners)
            return
        order, bounds = grouped(owners, self._ranks)
        for owner, (start, stop) in enumerate(pairwise(bounds)):
            if start < stop:
                self._add_to(owner, batch.take(order[start:stop]))

    def take(self) -> Outgoing:
        """What each rank is to be sent now; the rest follows in the next exchange."""
        if not self._length:
            return NOTHING_OUTGOING
        for owner in sorted(self._later):
            if self._room:
                self._recall(owner)
        batch, owners = joined([batch for batch, _ in self._next]), np.concatenate([its for _, its in self._next])
        self._next = []
        self._length -= self._most - self._room
        self._room = self._most
        return _sorted(batch, owners)

    def _put(self, batch: UrlBatch, owners: Owners) -> None:
        self._room -= len(batch)
        self._next.append((batch, owners))

    def _add_to(self, owner: int, batch: UrlBatch) -> None:
        if owner not in self._later and len(batch) <= self._room:
            self._put(batch, np.full(len(batch), owner, np.uint16))
            return
        if owner not in self._later:
            memory = _QUEUES_MEMORY // self._ranks
            self._later[owner] = UrlQueue(self._folder, f"outbox-{owner:04d}", memory)
        self._later[owner].add(batch)

    def _recall(self, owner: int) -> None:
        """Bring into memory what waits on disk, as far as there is room."""
        queue = self._later[owner]
        batch = queue.take(self._room)
        self._put(batch, np.full(len(batch), owner, np.uint16))
        if not len(queue):
            del self._later[owner]


def _sorted(batch: UrlBatch, owners: Owners) -> Outgoing:
    order = np.array(sorted(range(len(batch)), key=batch.urls.__getitem__), np.intp)
    order = order[np.argsort(owners[order], kind="stable")]
    owners = owners[order]
    starts = np.flatnonzero(are_first(owners))
    return Outgoing(batch.take(order), owners[starts].tolist(), [*starts.tolist(), len(batch)])

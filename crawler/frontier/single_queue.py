"""What the orderings have in common that keep all URLs in one queue and hold none back."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from crawler.urls.batch import UrlBatch

if TYPE_CHECKING:
    from crawler.frontier.back_links import CountedOrdering


class Queue(Protocol):
    """URLs in the order in which they come out."""

    def __len__(self) -> int:
        """How many URLs are in it."""

    def add(self, batch: UrlBatch) -> None:
        """Put URLs in."""

    def take(self, count: int) -> UrlBatch:
        """Take the first ``count`` out, or all there are."""

    def drain(self) -> Iterator[UrlBatch]:
        """Take all out."""


class SingleQueue:
    """An ordering that is one queue: what is in it may come out, and goes by no back-links."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def ready(self) -> int:
        return len(self._queue)

    @property
    def current(self) -> int:
        return len(self._queue)

    def move_on(self) -> None:
        """Nothing is ever held back."""

    def add(self, batch: UrlBatch) -> None:
        self._queue.add(batch)

    def take(self, count: int) -> UrlBatch:
        return self._queue.take(count)

    def drain(self) -> Iterator[UrlBatch]:
        return self._queue.drain()

    @property
    def budgeted(self) -> None:
        return None

    @property
    def back_links(self) -> "CountedOrdering | None":
        return None

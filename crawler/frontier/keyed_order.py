"""What the orderings have in common in which a URL's hash alone says its place."""

from collections.abc import Callable, Iterator
from pathlib import Path

from crawler.frontier.best_first import BestFirst
from crawler.frontier.slot_heap import Keys
from crawler.urls.batch import UrlBatch
from sessions.url import Hashes


class KeyedOrder:
    """The URLs by ascending key, equal ones as they were found; ``keys`` are uint64[n] for hashes uint64[n]."""

    def __init__(self, folder: Path, memory: int, keys: Callable[[Hashes], Keys]) -> None:
        self._urls = BestFirst(folder, memory, keys)

    def __len__(self) -> int:
        return len(self._urls)

    @property
    def ready(self) -> int:
        return len(self._urls)

    @property
    def current(self) -> int:
        return len(self._urls)

    def move_on(self) -> None:
        """Nothing is ever held back."""

    def add(self, batch: UrlBatch) -> None:
        self._urls.add(batch)

    def take(self, count: int) -> UrlBatch:
        return self._urls.take(count)

    def drain(self) -> Iterator[UrlBatch]:
        return self._urls.drain()

    @property
    def budgeted(self) -> None:
        return None

    @property
    def back_links(self) -> None:
        return None

"""What the orderings have in common in which a URL's hash alone says its place."""

from collections.abc import Callable
from pathlib import Path

from crawler.frontier.best_first import BestFirst
from crawler.frontier.single_queue import SingleQueue
from crawler.frontier.slot_heap import Keys
from sessions.url import Hashes


class KeyedOrder(SingleQueue):
    """The URLs by ascending key, equal ones as they were found; ``keys`` are uint64[n] for hashes uint64[n]."""

    def __init__(self, folder: Path, memory: int, keys: Callable[[Hashes], Keys]) -> None:
        super().__init__(BestFirst(folder, memory, keys))

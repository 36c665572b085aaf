"""Ranks in one process, as threads that exchange like processes do."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any


class FakeExchange:
    """One rank's end of an exchange between threads."""

    def __init__(self, rank: int, ranks: int, barrier: Barrier, table: list[list[Any]]) -> None:
        self.rank = rank
        self.ranks = ranks
        self.asked = 0
        self._barrier = barrier
        self._table = table

    def ask(self, questions: list[bytes], answer: Callable[[list[memoryview]], list[bytes]]) -> list[memoryview] | None:
        """As `crawler.exchange.link_exchange.LinkExchange.ask`."""
        self.asked += 1
        received = self._all_to_all(questions)
        if not any(len(payload) for row in self._table for payload in row):
            self._barrier.wait()
            return None
        self._barrier.wait()
        return self._all_to_all(answer(received))

    def _all_to_all(self, payloads: list[bytes]) -> list[memoryview]:
        assert len(payloads) == self.ranks
        self._table[self.rank] = list(payloads)
        self._barrier.wait()
        received = [memoryview(row[self.rank]) for row in self._table]
        self._barrier.wait()
        return received


def on_ranks(ranks: int, work: Callable[[FakeExchange], Any]) -> list[Any]:
    """What ``work`` returns on each of so many ranks."""
    barrier = Barrier(ranks, timeout=30)
    table: list[list[Any]] = [[] for _ in range(ranks)]
    results: list[Any] = [None] * ranks
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            results[rank] = work(FakeExchange(rank, ranks, barrier, table))
        except BaseException as error:
            errors.append(error)
            barrier.abort()

    threads = [Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results

"""Any number of queues on disk that share one memory."""

from pathlib import Path

from crawler.frontier.url_files import FileTraffic
from crawler.frontier.url_queue import UrlQueue


class QueuePool:
    """Queues in ``folder``, which together take about ``memory`` bytes, as one queue alone would."""

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._memory = memory
        self._most_in_tails = 3 * memory // 8
        self._queues: list[UrlQueue] = []
        self._closed = FileTraffic()

    def open(self, name: str) -> UrlQueue:
        """A queue of that name, which no other has."""
        queue = UrlQueue(self._folder, name, self._memory)
        self._queues.append(queue)
        return queue

    def close(self, queue: UrlQueue) -> None:
        """An empty queue is needed no longer."""
        self._queues.remove(queue)
        self._closed = self._closed.plus(queue.traffic)

    @property
    def traffic(self) -> FileTraffic:
        """What was read from disk and written to it so far."""
        traffic = self._closed
        for queue in self._queues:
            traffic = traffic.plus(queue.traffic)
        return traffic

    def relieve(self) -> None:
        """Keep within the memory: call it when URLs were added.  The longest ends are written to disk, to half of all.

        To half, so that it is done seldom and each block is large.
        """
        in_tails = sum(queue.tail_bytes for queue in self._queues)
        if in_tails <= self._most_in_tails:
            return
        for queue in sorted(self._queues, key=lambda queue: queue.tail_bytes, reverse=True):
            in_tails -= queue.tail_bytes
            queue.spill()
            if in_tails <= self._most_in_tails // 2:
                return

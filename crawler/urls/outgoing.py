"""URLs on their way from one rank to others: one batch, in which those for each receiver stand together."""

from dataclasses import dataclass

from crawler.urls.batch import UrlBatch, empty_batch


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The URLs of ``batch`` from ``bounds[j]`` to ``bounds[j + 1]``, which are some, go to rank ``receivers[j]``.

    Receivers ascend; each one's URLs are sorted.
    """

    batch: UrlBatch
    receivers: list[int]
    bounds: list[int]

    def __len__(self) -> int:
        return len(self.batch)


NOTHING_OUTGOING = Outgoing(empty_batch(), [], [0])

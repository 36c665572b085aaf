"""Answers to the checks of a batch: in blocks of bounded size, with the aux strings of the chosen ones only."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from crawler.drum.batch import Batch, Results
from crawler.drum.fold_updates import Positions
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import CHECK, Answers, Operations, Values
from crawler.urls.batch import Mask
from sessions.url import Hashes

_CHECK = np.uint8(CHECK)


class AuxSource(Protocol):
    """The aux strings of a batch's records, read from front to back."""

    def parts(self, positions: Positions) -> list[int]:
        """Where to cut ``positions`` so that the strings of each piece fit in memory: the ends of the pieces."""

    def read(self, positions: Positions) -> list[str]:
        """The strings at these positions, ascending and beyond all that were read before."""


class PutBatch(NamedTuple):
    """What the answers to a batch are made of, beside its results: in order of arrival."""

    keys: Hashes
    operations: Operations
    notes: Values


class Answering:
    """Gives the answers that ``choose`` picks, from answers without aux, by default the unique; ``block`` at a time."""

    def __init__(self, choose: Callable[[Answers], Mask] | None, block: int) -> None:
        self._choose = choose or (lambda answers: ~answers.found)
        self._block = block

    def answers(
        self, asked: PutBatch, batch: Batch | Results, aux: AuxSource, keep_alive: KeepAlive = NOTHING_TO_SERVE
    ) -> Iterator[Answers]:
        """Yield the answers to the checks of a batch that was played."""
        everything = Answers(asked.keys, batch.found, batch.before, batch.after, asked.notes, [])
        (checks,) = (asked.operations & _CHECK).nonzero()
        for start in range(0, len(checks), self._block):
            keep_alive.serve()
            positions = checks[start : start + self._block]
            answers = _only(everything, positions)
            (chosen,) = self._choose(answers).nonzero()
            positions, answers = positions[chosen], _only(answers, chosen)
            begin = 0
            for end in aux.parts(positions):
                piece = answers if end - begin == len(positions) else answers.take(np.arange(begin, end))
                yield piece._replace(aux=aux.read(positions[begin:end]))
                keep_alive.serve()
                begin = end


def _only(answers: Answers, positions: Positions) -> Answers:
    """The answers at distinct, ascending positions: copied only if some are left out, since most often none is."""
    return answers if len(positions) == len(answers.keys) else answers.take(positions)

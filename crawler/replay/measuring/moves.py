"""Moves: what changes its owner when one assignment follows another."""

from dataclasses import dataclass

import numpy as np

from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording


@dataclass(frozen=True)
class Moves:
    """What changes its owner, of the ``known`` pages that both assignments know: a share of ``pages`` and ``bytes``.

    Both shares are in [0, 1], and 0 if nothing is known to both.
    """

    pages: float
    bytes: float
    known: int


def moved(recording: Recording, before: Ownership, after: Ownership) -> Moves:
    """What of a recording's pages lies elsewhere ``after`` than it did ``before``.

    A page counts if both assignments know it; pages that one of them owns by its rule for unknown URLs do not, nor do
    URLs without pages.  Ranks are compared by their numbers, so both should have the same number of them.
    """
    pages = recording.page_count
    is_known = ~(before.unknown[:pages] | after.unknown[:pages])
    moves = is_known & (before.owners[:pages] != after.owners[:pages])
    known, weight = int(np.count_nonzero(is_known)), int(recording.bytes[is_known].sum())
    return Moves(
        np.count_nonzero(moves) / known if known else 0.0,
        int(recording.bytes[moves].sum()) / weight if weight else 0.0,
        known,
    )

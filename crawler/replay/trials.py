"""Webs that may come next, made of a session's pages: what new ones, gone ones and sites that grow do to a cost.

Nobody knows the next web, so there are several.  In each a fifth of the pages is new, that is held out from the
partition (`partition.graphs.holdout`), or there are twice as many of these; another fifth may be gone; or each site has
half to twice as many pages as now.  The spread of what they give is the band of a promise.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from crawler.replay.costs import Cost, Prices, cost_of, handovers
from crawler.replay.recording import Numbers, Recording
from partition.assignment.assignment import Owners
from partition.graphs.holdout import FOLDS

Floats = npt.NDArray[np.float64]

GROWTHS = (1.0, 2.0)
"""How many pages there are in the next web for each that was held out."""
_SITE_DRAWS = 3
_SITE_GROWTH = 2.0


def weights_of(folds: Numbers, sites: Numbers, new: int) -> Iterator[Floats]:
    """How many pages of the next web each page stands for, float64[n], where those of the fold ``new`` are new.

    ``folds`` and ``sites`` int64[n] say to which hold-out and site each page belongs.
    """
    for growth in GROWTHS:
        grown = np.where(folds == new, growth, 1.0)
        yield grown
        for gone in range(FOLDS):
            if gone != new and np.any(folds != gone):
                yield np.where(folds == gone, 0.0, grown)
    for draw in range(_SITE_DRAWS):
        exponents = np.random.default_rng((new, draw)).uniform(-1, 1, int(sites.max(initial=0)) + 1)
        factors: Floats = (_SITE_GROWTH**exponents)[sites]
        yield factors


def costs_of(
    recording: Recording,
    owners: Owners,
    ranks: int,
    wire_bytes: float,
    prices: Prices,
    webs: Iterator[Floats],
) -> Iterator[Cost]:
    """What each of these webs, told by the weights of pages, costs under the owners, int32[U] of all URLs.

    ``wire_bytes`` is what a URL that is handed over takes on the wire.
    """
    given = handovers(recording, owners, ranks)
    for weights in webs:
        yield cost_of(recording, owners, given, wire_bytes, prices, weights)


def by_chance(owners: Owners, pages: int, draw: int, ranks: int) -> Owners:
    """The owners, int32[U], with each of the first ``pages`` at a rank drawn at random, another one in each ``draw``.

    A hash has no map that pages could be held out from: the session alone would know too well who gets which page.
    """
    other = owners.copy()
    other[:pages] = np.random.default_rng(draw).integers(0, ranks, pages)
    return other

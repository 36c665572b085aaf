"""How many domains have a higher in-degree: found over all ranks by histograms, so that no rank holds the list.

A histogram counts domains by in-degree, exactly up to 1,023 and then in 512 bins for each doubling: in-degrees in one
bin differ by less than 1/512.  It follows every change of an in-degree by moving one domain from bin to bin, travels
as its bins that are not empty, 10 bytes each, and those of several ranks add up.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Degrees = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]

MOST_RANKED = 10_000
ONE_RANKED_OF = 100
"""Ranked is one domain of so many that are linked to at all, but `MOST_RANKED` at most."""

_FINE_BITS = 9
_DEGREE_BITS = 32
BINS = (_DEGREE_BITS - _FINE_BITS + 1) << _FINE_BITS
_FILLED = np.dtype([("bin", "<u2"), ("domains", "<u8")])


def bins_of(degrees: Degrees) -> Places:
    """The bin of each in-degree, which is the in-degree itself up to 1,023: int64[n] for uint32[n]."""
    _, bits = np.frexp(degrees.astype(np.float64))
    shifts = np.maximum(bits.astype(np.int64) - 1 - _FINE_BITS, 0)
    return (shifts << _FINE_BITS) + (degrees.astype(np.int64) >> shifts)


class Histogram:
    """How many domains have an in-degree in each bin; those that nobody links to are not counted."""

    def __init__(self) -> None:
        self._domains = np.zeros(BINS, np.int64)

    def move(self, before: Degrees, after: Degrees) -> None:
        """Note that in-degrees have changed; 0 ``before`` for a domain that is new."""
        self._domains += np.bincount(bins_of(after), minlength=BINS) - np.bincount(bins_of(before), minlength=BINS)
        self._domains[0] = 0

    def packed(self) -> bytes:
        """The histogram as it travels."""
        bins = np.flatnonzero(self._domains)
        filled = np.empty(len(bins), _FILLED)
        filled["bin"], filled["domains"] = bins, self._domains[bins]
        return filled.tobytes()

    def add(self, packed: bytes | memoryview) -> None:
        """Count in another rank's domains too, as `packed` there."""
        filled = np.frombuffer(packed, _FILLED)
        self._domains[filled["bin"]] += filled["domains"].astype(np.int64)

    def ranking(self) -> "Ranking":
        """The ranking that follows from these counts."""
        return Ranking(self._domains)


class Ranking:
    """Domains by in-degree, highest first, all in one bin at one place; ``domains`` int64[BINS] in each bin."""

    def __init__(self, domains: Places | None = None) -> None:
        self._domains = np.zeros(BINS, np.int64) if domains is None else domains.copy()
        self._above = np.cumsum(self._domains[::-1])[::-1] - self._domains
        self.linked = int(self._domains.sum())
        """Domains with an in-degree of at least 1."""
        self.ranked = min(MOST_RANKED, self.linked // ONE_RANKED_OF)
        """The min(10,000, 1% of `linked`) highest; none where fewer than 100 domains are linked to."""

    def above(self, degrees: Degrees) -> Places:
        """How many domains stand in higher bins than each in-degree: int64[n] for uint32[n]."""
        return self._above[bins_of(degrees)]

    def abreast(self, degrees: Degrees) -> Places:
        """How many domains share the bin of each in-degree, at least the one that is asked for: int64[n]."""
        return np.maximum(self._domains[bins_of(degrees)], 1)


def ranking_of(histograms: Iterable[bytes | memoryview]) -> Ranking:
    """The ranking of the domains of all ranks, from each rank's `Histogram.packed`."""
    total = Histogram()
    for packed in histograms:
        total.add(packed)
    return total.ranking()

"""At which places a curve over pages or time is told: few enough to draw, the last one among them."""

import numpy as np

from crawler.session_report.session_arrays import Numbers

MOST = 200
TEN_MINUTES = 600 * 10**6
_FEWEST_BINS, _BINS = 3, 60


def sampled(count: int) -> Numbers:
    """Up to `MOST` of the numbers 0 to ``count`` - 1, evenly spread."""
    return np.unique(np.linspace(0, max(0, count - 1), min(count, MOST)).astype(np.int64))


def width_of(microseconds: int) -> int:
    """How long an interval is of a time that is cut into such: ten minutes, as IRLbot's figures have it.

    A time in which there are fewer than three of these has 60 intervals.
    """
    return TEN_MINUTES if microseconds >= _FEWEST_BINS * TEN_MINUTES else max(1, -(-microseconds // _BINS))

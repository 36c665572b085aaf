"""Spans of an array, taken all at once."""

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]


def concatenated_ranges(starts: Places, lengths: Places) -> Places:
    """The places in n spans, span by span: int64[sum of lengths], for starts int64[n] and lengths int64[n]."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)

"""Sites that have failed: a run that goes on leaves them alone as long as they wanted, and counts on from there.

Dates are those of the machines' clocks, which may have been set meanwhile: whatever they say, no rest is longer than
it was to be, nor than `LONGEST_REST_SECONDS`.
"""

from collections.abc import Iterable
from datetime import datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.politeness.earlier_rests import EarlierRests, Standings, hashes_of_sites
from crawler.politeness.messages import keeper_of
from sessions.hash_arrays import are_last

COLUMNS = ("site", "answered", "seconds", "failures")
"""Those of the rests table."""
LONGEST_REST_SECONDS = 3600.0
_ROWS_AT_ONCE = 1 << 20
_MICROSECONDS = 1e6

_ROW = np.dtype([("site", "u8"), ("answered", "f8"), ("seconds", "f8"), ("failures", "u2")])
_Rows = npt.NDArray[np.void]


def earlier_rests(
    batches: Iterable[pa.RecordBatch], *, rank: int, ranks: int, began: datetime, now: float
) -> EarlierRests:
    """What rows of the rests table say of the sites that fall to ``rank`` of ``ranks``.

    Of a site's rows the one that was answered last counts.  ``began`` is the date and time at which the web's clock
    said ``now`` or less, in seconds: the rests end later for it, not sooner.
    """
    last, waiting = np.empty(0, _ROW), []
    for batch in batches:
        waiting.append(_rows(batch, rank, ranks))
        if sum(map(len, waiting)) >= _ROWS_AT_ONCE:
            last, waiting = _last_of_each([last, *waiting]), []
    last = _last_of_each([last, *waiting])
    ends = last["answered"] + last["seconds"] - began.timestamp()
    left = np.clip(ends, 0.0, np.minimum(last["seconds"], LONGEST_REST_SECONDS))
    is_known = (left > 0) | (last["failures"] > 0)
    return EarlierRests(Standings(last["site"][is_known], now + left[is_known], last["failures"][is_known]))


def _rows(batch: pa.RecordBatch, rank: int, ranks: int) -> _Rows:
    sites = batch.column("site").to_pylist()
    is_mine = np.array([keeper_of(site, ranks) == rank for site in sites], bool)
    rows = np.empty(int(is_mine.sum()), _ROW)
    rows["site"] = hashes_of_sites([site for site, mine in zip(sites, is_mine.tolist(), strict=True) if mine])
    answered = pc.cast(batch.column("answered"), pa.int64()).to_numpy(zero_copy_only=False)
    rows["answered"] = answered[is_mine] / _MICROSECONDS
    for name in ("seconds", "failures"):
        rows[name] = batch.column(name).to_numpy(zero_copy_only=False)[is_mine]
    return rows


def _last_of_each(parts: list[_Rows]) -> _Rows:
    """Of each site the row that was answered last; of two at the same time the one that comes later."""
    rows = np.concatenate(parts)
    rows = rows[np.lexsort((rows["answered"], rows["site"]))]
    return rows[are_last(rows["site"])]

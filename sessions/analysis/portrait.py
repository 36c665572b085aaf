"""What a session holds, in distributions: answers, media types, depths, and pages over time.

Pages are read in batches; their times take 8 bytes each.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.progress import Say, say_nothing
from sessions.session import Session

Numbers = npt.NDArray[np.int64]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_TYPE = "none told"
_BINS = 60


@dataclass(frozen=True)
class OverTime:
    """Pages by when they were fetched: ``pages`` in intervals of ``seconds`` each, from ``begin`` on."""

    begin: datetime
    seconds: float
    pages: tuple[int, ...]


@dataclass(frozen=True)
class Portrait:
    """The pages of a session.

    Attributes:
        statuses: fetches by HTTP status, the smallest status first.
        types: fetches by media type, without parameters, the most frequent first.
        depths: fetches by the number of links between a seed and the page, int64[deepest + 1].
        over_time: fetches over time; None where times are not known or all the same.
    """

    statuses: dict[int, int]
    types: dict[str, int]
    depths: Numbers
    over_time: OverTime | None


def portrait(session: Session, progress: Say = say_nothing) -> Portrait:
    """Draw the portrait of a session; ``progress`` is told what is being done.

    Raises SessionError if files of the session are damaged.
    """
    statuses: Counter[int] = Counter()
    types: Counter[str] = Counter()
    depths = np.zeros(1, np.int64)
    times = [np.zeros(0, np.int64)]
    progress("reading pages")
    for batch in session.batches("pages", ["status", "content_type", "depth", "fetched"]):
        statuses.update(_counted(batch["status"]))
        types.update(_media_types(batch["content_type"]))
        its = np.bincount(batch["depth"].drop_null().to_numpy(zero_copy_only=False)).astype(np.int64)
        if len(its) > len(depths):
            depths, its = its, depths
        depths[: len(its)] += its
        times.append(batch["fetched"].drop_null().cast(pa.int64()).to_numpy(zero_copy_only=False))
    return Portrait(
        dict(sorted(statuses.items())),
        dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
        depths,
        _over_time(np.concatenate(times)),
    )


def _counted(column: pa.Array) -> dict[int, int]:
    return {int(one["values"]): int(one["counts"]) for one in pc.value_counts(column.drop_null()).to_pylist()}


def _media_types(column: pa.Array) -> Counter[str]:
    """Counts by media type, what stands before the semicolon in lower case."""
    found: Counter[str] = Counter()
    for one in pc.value_counts(column).to_pylist():
        told = (one["values"] or "").partition(";")[0].strip().lower()
        found[told or _NO_TYPE] += int(one["counts"])
    return found


def _over_time(microseconds: Numbers) -> OverTime | None:
    if not len(microseconds) or (span := int(microseconds.max()) - int(begin := microseconds.min())) == 0:
        return None
    at = np.minimum((microseconds - begin) * _BINS // span, _BINS - 1)
    pages = np.bincount(at, minlength=_BINS).tolist()
    return OverTime(_EPOCH + timedelta(microseconds=int(begin)), span / 1e6 / _BINS, tuple(pages))

"""What a session holds, in distributions: answers, media types, depths, degrees, and pages over time.

A degree counts distinct links, as in Broder et al. ("Graph structure in the Web", WWW 2000): the *out-degree* of a
downloaded page is the number of URLs that it links to, downloaded or not, its *in-degree* the number of downloaded
pages that link to it; a link to itself counts for neither.

Pages are read in batches; the links take memory in proportion to their number, 40 bytes a link at most.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.hash_arrays import distinct, hashes_of, places
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
    """The pages and links of a session.

    Attributes:
        statuses: fetches by HTTP status, the smallest status first.
        types: fetches by media type, without parameters, the most frequent first.
        depths: fetches by the number of links between a seed and the page, int64[deepest + 1].
        out_degrees, in_degrees: distinct downloaded pages by degree, in bins of 0, 1, 2 to 3, 4 to 7 and so on.
        over_time: fetches over time; None where times are not known or all the same.
    """

    statuses: dict[int, int]
    types: dict[str, int]
    depths: Numbers
    out_degrees: Numbers
    in_degrees: Numbers
    over_time: OverTime | None


def degree_bin(number: int) -> str:
    """The degrees that a bin holds, as they are read."""
    low, high = (1 << number) >> 1, (1 << number) - 1
    return f"{low:,}" if high <= low else f"{low:,}-{high:,}"


def portrait(session: Session, progress: Callable[[str], None] = lambda what: None) -> Portrait:
    """Draw the portrait of a session; ``progress`` is told what is being done.

    Raises SessionError if files of the session are damaged.
    """
    statuses: Counter[int] = Counter()
    types: Counter[str] = Counter()
    depths = np.zeros(1, np.int64)
    hashes, times = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    progress("reading pages")
    for batch in session.batches("pages", ["hash", "status", "content_type", "depth", "fetched"]):
        statuses.update(_counted(batch["status"]))
        types.update(_media_types(batch["content_type"]))
        its = np.bincount(batch["depth"].drop_null().to_numpy(zero_copy_only=False)).astype(np.int64)
        if len(its) > len(depths):
            depths, its = its, depths
        depths[: len(its)] += its
        hashes.append(batch["hash"].to_numpy(zero_copy_only=False))
        times.append(batch["fetched"].drop_null().cast(pa.int64()).to_numpy(zero_copy_only=False))
    progress("reading links")
    out_degrees, in_degrees = _degrees(session, distinct(np.concatenate(hashes)))
    return Portrait(
        dict(sorted(statuses.items())),
        dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
        depths,
        out_degrees,
        in_degrees,
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


def _degrees(session: Session, pages: npt.NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
    """The out-degrees and the in-degrees of ascending ``pages``, in bins."""
    table = session.read("links", ["source", "target"])
    sources, targets = hashes_of(table, "source"), hashes_of(table, "target")
    rows = places(sources, pages)
    is_link = (rows >= 0) & (sources != targets)
    linked = distinct(targets[is_link])
    pairs = np.unique(rows[is_link] * max(1, len(linked)) + np.searchsorted(linked, targets[is_link]))
    source, target = np.divmod(pairs, max(1, len(linked)))
    out = np.bincount(source, minlength=len(pages))
    at = places(linked, pages)[target]
    return _binned(out), _binned(np.bincount(at[at >= 0], minlength=len(pages)))


def _binned(degrees: Numbers) -> Numbers:
    """How many of these lie in each bin of `degree_bin`."""
    # frexp gives the bit length of whole numbers exactly up to 2^53
    return np.bincount(np.frexp(degrees.astype(np.float64))[1]).astype(np.int64)


def _over_time(microseconds: Numbers) -> OverTime | None:
    if not len(microseconds) or (span := int(microseconds.max()) - int(begin := microseconds.min())) == 0:
        return None
    at = np.minimum((microseconds - begin) * _BINS // span, _BINS - 1)
    pages = np.bincount(at, minlength=_BINS).tolist()
    return OverTime(_EPOCH + timedelta(microseconds=int(begin)), span / 1e6 / _BINS, tuple(pages))

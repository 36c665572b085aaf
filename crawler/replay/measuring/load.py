"""What the ranks have to do: bytes, requests, links and time, in total and superstep by superstep."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.replay.course import Course, Ranks
from crawler.replay.recording import Numbers, Recording
from partition.graphs.group_sums import summed

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Loads:
    """Of each of F fetches its share of a rank's load, int64[F]: what the rank stores, asks, finds and waits for.

    ``storage`` is in bytes as received, ``requests`` is 1, ``links`` are all links of the page, ``time`` are the
    recorded microseconds.
    """

    storage: Numbers
    requests: Numbers
    links: Numbers
    time: Numbers


def loads_of(recording: Recording, course: Course) -> Loads:
    """The load of each fetch, in the order of the fetches."""
    page = course.fetches.page
    return Loads(
        recording.bytes[page],
        np.ones(len(page), np.int64),
        np.diff(recording.starts)[page],
        np.rint(1000 * recording.milliseconds[page]).astype(np.int64),
    )


def by_rank(course: Course, load: Numbers) -> Numbers:
    """What each rank has of a load in total, int64[K]."""
    return summed(load, course.fetches.rank, course.ranks)


def by_superstep(course: Course, load: Numbers) -> Numbers:
    """What each rank has of a load in each superstep, dense: int64[S, K], 8 bytes a superstep and rank."""
    keys = course.fetches.superstep.astype(np.int64) * course.ranks + course.fetches.rank
    return summed(load, keys, course.supersteps * course.ranks).reshape(course.supersteps, course.ranks)


def imbalance(loads: Numbers) -> Floats:
    """max / mean - 1 over the last axis, the ranks; 0 where there is no load: float64[...] for int64[..., K]."""
    totals = loads.sum(axis=-1)
    most = loads.max(axis=-1, initial=0) * loads.shape[-1]
    ratios: Floats = np.divide(most, totals, out=np.ones(totals.shape), where=totals > 0) - 1
    return ratios


def idle_shares(work: Numbers) -> Floats:
    """Which share of the ranks' time is spent waiting for the slowest, in each superstep: float64[S] for int64[S, K].

    As if all worked equally fast, and each superstep ended when the last had done its work; 0 if there is no work.
    """
    most = work.max(axis=1, initial=0) * work.shape[1]
    busy: Floats = np.divide(work.sum(axis=1), most, out=np.ones(len(work)), where=most > 0)
    return 1 - busy


def idle_share(work: Numbers) -> float:
    """The same over all supersteps, int64[S, K]: 1 - sum of work / (K x sum of the most work in each superstep)."""
    most = int(work.max(axis=1, initial=0).sum()) * work.shape[1]
    return 1 - int(work.sum()) / most if most else 0.0


def fetched_by(ranks: Ranks, pages: Numbers, count: int) -> Numbers:
    """How many different ranks fetched each of ``count`` pages, int64[count]."""
    width = int(ranks.max(initial=0)) + 1
    return np.bincount(np.unique(pages * width + ranks) // width, minlength=count).astype(np.int64)
